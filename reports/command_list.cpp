// normcheck list: what there is to judge, on what, and what it is held to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "corpus/error.h"
#include "impl/defects/defect.h"
#include "impl/table.h"
#include "oracles/claims.h"
#include "props/evidence_rows.h"
#include "props/gen.h"
#include "reports/algorithms.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/detection_floor.h"
#include "reports/peers.h"
#include "reports/probes.h"
#include "reports/select.h"

namespace normcheck {
namespace {

void print_rows() {
  std::size_t width = 4;
  for (const Row& row : table()) width = std::max(width, row.name.size());
  const std::size_t column = width + 2 + 16 + 2;
  fmt::print("{:<{}}  {:<16}  {}\n", "name", width, "dtypes", "expected under stable");
  for (const Row& row : table()) {
    std::vector<std::string_view> dtypes;
    for (const DType dtype : row.storages) dtypes.push_back(dtype_name(dtype));
    fmt::print("{:<{}}  {:<16}  {}", row.name, width, fmt::format("{}", fmt::join(dtypes, " ")),
               wrapped(fmt::format("{}{}", is_right(row) ? "" : "fails: ", row.expect), column));
  }
}

void print_regimes() {
  std::size_t width = 4;
  for (const Regime& regime : regimes()) width = std::max(width, regime.name.size());
  for (const Regime& regime : regimes()) {
    fmt::print("{:<{}}  {}{}\n", regime.name, width, regime.about,
               regime.beyond ? " (beyond: no careful algorithm has a useful bound on most of it)" : "");
  }
  fmt::print(
      "{:<{}}  long rows on which right kernels are all but exact: what every bound hides is SUSPECT "
      "(check alone)\n",
      evidence_name, width);
}

void print_contracts() {
  const auto line = [](std::string_view name, std::string_view text) {
    fmt::print("{:<8}{}", name, wrapped(text, 8));
  };
  line("stable",
       "the largest allowance of two_pass, welford and chan, with any finish, order of summation, division "
       "and reciprocal root good to 2 ulp, accumulated in f32 for halves, else in the storage dtype");
  line("own", "the bound of the row itself, at its accumulate type and finish");
  line("claims",
       "key=value;key=value: stable but for what they say. stable;key=value is the same, and own;key=value "
       "the "
       "row's own bound with keys that do not say how it computes. The keys, and what a kernel claims by "
       "them:");
  std::size_t width = 0;
  for (const ClaimKey& key : claim_keys()) width = std::max(width, key.name.size());
  const std::size_t column = 2 + width + 2;
  for (const ClaimKey& key : claim_keys()) {
    fmt::print("  {:<{}}  {}", key.name, width, wrapped(key.values, column));
    fmt::print("{:{}}{}", "", column, wrapped(key.meaning, column));
  }
}

void print_probes() {
  std::size_t width = 4;
  for (const Probe& probe : probes()) width = std::max(width, probe.name.size());
  const std::size_t column = width + 2 + 9 + 2;
  fmt::print("{:<{}}  {:<9}  {}\n", "name", width, "group", "what is tried");
  for (const Probe& probe : probes())
    fmt::print("{:<{}}  {:<9}  {}", probe.name, width, group_name(probe.group),
               wrapped(probe.meaning, column));
}

void print_defects() {
  std::string_view kind;
  for (const Defect& d : defects()) {
    std::vector<std::string_view> dtypes;
    for (const DType dtype : d.dtypes) dtypes.push_back(dtype_name(dtype));
    if (d.kind != kind) fmt::print("{}\n", d.kind);
    kind = d.kind;
    fmt::print("  {}  {}", d.id,
               wrapped(fmt::format("{} ({}{}{})", d.does, fmt::join(dtypes, " "),
                                   d.right == nullptr ? "" : "; its right twin claims ",
                                   d.right == nullptr ? "" : d.right),
                       8));
    fmt::print("{:8}{}\n", "", d.url);
  }
}

}  // namespace

Exit run_list(const Options& options) {
  std::vector<DType> dtypes = dtypes_named(options.dtypes);
  if (!dtypes.empty() && !options.floor) throw InputError("--dtype: list takes it with --floor alone");
  if (dtypes.empty()) dtypes = {DType::f32, DType::f64, DType::f16, DType::bf16};
  const bool none = !options.algorithms && !options.list_regimes && !options.contracts && !options.floor &&
                    !options.list_probes && !options.list_peers && !options.list_defects && !options.missing;
  if (options.rows || none) print_rows();
  if (options.algorithms) fmt::print("{}", algorithms_text());
  if (options.list_regimes) print_regimes();
  if (options.contracts) print_contracts();
  if (options.list_probes) print_probes();
  for (const Peer& peer : peers()) {
    if (options.missing && peer.light && peer.source == PeerSource::pypi && peer_target(peer).empty())
      fmt::print("{}\n", install_command(peer));
  }
  if (options.list_defects) print_defects();
  if (options.list_peers) fmt::print("{}", peers_text(options));
  if (options.floor) fmt::print("{}", floors_text(detection_floors(dtypes)));
  return Exit::well;
}

}  // namespace normcheck

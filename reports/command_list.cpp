// normcheck list: what there is to judge, on what, and what it is held to.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "impl/table.h"
#include "props/gen.h"
#include "reports/commands.h"

namespace normcheck {
namespace {

void print_algorithms() {
  std::size_t width = 4;
  for (const Row& row : table()) width = std::max(width, row.name.size());
  fmt::print("{:<{}}  {:<16}  {}\n", "name", width, "dtypes", "expected under stable");
  for (const Row& row : table()) {
    std::vector<std::string_view> dtypes;
    for (const DType dtype : row.storages) dtypes.push_back(dtype_name(dtype));
    fmt::print("{:<{}}  {:<16}  {}{}\n", row.name, width, fmt::format("{}", fmt::join(dtypes, " ")),
               is_right(row) ? "" : "fails: ", row.expect);
  }
}

void print_regimes() {
  std::size_t width = 4;
  for (const Regime& regime : regimes()) width = std::max(width, regime.name.size());
  for (const Regime& regime : regimes()) {
    fmt::print("{:<{}}  {}{}\n", regime.name, width, regime.about,
               regime.beyond ? " (beyond: no careful algorithm has a useful bound on most of it)" : "");
  }
}

void print_contracts() {
  fmt::print(
      "stable  the largest allowance of two_pass, welford and chan, with any finish, order of summation, "
      "division\n"
      "        and reciprocal root good to 2 ulp, accumulated in f32 for halves, else in the storage dtype\n"
      "own     the bound of the row itself, at its accumulate type and finish\n");
}

}  // namespace

Exit run_list(const Options& options) {
  const bool none = !options.list_regimes && !options.contracts;
  if (options.algorithms || none) print_algorithms();
  if (options.list_regimes) print_regimes();
  if (options.contracts) print_contracts();
  return Exit::well;
}

}  // namespace normcheck

// normcheck peers: judges the real libraries that are installed, and is red for what is not known of them.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/provenance.h"
#include "reports/render_peers.h"
#include "reports/select.h"

namespace normcheck {
namespace {

/// Those that are named, or all that are installed; the rest goes to `absent`. LoadError for one that is
/// named and cannot be loaded.
std::vector<std::string> wanted(const Options& options, std::vector<const Peer*>& absent) {
  std::vector<std::string> out;
  for (const std::string& name : options.names) {
    if (find_peer(name) == nullptr) {
      std::vector<std::string> names;
      for (const Peer& peer : peers()) names.emplace_back(peer.name);
      throw InputError(fmt::format("unknown peer '{}'; nearest: {} (all: normcheck list --peers)", name,
                                   fmt::join(nearest_names(name, names), ", ")));
    }
    out.push_back(name);
  }
  if (!out.empty()) return out;
  for (const Peer& peer : peers()) {
    try {
      plugin_rows(std::string(peer.name), options);
      out.emplace_back(peer.name);
    } catch (const LoadError& e) {
      fmt::print("NOTE     {}\n", e.what());
      absent.push_back(&peer);
    }
  }
  if (out.empty()) throw LoadError("no peer is installed; normcheck list --peers says how to install each");
  return out;
}

void print_head() {
  fmt::print("{:<20}{:<26}{:<6}{:>6}{:>7}{:>6}{:>7}{:>9}{:>9}{:>7}\n", "peer", "version", "dtype", "cases",
             "PASS", "FAIL", "UNSUP.", "proved", "share", "s");
}

void print_line(const PeerEntry& e, const Style& style) {
  const Tally t = e.entry.total();
  const std::string fail = fmt::format("{:>6}", t.findings());
  fmt::print("{:<20}{:<26}{:<6}{:>6}{:>7}{}{:>7}{:>9}{:>9}{:>7.1f}{}\n", e.entry.row->name,
             version_of(*e.entry.row), dtype_name(e.entry.dtype), t.cases, t.of(Verdict::pass),
             t.findings() > 0 ? style.red(fail) : fail, t.of(Verdict::unsupported),
             percent(t.counts.proved, t.counts.elements), short_number(t.max_share_of_bound), e.seconds,
             !e.unexpected.empty() ? "  unexpected"
             : t.findings() > 0    ? "  as known"
                                   : "");
  for (const std::string& what : e.unexpected) fmt::print("  {}: {}\n", style.red("unexpected"), what);
  std::fflush(stdout);
}

double since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Exit run_peers(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Style style{colour_wanted()};
  require_writable(options.out, "--out");
  PeersData data;
  Options chosen = options;
  chosen.names = wanted(options, data.absent);
  const std::vector<SweepJob> jobs = make_jobs(chosen);
  data.plan = make_plan(chosen, 4000);
  data.plan.keeps_cases = true;
  data.command = fmt::format("{} peers --seed {} --budget {}", built_command, data.plan.seed,
                             data.plan.budget.evaluations);
  bool red = false;
  print_head();
  auto before = std::chrono::steady_clock::now();
  sweep_all(jobs, data.plan, [&](std::size_t i, SweepEntry entry) {
    const Peer* peer = peer_of(*jobs[i].row);
    std::vector<std::string> unexpected = unexpected_of(*peer, entry);
    data.entries.push_back({peer, std::move(entry), since(before), std::move(unexpected)});
    before = std::chrono::steady_clock::now();
    print_line(data.entries.back(), style);
    red |= !data.entries.back().unexpected.empty();
  });
  data.run = provenance();
  data.run.emplace_back("seconds", fmt::format("{:.1f}", since(start)));
  const std::filesystem::path out = options.out;
  make_folder(out, "--out");
  write_file_atomically(out / "peers.md", peers_markdown(data));
  write_file_atomically(out / "peers.json", peers_json(data));
  fmt::print(
      "\nwritten to {}: peers.md, peers.json\n{}\nexit {}\n", out.string(),
      red ? style.red("something was found that is not known of its library (normcheck check NAME shows it)")
          : style.green("nothing was found beside what is known of each"),
      static_cast<int>(red ? Exit::finding : Exit::well));
  return red ? Exit::finding : Exit::well;
}

}  // namespace normcheck

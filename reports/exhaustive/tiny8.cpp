// Every row of one to three 8-bit numbers through every algorithm, against the bound of its moments:
//   normcheck_exhaustive_tiny8 [--share K] [--out FILE] [--planted]
// K: of three numbers one row in K (default 1). FILE: the table in Markdown. --planted: two_pass under half
// of the bound of its mean, which must be seen. Exit 0: all as it should be; 1: not.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "props/tiny8_sweep.h"

namespace normcheck {
namespace {

MomentBound half_of_two_pass(const RowFacts& facts, const Working& f) {
  MomentBound out = TwoPass::bound(facts, f);
  out.mean = out.mean.value() * 0.5;
  return out;
}

int run(int argc, char** argv) {
  std::uint64_t share = 1;
  std::string file;
  bool planted = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--planted") {
      planted = true;
    } else if (word == "--share" && i + 1 < argc && std::atoll(argv[i + 1]) > 0) {
      share = static_cast<std::uint64_t>(std::atoll(argv[++i]));
    } else if (word == "--out" && i + 1 < argc) {
      file = argv[++i];
    } else {
      fmt::print(stderr, "normcheck_exhaustive_tiny8: {}: expected --share K, --out FILE or --planted\n",
                 word);
      return 2;
    }
  }
  std::vector<Tiny8Subject> subjects = every_tiny8_algorithm();
  if (planted)
    subjects = {{"two_pass under half of its mean's bound",
                 [](std::span<const Tiny8> x) { return TwoPass::moments<Tiny8>(x); }, half_of_two_pass}};
  const Tiny8Sweep s = sweep_tiny8(subjects, share, 1);
  std::string table = fmt::format(
      "\n# Every row of up to three 8-bit numbers\n\nTiny8 has 4 bits of exponent and 3 of fraction "
      "(`impl/arithmetic/tiny8.h`). {} rows (of three numbers 1/{}), {} of them with NaN or inf, and the "
      "rest "
      "computed in it by every algorithm; mean and variance against the exact ones and the bound. Out of "
      "range: "
      "the bound claims nothing there, as something might overflow. Not rounded: not the exact one rounded "
      "once. "
      "The variants of an algorithm stand one below the other.\n\n| algorithm | judged | out of range | "
      "bound "
      "exceeded | mean not rounded | variance not rounded | mean: largest share of its bound | at | "
      "variance: "
      "largest share of its bound | at |\n|---|---|---|---|---|---|---|---|---|---|\n",
      s.rows, share, s.not_finite);
  bool good = true;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const Tiny8Seen& seen = s.seen[i];
    const std::string line = fmt::format("| {} | {} | {} | {} | {} | {} | {:.3f} | ({}) | {:.3f} | ({}) |\n",
                                         subjects[i].name, seen.judged, seen.out_of_range, seen.violations,
                                         seen.mean_not_rounded, seen.var_not_rounded, seen.mean.share,
                                         seen.mean.row, seen.variance.share, seen.variance.row);
    table += line;
    fmt::print("{}", line);
    if (seen.violations > 0) fmt::print("  {}\n", seen.first);
    good = good && seen.judged > 0 && seen.finite_mean == 0 && (seen.violations > 0) == planted;
  }
  if (!file.empty()) {
    std::ofstream out(file, std::ios::binary);
    out << table;
    out.close();
    if (!out) {
      fmt::print(stderr, "normcheck_exhaustive_tiny8: {}: cannot be written\n", file);
      return 2;
    }
  }
  fmt::print("{}\n", good ? "all as it should be" : "not as it should be");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) { return normcheck::run(argc, argv); }

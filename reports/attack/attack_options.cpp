// Declares what an attack can be told; the values are looked up by the command.
#include "reports/attack/attack_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "corpus/error.h"

namespace normcheck {

void add_attack_options(CLI::App& attack, Options& o) {
  attack.add_option("IMPL", o.names,
                    "names of the table, ./libmine.so or exec:COMMAND; of more than one, a line each");
  attack.add_flag("--rows", o.all_rows, "every right implementation of the table, a line each");
  attack.add_flag("--peers", o.all_peers,
                  "every real library that is installed; writes OUT/largest_known.md");
  attack
      .add_option("--dtype", o.dtypes,
                  "f32, f64, f16 or bf16 (default: that of its name, or the first that it offers)")
      ->delimiter(',')
      ->allow_extra_args(false);
  attack.add_option_function<std::string>(
      "--n", [&o](const std::string& t) { o.lengths = parse_lengths(t, "--n"); },
      "elements of a row, 2 to 65536 (default 32); of several attacks a list, such as 32,1024");
  attack.add_option("--contract", o.contract,
                    "whose allowance an error is a share of: stable (default), own or claims");
  attack.add_option("--objective", o.objective,
                    "share of the allowance (default), ulp, normwise, or distance (with --against); several "
                    "attacks are by share and, for kappa up to 4, normwise");
  attack.add_option("--against", o.against, "another implementation: the largest distance from it");
  attack.add_option_function<std::string>(
      "--budget", [&o](const std::string& t) { o.budget = parse_budget(t); },
      "evaluations, each of a row (default 1000000; 100000 of each of several attacks)");
  attack.add_option_function<std::string>(
      "--seed",
      [&o](const std::string& t) {
        const bool digits = !t.empty() && t.size() < 16 &&
                            std::all_of(t.begin(), t.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits)
          throw InputError(
              fmt::format("--seed: '{}' is not a whole number; expected digits, such as 4096", t));
        o.seed = std::stoull(t);
      },
      "seed of the search (default 1)");
  attack.add_option_function<std::string>(
      "--eps", [&o](const std::string& t) { o.eps = parse_number(t, "--eps"); },
      "eps of every row (default: of a share any, else 1e-5)");
  attack.add_option_function<std::string>(
      "--kappa", [&o](const std::string& t) { o.kappa = parse_number(t, "--kappa"); },
      "only rows of a condition number up to this and a variance of eps or more; inf: the latter alone "
      "(default: any row; of several attacks inf for the share, 4 for the normwise error)");
  attack.add_flag("--plain", o.plain, "without gamma and beta");
  attack.add_flag("--record", o.record,
                  "keep what is worse than what is known in corpus/found, where the next attack begins");
  attack.add_flag("--fresh", o.fresh, "begin with the regimes alone, not with the corpus");
  attack.add_option("--corpus", o.corpus,
                    "corpus folder to begin with (default: the one that this build knows)");
  attack.add_option("--out", o.out, "folder for the worst row (default build/out)");
  attack.add_option("--json", o.json, "write a line a record to this file, as JSON");
  attack.add_flag("--no-timing", o.no_timing, "do not print how long it took");
}

}  // namespace normcheck

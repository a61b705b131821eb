// The table of layers; each is read, judged and let go, so that a dump may be larger than the memory.
#include "reports/judge_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "corpus/error.h"
#include "reports/numbers.h"
#include "reports/render_text.h"

namespace normcheck {
namespace {

/// How bad: the verdict, then the largest error by its allowance.
struct Badness {
  Verdict verdict = Verdict::pass;
  double share = -1;
  bool operator<(const Badness& other) const {
    return verdict != other.verdict ? verdict < other.verdict : share < other.share;
  }
};

Badness badness(const std::vector<Judgement>& judged) {
  Badness worst;
  for (const Judgement& j : judged) {
    // A NaN among the errors is infinite already.
    const double share = j.worst && j.worst->allowed_ulp > 0
                             ? std::abs(j.worst->error_ulp) / j.worst->allowed_ulp
                             : j.errors.max_share_of_bound;
    worst = std::max(worst, Badness{j.verdict, std::isnan(share) ? 0 : share});
  }
  return worst;
}

std::string number_cell(double value, const char* infinite) {
  return std::isfinite(value) ? short_number(value) : infinite;
}

std::string cells(const Judgement& j) {
  if (!j.worst) return fmt::format("{:>9}  {:>9}  {:>8}", "-", "-", "-");
  return fmt::format("{:>9}  {:>9}  {:>8}", number_cell(std::abs(j.worst->error_ulp), "NaN/inf"),
                     number_cell(j.worst->allowed_ulp, "void"), short_number(j.kappa));
}

}  // namespace

Exit judge_layers(const std::vector<ProblemSource>& problems, const Options& options,
                  const Contract& contract, OracleChoice oracle, const Style& style, JudgedFiles& files) {
  std::size_t width = 5;
  for (const ProblemSource& problem : problems) width = std::max(width, problem.name.size());
  fmt::print("{}\n",
             style.bold(fmt::format("{:<{}}  verdict  error ulp    allowed     kappa", "layer", width)));
  const ProblemSource* worst = nullptr;
  Badness worst_badness;
  std::vector<Judgement> all;
  std::vector<std::string> unjudged;
  for (const ProblemSource& problem : problems) {
    try {
      const Problem p = read_problem(problem, options);
      const std::vector<Judgement> judged = judge_problem(p, contract, oracle);
      for (std::size_t i = 0; i < judged.size(); ++i) {
        const std::string word = fmt::format("{:<7}", verdict_name(judged[i].verdict));
        fmt::print("{:<{}}  {}  {}  {}{}\n", problem.name, width,
                   is_finding(judged[i].verdict) ? style.red(word) : word, cells(judged[i]),
                   problem_text(p.c), i == 0 ? "" : "  y2");
      }
      add_files(files, problem.name, p, judged, contract);
      const Badness bad = badness(judged);
      if (worst == nullptr || worst_badness < bad) {
        worst = &problem;
        worst_badness = bad;
      }
      all.insert(all.end(), judged.begin(), judged.end());
    } catch (const InputError& e) {
      fmt::print("{:<{}}  NOT RUN  {}\n", problem.name, width, e.what());
      files.add_error(problem.name, e.what());
      unjudged.push_back(fmt::format("{}: {}", problem.name, e.what()));
    }
  }
  if (worst != nullptr) {
    const Problem p = read_problem(*worst, options);
    const std::vector<Judgement> judged = judge_problem(p, contract, oracle);
    fmt::print("\n{} {}\n",
               style.bold(is_finding(worst_badness.verdict) ? "the worst:" : "nearest to its bound:"),
               worst->name);
    print_problem(p, judged, contract, oracle, style);
  }
  files.write();
  if (!unjudged.empty())
    throw InputError(fmt::format("{} of {} could not be judged; {}", unjudged.size(),
                                 counted(static_cast<std::int64_t>(problems.size()), "layer"), unjudged[0]));
  return exit_of(all);
}

}  // namespace normcheck

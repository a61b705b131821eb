// Renders what attacks on real libraries came to: a table, how it was sought, and what each library is.
#include "reports/attack/largest_known.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/provenance.h"

namespace normcheck {
namespace {

constexpr std::string_view head =
    "# The largest error that is known of real libraries\n\n"
    "`normcheck attack --peers` searched for the row on which each library, as it is shipped, is worst. "
    "*Largest "
    "known* is no proof that\n"
    "nothing is worse; every figure is of the row in its last column, by exact arithmetic, and comes again "
    "with `build/release/normcheck replay corpus/FILE\n"
    "--impl LIBRARY` ([how to read a number](../README.md)).\n\n"
    "- **by share**: the largest part of what `stable`, a proven bound, allows; above 1 is a fault. Any "
    "kappa; eps is "
    "free, up to the variance.\n"
    "- **by u**: the largest error in u times the row's largest |x_hat|, of rows of condition number kappa "
    "up "
    "to the one that is shown, eps 1e-5:\n"
    "  ordinary rows, with a mean of at most a few deviations. Neither has gamma and beta.\n"
    "- **ulp** is of the element that is worst so, **u**, **absolute** and **allowed** (by `stable`) of the "
    "one whose absolute error is largest.\n"
    "- **regimes** is the same figure of what is sampled: rows of every regime as they are drawn, as many as "
    "stand beside it; **factor** says how\n"
    "  much worse the attack got. Where it is near 1 nothing much worse was found, with as many "
    "evaluations.\n"
    "- **NaN**: rows met on the way where a NaN or an infinity came out in place of a number, in the safe "
    "range.\n\n";

std::string share_of_allowed(const AttackRecord& r) {
  return std::isfinite(r.allowed_abs) ? short_number(r.allowed_abs) : "no bound";
}

std::string row_text(const Attacked& a) {
  const std::string by = std::isfinite(a.job.kappa_most)
                             ? fmt::format("u, kappa <= {}", short_number(a.job.kappa_most))
                             : std::string(objective_name(a.job.objective));
  const std::string left = fmt::format("| {} | {} | {} | {} | {} |", a.job.row->name, version_of(*a.job.row),
                                       dtype_name(a.job.dtype), a.job.n, by);
  if (a.result.broken) return left + " it crashed, hung or failed | | | | | | | | | | |\n";
  const AttackRecord& r = a.result.records.back();
  const std::string input = a.known ? fmt::format("[case](../../corpus/found/{})", a.known->file) : "-";
  const std::int64_t sampled = a.known ? a.known->sampled : a.result.sampled,
                     nonfinite = a.known ? a.known->nonfinite : a.result.nonfinite,
                     evaluations = a.known ? a.known->evaluations : a.result.evaluations;
  return fmt::format("{} {} | {} | {} | {} | {} | {} | {} ({}) | {} | {} | {} | {} |\n", left,
                     short_number(r.kappa), short_number(r.ulp), short_number(r.normwise_u),
                     short_number(r.error_abs), share_of_allowed(r), short_number(r.share),
                     short_number(a.result.largest_sampled), grouped(sampled),
                     short_number(r.value / a.result.largest_sampled), grouped(evaluations),
                     nonfinite > 0 ? grouped(nonfinite) : "-", input);
}

}  // namespace

std::string largest_known_markdown(const std::vector<Attacked>& all, const Options& options) {
  std::string out(head);
  out +=
      "| library | version | dtype | n | by | kappa | ulp | u | absolute | allowed | share | regimes | "
      "factor | "
      "evaluations | NaN | input |\n"
      "|---|---|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
  for (const Attacked& a : all) out += row_text(a);
  out += "\n## What each is, and what is known of it\n\n";
  const Peer* last = nullptr;
  for (const Attacked& a : all) {
    const Peer* peer = peer_of(*a.job.row);
    if (peer == nullptr || peer == last) continue;
    last = peer;
    out += fmt::format("- **{}** ({}): {}. Pinned by `{}`.\n", peer->name, peer->packages, peer->about,
                       fmt::join(peer_environment(*peer), " "));
    for (const KnownFault& fault : peer->known)
      out += fmt::format("  Known to fail ({}{}{}): {}.\n", fault.dtypes, fault.regimes.empty() ? "" : "; ",
                         fault.regimes, fault.reason);
  }
  out +=
      "\n## How each was sought\n\nWith the rows of `corpus/found` to begin with, and more often before: "
      "*evaluations* counts all of it, `runs` in `corpus/found/records.tsv` says of which lengths, seeds and "
      "budgets. Said again, a line searches no more, measures its record anew, and this page comes out byte "
      "for "
      "byte.\n\n```\n";
  for (const Attacked& a : all) out += fmt::format("normcheck {} --record\n", a.attack_line);
  out += fmt::format(
      "```\n\nAll of them: `./run attack`, which is `normcheck attack --peers{} --seed {}` and the rows of "
      "the table.\n\n",
      options.record ? " --record" : "", options.seed);
  for (const auto& [name, value] : provenance()) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

}  // namespace normcheck

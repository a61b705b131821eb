// Tells advice: a table, the formulas with the numbers put in, and sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracles/ulp.h"
#include "reports/advice/advise.h"
#include "reports/console.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

std::string_view name_of(const Advised& a) { return a.candidate.subject.row->name; }

std::string number(double v) { return std::isfinite(v) ? short_number(v) : "NaN/inf"; }

std::string bound_cell(const Evaluated& e) {
  if (e.rows == 0) return "not run";
  return e.proven() ? number(e.bound_ulp) : fmt::format("void: {} of {}", e.void_rows, e.rows);
}

std::string error_cell(const Evaluated& e) { return e.rows == 0 ? "not run" : number(e.error_ulp); }

/// "0.57 ulp of max|y| (5.6e-4)": the report's ulp is of each y itself.
std::string both(double ulp, double absolute) {
  return std::isfinite(ulp) ? fmt::format("{} ulp of max|y| ({})", short_number(ulp), short_number(absolute))
                            : "NaN or inf";
}
std::string bound_text(const Evaluated& e) { return both(e.bound_ulp, e.bound_abs); }
std::string error_text(const Evaluated& e) { return both(e.error_ulp, e.error_abs); }

std::string table_text(const Advice& a) {
  const bool mine = a.mine_rows > 0;
  std::string out = fmt::format("{:<24}  {:>6}  {:>5}  {:>14}  {:>13}  {}\n", "", "passes", "cost", "proven",
                                "largest known", "on your data: error / proven");
  out += fmt::format("{:<24}  {:>6}  {:>5}  {:>14}  {:>13}  {}\n", "", "over x", "", "ulp of max|y|",
                     "ulp of max|y|", "ulp of max|y|");
  for (const Advised& x : a.table) {
    const std::string_view mark =
        x.candidate.counter.empty() ? (x.allowed ? "" : "  (passes)") : "  (no choice)";
    out += fmt::format("{:<24}  {:>6}  {:>5}  {:>14}  {:>13}  {}{}\n", name_of(x), x.candidate.passes,
                       short_number(x.candidate.cost), bound_cell(x.built), error_cell(x.built),
                       mine ? fmt::format("{} / {}", error_cell(*x.mine), bound_cell(*x.mine)) : "not given",
                       mark);
  }
  return out;
}

std::string formula_text(const Advised& x, const Setting& s) {
  const Row& row = *x.candidate.subject.row;
  const auto form = closed_form(row, s.n, s.kappa);
  if (!form)
    return fmt::format(
        "{}: a recursion over the row, with no closed form for all rows of n and kappa "
        "(normcheck list --algorithms)",
        row.name);
  std::string out = fmt::format("{}: E = |mean^-mean|/sd <= {}; |var^/var-1| <= {}", row.name,
                                form->mean_text, form->variance_text);
  if (form->variance >= 1) {
    out += ", not below 1: var^ may come out as anything, and nothing is proven of y";
  } else if (row.variant.finish == Finish::direct && row.algorithm != "compensated_mean") {
    out += fmt::format("; |y^-y| <= E + |y|/2 times that = {} at |y| = 1, before y is rounded",
                       short_number(form->mean + form->variance / 2));
  }
  return out;
}

std::string breaks_text(const Breaks& b, const Setting& s, const Limit& limit) {
  std::string out;
  if (b.kappa_over > 0 && b.kappa_over <= s.kappa) {
    out = fmt::format("its bound passes {} from kappa about {} on, so here too", limit.text(),
                      short_number(b.kappa_over));
  } else {
    out = b.kappa_over > 0 ? fmt::format("its bound passes {} from kappa about {} on at n {}", limit.text(),
                                         short_number(b.kappa_over), grouped(s.n))
                           : fmt::format("no kappa that {} holds takes its bound past {} at n {}",
                                         dtype_name(s.dtype), limit.text(), grouped(s.n));
    out += b.n_over > 0
               ? fmt::format(", and from n about {} on at kappa {}", grouped(b.n_over), short_number(s.kappa))
               : fmt::format(", nor does n up to {} at kappa {}", grouped(b.n_tried), short_number(s.kappa));
    if (b.kappa_over > 0 && b.n_over == 0)
      out = fmt::format(
          "its bound passes {} from kappa about {} on at n {}; at kappa {} no n up to {} takes it there",
          limit.text(), short_number(b.kappa_over), grouped(s.n), short_number(s.kappa), grouped(b.n_tried));
  }
  if (b.kappa_void > 0)
    out +=
        fmt::format("; it is void, and nothing proven, from kappa about {} on", short_number(b.kappa_void));
  return out;
}

std::string on_data(const Advised& x) {
  if (!x.mine || x.mine->rows == 0) return "";
  return fmt::format(" On your data: error {}, proven {}.", error_text(*x.mine),
                     x.mine->proven() ? bound_text(*x.mine) : bound_cell(*x.mine));
}

std::string sentence(const Advice& a) {
  const auto at = [&](int i) -> const Advised& { return a.table[static_cast<std::size_t>(i)]; };
  const std::string passes =
      a.plan.passes > 0 ? fmt::format(" of {} at most", counted(a.plan.passes, "pass").substr(0, 6)) : "";
  std::string out;
  const bool exact = a.plan.limit.has_value();
  const std::string_view goal = exact ? "what you can take" : "the half ulp of rounding y, and one beside it";
  if (a.use >= 0) {
    const Advised& x = at(a.use);
    out = fmt::format(
        "Use {}: the cheapest here that is proven to keep {} ({}): {} proven, {} the largest "
        "known.{}",
        name_of(x), a.limit.text(), goal, bound_text(x.built), error_text(x.built), on_data(x));
    if (a.steady != a.use) {
      out += a.use_breaks && a.use_breaks->kappa_over > 0
                 ? fmt::format(" Its bound grows like kappa^2, and passes that from kappa about {} on",
                               short_number(a.use_breaks->kappa_over))
                 : " Its bound grows like kappa^2";
      out += a.steady >= 0 ? fmt::format("; where kappa may be larger, use {} ({} proven here).",
                                         name_of(at(a.steady)), bound_text(at(a.steady).built))
                           : ".";
    }
  } else {
    out = fmt::format("Nothing here is proven to keep {} ({}).", a.limit.text(), goal);
    if (a.sharpest >= 0) {
      const Advised& x = at(a.sharpest);
      out += fmt::format(
          " Use {}: {} is proven, the least of all here with sums in {}; {} is the largest known.{}",
          name_of(x), bound_text(x.built), dtype_name(x.candidate.subject.row->accumulate),
          error_text(x.built), on_data(x));
    }
    if (a.known >= 0)
      out += fmt::format(" {} is the cheapest whose largest known error keeps it ({}): known, not proven.",
                         name_of(at(a.known)), error_text(at(a.known).built));
    if (a.sharpest < 0 && a.known < 0) out += " Center the data, or sum in a wider type.";
  }
  if (a.use >= 0 && a.sharpest >= 0 && a.use != a.sharpest &&
      at(a.use).candidate.subject.row->accumulate != at(a.sharpest).candidate.subject.row->accumulate) {
    const Advised& x = at(a.sharpest);
    out += fmt::format(" With sums in {} the sharpest is {}: {} proven, {} the largest known.",
                       dtype_name(x.candidate.subject.row->accumulate), name_of(x), bound_text(x.built),
                       error_text(x.built));
  }
  const auto naive = std::find_if(a.table.begin(), a.table.end(), [&](const Advised& x) {
    const Row& row = *x.candidate.subject.row;
    return row.algorithm == "naive" && row.accumulate == stable_accumulate(a.plan.setting.dtype);
  });
  if (naive != a.table.end() && naive - a.table.begin() != a.use) {
    out += fmt::format(" {} (E[x^2]-E[x]^2) {}; {} is the largest known", name_of(*naive),
                       naive->built.proven()
                           ? fmt::format("is proven to {} only", bound_text(naive->built))
                           : fmt::format("is not proven: its bound is void on {} of these {} rows",
                                         naive->built.void_rows, naive->built.rows),
                       error_text(naive->built));
    out += ".";
  }
  return out;
}

}  // namespace

std::string advice_text(const Advice& a) {
  const Setting& s = a.plan.setting;
  const auto line = [](std::string_view label, const std::string& text) {
    return fmt::format("{:<9}{}", label, wrapped(text, 9));
  };
  std::string out;
  if (!a.plan.layers.empty()) {
    out += layers_text(a.plan.layers);
    out += wrapped(fmt::format(
                       "eps/var: the largest. cheapest: of the candidates below, the first that is proven to "
                       "keep {} on the rows of the layer that were run, {} in all",
                       a.limit.text(), counted(a.mine_rows, "row")),
                   0) +
           "\n";
  }
  out +=
      line("asked", fmt::format("{}, n {}, kappa {} (sqrt(1 + mean^2/var)), eps {}{}", dtype_name(s.dtype),
                                grouped(s.n), short_number(s.kappa), exact_decimal(s.eps),
                                a.plan.passes > 0 ? fmt::format(", at most {} passes", a.plan.passes) : ""));
  out += line(
      "unit",
      fmt::format("of errors: ulp of the row's largest |y|, which is {} for |y| from 1 to 2; a y "
                  "that is rounded correctly is within 0.5. The report tells errors in ulp of each y itself, "
                  "which is the smaller unit where y is near 0. In brackets the largest absolute error, of "
                  "whichever row",
                  short_number(ulp(s.dtype, 1))));
  out += line("proven",
              fmt::format("the bound of the row of the table itself, evaluated on {} rows of this n with "
                          "kappa up to this (two values about the mean, normal, a ramp, one element "
                          "near 0, regimes, {} found by a search); the largest. void: no bound there",
                          a.rows, a.searched > 0 ? std::to_string(a.searched) : "none"));
  out += line("known", "the largest error seen on these rows: nothing says that there is none larger");
  out += line("cost",
              "operations an element, a division as 8, a pass as 2, f64 twice, f80 four times: an order, "
              "no time");
  out += "\n" + table_text(a) + "\n";
  out += line("formula",
              "to first order, for all rows of this n and kappa (sd: sqrt(var); u: 2^-24 in f32, 2^-53 "
              "in f64):");
  const int told = a.use >= 0 ? a.use : a.sharpest;
  for (std::size_t i = 0; i < a.table.size(); ++i) {
    const Row& row = *a.table[i].candidate.subject.row;
    const bool plain = row.accumulate == stable_accumulate(s.dtype) && row.variant.finish == Finish::direct;
    if (static_cast<int>(i) != told && !(plain && (row.algorithm == "naive" || row.algorithm == "two_pass")))
      continue;
    out += fmt::format("{:9}{}", "", wrapped(formula_text(a.table[i], s), 9));
  }
  if (told >= 0 && a.use_breaks)
    out += line("breaks", fmt::format("{}: {}", name_of(a.table[static_cast<std::size_t>(told)]),
                                      breaks_text(*a.use_breaks, s, a.limit)));
  if (a.naive_breaks) {
    const std::string_view naive = s.dtype == DType::f64 ? "naive/f64" : "naive/f32";
    if (told < 0 || name_of(a.table[static_cast<std::size_t>(told)]) != naive)
      out += line("", fmt::format("{}: {}", naive, breaks_text(*a.naive_breaks, s, a.limit)));
  }
  for (const Advised& x : a.table) {
    const std::int64_t exceeded = x.built.exceeded + (x.mine ? x.mine->exceeded : 0);
    if (exceeded > 0)
      out += line("FAIL",
                  fmt::format("{}: an error above its own bound in {} rows: the bound or the row is wrong",
                              name_of(x), exceeded));
  }
  return out + "\n" + wrapped(sentence(a), 0);
}

}  // namespace normcheck

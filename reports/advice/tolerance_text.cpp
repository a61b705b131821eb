// Tells what a tolerance is worth: a table, the mistakes that pass, and a sentence.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/advice/tolerance.h"
#include "reports/console.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

std::string line(std::string_view label, const std::string& text) {
  return fmt::format("{:<9}{}", label, wrapped(text, 9));
}

std::string number(double v) { return std::isfinite(v) ? exact_decimal(v) : "none"; }

std::string pair_text(const Tolerance& t) {
  return fmt::format("atol {}, rtol {}", number(t.atol), number(t.rtol));
}

/// "another divisor: B045 B046; one-pass variance: B001".
std::string by_kind(const std::vector<const Compared*>& mistakes) {
  std::map<std::string, std::vector<std::string>> kinds;
  for (const Compared* m : mistakes) kinds[m->kind].push_back(m->name);
  std::string out;
  for (const auto& [kind, ids] : kinds)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", kind, fmt::join(ids, " "));
  return out;
}

std::string table_text(const Weighed& w) {
  std::string out = fmt::format("{:<8}  {:>9}  {:>9}  {:>17}  {:>19}  {:>20}\n", "", "atol", "rtol",
                                "right rows failed", "passed, not proven", "mistakes let through");
  for (const Verdicts& v : w.lines) {
    const bool any = std::isfinite(v.tolerance.atol);
    const auto share = [&](std::size_t part, std::int64_t whole) {
      return any ? fmt::format("{} of {}", part, whole) : std::string("-");
    };
    out += fmt::format("{:<8}  {:>9}  {:>9}  {:>17}  {:>19}  {:>20}\n", v.label, number(v.tolerance.atol),
                       number(v.tolerance.rtol), share(v.false_alarms.size(), w.right),
                       share(v.unproven.size(), w.right), share(v.let_through.size(), w.off));
  }
  return out;
}

/// "enough, or blind?".
std::string verdict_of_yours(const Weighed& w, const Verdicts& v) {
  const std::size_t index = 2;
  std::string out = fmt::format("{}: ", pair_text(v.tolerance));
  if (!v.false_alarms.empty()) {
    const Compared* worst = *std::max_element(
        v.false_alarms.begin(), v.false_alarms.end(),
        [&](const Compared* a, const Compared* b) { return a->needed[index] < b->needed[index]; });
    out += fmt::format("too tight. {} of {} right rows fail it on these rows ({} needs atol {})",
                       v.false_alarms.size(), w.right, worst->name, number(round_up(worst->needed[index])));
  } else if (!v.unproven.empty()) {
    out += fmt::format("enough here: no right row failed it; {} of them {} not proven to pass it always",
                       v.unproven.size(), v.unproven.size() == 1 ? "is" : "are");
  } else {
    out += "enough: every right row is proven to pass it on these rows";
  }
  if (v.let_through.empty()) {
    out += fmt::format(". It sees all {} known mistakes that show on such data.", w.off);
  } else {
    out += fmt::format(". {} to {} of {} known mistakes that show on such data.",
                       v.let_through.size() * 2 > static_cast<std::size_t>(w.off) ? "Blind" : "Partly blind,",
                       v.let_through.size(), w.off);
  }
  return out;
}

/// The trade-off: a line a decade, and the mistakes that begin to pass there.
std::string curve_text(const Weighed& w) {
  std::string out = fmt::format("{:>8}  {:>17}  {:>20}  {}\n", "atol", "right rows failed",
                                "mistakes let through", "which begin to pass");
  std::vector<const Compared*> before;
  for (const Verdicts& v : w.curve) {
    std::vector<std::string> fresh;
    for (const Compared* m : v.let_through) {
      if (std::find(before.begin(), before.end(), m) == before.end()) fresh.push_back(m->name);
    }
    before = v.let_through;
    constexpr std::size_t most = 7;
    std::string which = fmt::format(
        "{}", fmt::join(fresh.begin(),
                        fresh.begin() + static_cast<std::ptrdiff_t>(std::min(most, fresh.size())), " "));
    if (fresh.size() > most) which += fmt::format(" and {} more", fresh.size() - most);
    out += fmt::format("{:>8}  {:>17}  {:>20}  {}\n", short_number(v.tolerance.atol),
                       fmt::format("{} of {}", v.false_alarms.size(), w.right),
                       fmt::format("{} of {}", v.let_through.size(), w.off), fresh.empty() ? "none" : which);
  }
  return out;
}

std::string sentence(const Weighed& w) {
  const Verdicts &proven = w.lines[0], &known = w.lines[2];
  const std::string against =
      w.plan.ref ? fmt::format("against {}", w.plan.ref->row->name) : std::string("against the exact y");
  std::string out;
  if (std::isfinite(proven.tolerance.atol)) {
    out = fmt::format(
        "The smallest tolerance {} that no right row of the table can fail on these rows is {} (proven; {} "
        "decides). It "
        "lets {} of {} known mistakes through that show there.",
        against, pair_text(proven.tolerance), w.widest->name, proven.let_through.size(), w.off);
  } else {
    out = fmt::format("No tolerance {} is proven: {} has no bound on {} of {} such rows.", against,
                      w.widest->name, w.widest->void_rows, w.rows);
  }
  if (std::isfinite(known.tolerance.atol)) {
    out += fmt::format(
        " The largest distance known of a right row asks for atol {}, which lets {} through; a right "
        "one may be found that fails it.",
        number(known.tolerance.atol), known.let_through.size());
  }
  if (w.lines.size() > 4) out += " " + verdict_of_yours(w, w.lines[4]);
  return out;
}

}  // namespace

std::string tolerance_text(const Weighed& w) {
  const Setting& s = w.plan.setting;
  std::string out = line("asked", fmt::format("{}, n {}, kappa {}, eps {}, {}", dtype_name(s.dtype),
                                              grouped(s.n), short_number(s.kappa), exact_decimal(s.eps),
                                              w.plan.ref ? fmt::format("against {}", w.plan.ref->row->name)
                                                         : std::string("against the exact y")));
  out += line("test",
              "|got - expected| <= atol + rtol |expected| for every element, as torch.testing.assert_close "
              "has it");
  out += line(
      "data",
      !w.plan.data.empty()
          ? fmt::format(
                "{} rows of your own, with their gamma and beta: the worst by kappa and by eps/var of "
                "each layer, and some spread evenly",
                w.rows)
          : fmt::format("{} rows of this n with kappa up to this (two values about the mean, normal, a "
                        "ramp, one element near 0, regimes), gamma from 0.5 to 1.5, beta from -0.5 to 0.5",
                        w.rows));
  out += line("right", fmt::format("the {} right rows of the table for this dtype, each with its own bound{}",
                                   w.right, w.plan.ref ? ", and that of what it is compared with" : ""));
  out += line("mistakes",
              fmt::format("of {} known ones for this dtype (normcheck list --defects) {} are off on such "
                          "data by more than twice what any right row is; {} are not, {} that need a "
                          "process of their own were not run",
                          w.off + w.not_off + w.not_run, w.off, w.not_off, w.not_run));
  out += "\n" + table_text(w) + "\n";
  out += wrapped(
      "proven: the smallest that no right row can fail on these rows. known: the smallest that none "
      "failed. With rtol 0, and with the rtol that torch.testing has for the dtype. none: a bound is void",
      0);
  for (const Verdicts& v : w.lines) {
    const bool shown = v.tolerance.rtol == 0 || v.label == "yours";
    if (!shown || v.let_through.empty() || !std::isfinite(v.tolerance.atol)) continue;
    out += "\n" + wrapped(fmt::format("{} ({}) lets through: {}", v.label, pair_text(v.tolerance),
                                      by_kind(v.let_through)),
                          2);
  }
  if (w.lines.size() > 4 && !w.lines[4].false_alarms.empty()) {
    std::vector<std::string> names;
    for (const Compared* kernel : w.lines[4].false_alarms) names.push_back(kernel->name);
    out += "\n" + wrapped(fmt::format("yours fails right rows: {}", fmt::join(names, " ")), 2);
  }
  out += "\n" +
         wrapped("By atol alone (rtol 0), a decade a line: what a tolerance costs and what it buys.", 0) +
         curve_text(w);
  return out + "\n" + wrapped(sentence(w), 0);
}

}  // namespace normcheck

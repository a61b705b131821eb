// report.md: its tables of implementations, inputs, and what is published.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "reports/page/scatter.h"
#include "reports/results/markdown_text.h"

namespace normcheck {
namespace {

constexpr std::array<std::string_view, 4> dtypes = {"f32", "f64", "f16", "bf16"};

bool is_a_finding(const std::string& verdict) {
  return verdict == "FAIL" || verdict == "SUSPECT" || verdict == "CRASH" || verdict == "TIMEOUT";
}

/// "4.2 u, p99 0.5": the largest known normwise error, and what 99% of the elements keep.
std::string entry_cell(const Json& entry) {
  const Json& total = member(entry, "total");
  const std::string verdict = text_in(total, "verdict");
  std::string out = is_a_finding(verdict) ? fmt::format("**{}** ", verdict)
                    : verdict == "PASS"   ? ""
                                          : md_cell(verdict) + " ";
  const double largest = number_of(member(member(total, "largest"), "error_ulp"));
  if (std::isinf(largest)) out += "NaN or inf, ";
  const Json& normwise = member(member(total, "largest_normwise_finite"), "error_u");
  out += is_number(normwise) ? md_number(normwise, " u") : "none judged";
  if (is_number(member(total, "p99_ulp")))
    out += fmt::format(", p99 {}", md_number(member(total, "p99_ulp"), ""));
  return out + fmt::format(", share {}", md_number(member(total, "largest_share_of_bound"), ""));
}

const Json& implementation_of(const Json& results, const Json& name) {
  for (const Json& one : list_in(results, "implementations")) {
    if (member(one, "name") == name) return one;
  }
  return member(Json(), "");
}

/// Of the table, those whose variant is plain: the rest stands in results.csv.
bool is_shown(const Json& implementation, std::size_t all) {
  if (all <= 40 || text_in(implementation, "kind") != "row") return true;
  const std::string name = text_in(implementation, "name");
  return std::count(name.begin(), name.end(), '/') == 1 && name.find('+') == std::string::npos;
}

}  // namespace

std::string md_verdicts(const Json& results) {
  std::string out =
      "## Every implementation\n\nUnder the contract that is named, by dtype: the largest known normwise "
      "error of y, in "
      "u\\*(|gamma\\*x_hat|+|beta|) (where the exact y is next to 0 an ulp is tiny and a figure in ulp says "
      "little; it stands "
      "in `results.csv`); what 99% of the elements keep, in ulp; the largest *share* of its proven bound "
      "that an error "
      "reached: above 1 is a FAIL, near 1 is usual where the output is narrower than what is accumulated.\n";
  std::map<std::string, std::map<std::string, const Json*>> entries;
  for (const Json& entry : list_in(results, "entries"))
    entries[text_in(entry, "impl")][text_in(entry, "dtype")] = &entry;
  const Json& all = list_in(results, "implementations");
  std::size_t left_out = 0;
  std::string table =
      "\n| implementation | is held to be | f32 | f64 | f16 | bf16 |\n|---|---|---|---|---|---|\n";
  for (const Json& implementation : all) {
    const auto found = entries.find(text_in(implementation, "name"));
    if (found == entries.end()) continue;
    if (!is_shown(implementation, all.size())) {
      ++left_out;
      continue;
    }
    std::vector<std::string> cells = {md_cell(found->first)};
    cells.push_back(is_true(implementation, "right")
                        ? std::string("right")
                        : "wrong: " + md_cell(text_in(implementation, "expect")));
    for (const std::string_view dtype : dtypes) {
      const auto entry = found->second.find(std::string(dtype));
      cells.push_back(entry == found->second.end() ? "-" : entry_cell(*entry->second));
    }
    table += md_row(cells);
  }
  if (left_out > 0)
    out += fmt::format(
        "{} variants (another finish, root, division or build) are left out here and stand in "
        "`results.csv`.\n",
        left_out);
  return out + table + "\n";
}

std::string md_champions(const Json& results) {
  const Json& list = list_in(results, "champions");
  std::string out = "## The largest known errors, with their inputs\n\n";
  if (list.empty()) return out + "Not run.\n\n";
  // One an implementation and dtype, by the largest share; libraries first, then the best known.
  constexpr std::size_t most = 40;
  constexpr std::array<std::string_view, 6> first = {"naive/",    "two_pass/", "welford/",
                                                     "pairwise/", "chan/",     "compensated_mean/"};
  std::vector<const Json*> best;
  for (const Json& c : list) {
    const auto at = std::find_if(best.begin(), best.end(), [&](const Json* other) {
      return member(*other, "impl") == member(c, "impl") && member(*other, "dtype") == member(c, "dtype");
    });
    const auto share = [](const Json& one) { return number_of(member(one, "share_of_bound")); };
    if (at == best.end()) {
      best.push_back(&c);
    } else if (share(c) > share(**at)) {
      *at = &c;
    }
  }
  const auto rank = [&](const Json* c) {
    if (member(*c, "library").is_string()) return std::size_t{0};
    const std::string impl = text_in(*c, "impl");
    const auto at = std::find_if(first.begin(), first.end(),
                                 [&](std::string_view name) { return impl.starts_with(name); });
    return static_cast<std::size_t>(at - first.begin()) + 1;
  };
  std::stable_sort(best.begin(), best.end(), [&](const Json* a, const Json* b) { return rank(a) < rank(b); });
  out +=
      "| implementation | dtype | n | kappa | largest known | normwise | share of its bound | its input, "
      "replayed |\n|---|---|--:|--:|--:|--:|--:|---|\n";
  for (std::size_t i = 0; i < std::min(most, best.size()); ++i) {
    const Json& c = *best[i];
    std::string name = md_cell(text_in(c, "impl"));
    if (member(c, "version").is_string()) name += " " + md_cell(text_in(c, "version"));
    out += md_row({name, md_cell(text_in(c, "dtype")), count_in(c, "n"), md_number(member(c, "kappa"), ""),
                   md_number(member(c, "error_ulp"), " ulp"), md_number(member(c, "normwise_u"), " u"),
                   md_number(member(c, "share_of_bound"), ""), md_code(text_in(c, "command"))});
  }
  out += fmt::format(
      "\n{} in all stand in `results.json`: by share, in ulp and normwise, of short rows and long.\n",
      counted(static_cast<std::int64_t>(list.size()), "record"));
  return out + "\n";
}

std::string md_known_wrong(const Json& results) {
  std::string table;
  for (const Json& f : list_in(results, "findings")) {
    if (!is_true(f, "expected")) continue;
    const Json& worst = member(f, "worst");
    table += md_row({md_cell(text_in(f, "impl")), md_cell(text_in(f, "dtype")), md_cell(text_in(f, "case")),
                     md_number(member(worst, "got"), ""), md_number(member(worst, "want"), ""),
                     md_code(text_in(f, "replay"))});
  }
  if (table.empty()) return "";
  return "## Known to be wrong, and seen to be\n\nOne example of each that is expected to fail and did.\n\n| "
         "implementation | dtype | case | got | want | replay |\n|---|---|---|--:|--:|---|\n" +
         table + "\n";
}

std::string md_semantics(const Json& results) {
  std::string out =
      "## What each means by a layer norm\n\nObserved on small cases; implementations that say the same "
      "share a line.\n\n"
      "| implementations | eps | variance | constant rows | NaN and infinity | gamma and beta | refusals "
      "|\n|---|---|---|---|---|---|---|\n";
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;  // cells, names
  for (const Json& implementation : list_in(results, "implementations")) {
    const Json& s = member(implementation, "semantics");
    std::string constant = text_in(s, "constant_rows");
    if (constant.starts_with("y is not beta")) constant = "y is not beta on some";
    if (constant.starts_with("y = beta")) constant = "y = beta exactly";
    const std::vector<std::string> cells = {md_cell(text_in(s, "eps_place")),
                                            md_cell(text_in(s, "variance")),
                                            md_cell(constant),
                                            md_cell(text_in(s, "non_finite")),
                                            md_cell(text_in(s, "broadcasting")),
                                            md_cell(text_in(s, "refusals"))};
    auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == cells; });
    if (at == groups.end()) at = groups.insert(groups.end(), {cells, {}});
    at->second.push_back(md_cell(text_in(implementation, "name")));
  }
  for (auto& [cells, names] : groups) {
    const std::size_t more = names.size() > 5 ? names.size() - 4 : 0;
    if (more > 0) names.resize(4);
    std::string who = fmt::format("{}", fmt::join(names, ", "));
    if (more > 0) who += fmt::format(" and {} more", more);
    cells.insert(cells.begin(), who);
    out += md_row(cells);
  }
  return out + "\n";
}

namespace {

/// On rows of 1024 numbers at kappa 100, f32 data: the largest known error of y, of its proven bound.
std::string accuracy_text(const Json& results, const std::string& impl) {
  for (const Json& one : list_in(results, "accuracy")) {
    if (text_in(one, "impl") == impl && text_in(one, "dtype") == "f32" &&
        number_of(member(one, "kappa")) == 100)
      return fmt::format("{} of {}", md_number(member(one, "error_ulp"), ""),
                         md_bound(member(one, "bound_ulp"), ""));
  }
  return std::string(not_run_text);
}

}  // namespace

std::string md_cost(const Json& results) {
  std::string out = "## Cost against accuracy, and the bound to first order\n\n";
  for (const std::string_view dtype : {"f32", "f64"}) {
    if (page::cost_plot(results, dtype, "c"))
      out += fmt::format("![Cost against accuracy, {0}](svg/cost_vs_accuracy_{0}.svg)\n", dtype);
  }
  out +=
      "\nOperations are of mean and variance, counted, an element. Time is a ratio to two_pass/f32 on f32 "
      "data, "
      "taken in the same run; of sums in f64 it is in the second column. The error is the largest known of y "
      "on "
      "four f32 rows of 1,024 numbers at kappa 100, sums in f32, of the proven bound there, in ulp. The "
      "bounds "
      "in the last column are to be read; no verdict uses these: what is proven has every term and is "
      "evaluated "
      "on each row of data. u: unit roundoff of the accumulate type. mu, V: mean and variance. D = "
      "mean|x-mu|. "
      "E: the bound of the mean. h: height of the summation tree.\n\n"
      "| algorithm | operations | time, f32 sums | f64 sums | error, ulp | order depends on n alone | "
      "first-order "
      "bound |\n|---|---|--:|--:|--:|---|---|\n";
  std::vector<std::string> told;
  for (const Json& implementation : list_in(results, "implementations")) {
    const std::string algorithm = text_in(implementation, "algorithm");
    if (!member(implementation, "algorithm").is_string() ||
        std::find(told.begin(), told.end(), algorithm) != told.end())
      continue;
    told.push_back(algorithm);
    // Of its plain rows, where they were run.
    const auto time = [&](std::string_view sums) {
      return md_number(
          member(implementation_of(results, fmt::format("{}/{}", algorithm, sums)), "time_ratio_on_f32"), "");
    };
    out += md_row({md_cell(algorithm), md_cell(text_in(implementation, "operations")), time("f32"),
                   time("f64"), accuracy_text(results, algorithm + "/f32"),
                   md_cell(text_in(implementation, "batch_invariant_merge")),
                   md_code(text_in(implementation, "bound_text"))});
  }
  return out + "\n";
}

std::string md_public_inputs(const Json& results) {
  const Json& list = list_in(results, "public_inputs");
  if (list.empty()) return "";
  constexpr std::array<std::string_view, 4> families = {"naive", "two_pass", "welford", "half"};
  std::string out = fmt::format(
      "## Inputs from public bug reports\n\n{} inputs on which somebody's normalisation went wrong, under "
      "`stable`:\n\n| layer "
      "norm | fails | of |\n|---|--:|--:|\n",
      list.size());
  const auto failed = [](const Json& result) { return is_a_finding(text_in(result, "verdict")); };
  for (const std::string_view family : families) {
    std::int64_t run = 0, wrong = 0;
    for (const Json& input : list) {
      run += member(input, family).is_object() ? 1 : 0;
      wrong += failed(member(input, family)) ? 1 : 0;
    }
    out += md_row({std::string(family), grouped(wrong), grouped(run)});
  }
  constexpr std::size_t most = 20;
  std::string table = "| input | dtype | naive | two_pass | welford | half |\n|---|---|---|---|---|---|\n";
  std::size_t shown = 0, telling = 0;
  for (const Json& input : list) {
    if (std::none_of(families.begin(), families.end(),
                     [&](std::string_view f) { return failed(member(input, f)); }))
      continue;
    ++telling;
    if (shown == most) continue;
    ++shown;
    std::vector<std::string> cells = {md_cell(text_in(input, "case")), md_cell(text_in(input, "dtype"))};
    for (const std::string_view family : families) {
      const Json& result = member(input, family);
      if (!result.is_object()) {
        cells.push_back("-");
        continue;
      }
      cells.push_back(fmt::format("{}{}", md_cell(text_in(result, "verdict")),
                                  is_number(member(result, "error_ulp"))
                                      ? " " + md_number(member(result, "error_ulp"), " ulp")
                                      : ""));
    }
    table += md_row(cells);
  }
  return out + fmt::format("\nOf the {} on which one of them fails, {}:\n\n", telling, shown) + table + "\n";
}

std::string md_detection(const Json& results) {
  const Json& d = member(results, "detection");
  std::string out = "## Known mistakes, found\n\n";
  if (!d.is_object()) return out + "Not run.\n\n";
  out += fmt::format(
      "{} of {} runs of {} mistakes from public reports were caught, in {} ms at the median ({}, `{}`). What "
      "others test with:\n\n"
      "| test | shows | of | fails right kernels |\n|---|--:|--:|---|\n",
      count_in(d, "caught"), count_in(d, "runs"), count_in(d, "mistakes"),
      md_number(member(d, "median_ms"), ""), md_cell(text_in(d, "source")), text_in(d, "command"));
  for (const Json& other : list_in(d, "others")) {
    std::vector<std::string> fails;
    for (const Json& name : list_in(other, "fails_right")) fails.push_back(md_cell(text_of(name)));
    out += md_row({md_cell(text_in(other, "what")), count_in(other, "shows"), count_in(other, "of"),
                   fails.empty() ? std::string("none") : fmt::format("{} of them", fails.size())});
  }
  return out + "\n";
}

std::string md_peers(const Json& results) {
  const Json& peers = member(results, "peers");
  std::string out = "## Real libraries\n\n";
  if (!peers.is_object()) return out + "Not run.\n\n";
  out += fmt::format(
      "From `{}` ({}). The command shows the largest normwise error again.\n\n| library | version | dtype | "
      "verdict | largest known | normwise | share of `stable`'s bound | replay |\n"
      "|---|---|---|---|--:|--:|--:|---|\n",
      text_in(peers, "command"), md_cell(text_in(peers, "source")));
  for (const Json& entry : list_in(peers, "entries")) {
    const Json& total = member(entry, "total");
    const Json& verdicts = member(total, "verdicts");
    const Json& normwise = member(total, "largest_normwise_finite");
    const std::int64_t fails =
        integer_in(verdicts, "FAIL") + integer_in(verdicts, "SUSPECT") + integer_in(verdicts, "CRASH");
    out += md_row({md_cell(text_in(entry, "peer")), md_cell(text_in(entry, "version")),
                   md_cell(text_in(entry, "dtype")),
                   !verdicts.is_object() ? std::string(not_run_text)
                   : fails > 0           ? fmt::format("FAIL, {}: {} of {}",
                                             list_in(entry, "unexpected").empty() ? "as known" : "unexpected",
                                                       fails, count_in(total, "cases"))
                                         : "PASS",
                   md_number(member(member(total, "largest_finite"), "error_ulp"), " ulp"),
                   md_number(member(normwise, "error_u"), " u"),
                   md_number(member(total, "largest_share_of_bound"), ""),
                   member(normwise, "command").is_string() ? md_code(text_in(normwise, "command"))
                                                           : md_cell(text_in(normwise, "case"))});
  }
  return out + "\n";
}

}  // namespace normcheck

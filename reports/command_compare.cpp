// normcheck compare: two implementations against each other and the truth, and the input that parts them
// most.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "oracles/bound.h"
#include "oracles/row_input.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/numbers.h"
#include "reports/parting.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

/// "error 3.1 ulp, 0.02 of its own bound".
std::string error_against_bound(const Row& row, RowInput& input, const ExactValue& exact, std::int64_t column,
                                std::uint64_t got) {
  const Case& c = *input.problem;
  const double error = std::fabs(exact.error_ulp(c.x.dtype, got));
  if (error == 0) return "exact";
  const RowAllowance allowance({ContractKind::own, &row}, c.x.dtype, input.condition.facts(), c.eps);
  const std::string text = std::isfinite(error) ? short_number(error) + " ulp" : "inf";
  if (allowance.voided()) return fmt::format("error {}, no bound holds", text);
  const double allowed = allowance.y(input.element(column).facts).y;
  const double share = allowed > 0 ? std::ldexp(error, exact.ulp_exponent(c.x.dtype)) / allowed : INFINITY;
  return fmt::format("error {}, {} of its own bound", text, short_number(share));
}

/// Writes the case under OUT/compare and returns its path; one case has one name.
std::string keep(Case& c, const Row& a, const Row& b, const Options& options, const std::string& from) {
  const auto stem = [](std::string_view name) {
    std::string out(name);
    for (char& ch : out) {
      if (ch == '/' || ch == '+') ch = '-';
    }
    return out;
  };
  c.id = fmt::format("{}-against-{}-{}", stem(a.name), stem(b.name), dtype_name(c.x.dtype)).substr(0, 128);
  c.notes = {fmt::format("parts {} and {}; found from {}", a.name, b.name, from)};
  const std::string text = format_case(c);
  const auto folder = std::filesystem::path(options.out) / "compare";
  make_folder(folder, "--out");
  const auto path = folder / fmt::format("{}-{}.case", c.id, sha256_hex(text).substr(0, 8));
  write_file_atomically(path, text);
  return path.string();
}

void print_parting(Parting& most, const Row& a, const Row& b, const Options& options) {
  const std::string file = keep(most.problem, a, b, options, most.from);
  const Case& c = most.problem;
  const DType dtype = c.x.dtype;
  RowInput input(c);
  input.load(0, a.reads_prefixes || b.reads_prefixes);
  const std::int64_t at = most.column;
  const ExactValue exact = input.exact_row().y(at, input.gamma_at(at), input.beta_at(at));
  ElementReport element;
  element.column = at;
  fmt::print("  they part most  {}\n",
             std::isfinite(most.apart_ulp)
                 ? fmt::format("{} ulp apart (of |gamma|+|beta|, or of y where that is larger)",
                               short_number(most.apart_ulp))
                 : "a number against none");
  fmt::print("    input         {}, {}, eps {}, kappa {}{}\n", most.from, problem_text(c),
             exact_decimal(c.eps), short_number(input.condition.facts().kappa),
             most.steps == 0 ? ""
                             : fmt::format("; {} from {} ulp apart", counted(most.steps, "step"),
                                           short_number(most.found_ulp)));
  fmt::print("    y{}\n", element_index(c, element));
  for (const auto& [letter, row] : {std::pair("A", &a), std::pair("B", &b)}) {
    const std::uint64_t got = run_case(*row, c).y.bits(at);
    fmt::print("      {:<12}{:<40}  {}\n", letter, hex_and_decimal(dtype, got),
               error_against_bound(*row, input, exact, at, got));
  }
  fmt::print("      {:<12}{}\n", "exact", hex_and_decimal(dtype, exact.round(dtype), exact.to_double()));
  for (const auto& [letter, row] : {std::pair("A", &a), std::pair("B", &b)}) {
    fmt::print("    replay {}      {}\n", letter,
               replay_line(options.program, replay_arguments(file, row->name, "own")));
  }
}

void print_search(PartingSearch& found, const Row& a, const Row& b, DType dtype, const Options& options,
                  const Style& style) {
  fmt::print("{}  {}, {} of data, {} elements\n", style.bold(fmt::format("{}", dtype_name(dtype))),
             counted(found.cases, "case"), counted(found.rows, "row"), grouped(found.all.elements()));
  fmt::print("{}", comparison_text(found.all, "A", "B"));
  if (found.most) {
    print_parting(*found.most, a, b, options);
  } else if (found.all.equal == found.all.elements()) {
    fmt::print("  they part nowhere\n");
  } else {
    fmt::print("  they part only where neither has a bound, or outside the safe range of one\n");
  }
}

}  // namespace

Exit run_compare(const Options& options) {
  const Style style{colour_wanted()};
  const Row &a = row_named(options.names[0], options), &b = row_named(options.names[1], options);
  std::vector<DType> dtypes;
  for (const DType dtype : dtypes_of(a, dtypes_named(options.dtypes))) {
    if (offers(a, dtype) && offers(b, dtype)) dtypes.push_back(dtype);
  }
  if (dtypes.empty()) {
    throw InputError(
        fmt::format("{} and {} have none of the dtypes asked for in common; normcheck list says "
                    "what each offers",
                    a.name, b.name));
  }
  if (options.budget && options.budget->seconds > 0)
    throw InputError("--budget: compare takes a number of rows, such as 4000; a time would not repeat");
  const SweepPlan plan = make_plan(options, 4000);
  require_writable(options.out, "--out");
  fmt::print("A  {}\nB  {}\n", a.name, b.name);
  Progress progress;
  for (const DType dtype : dtypes) {
    PartingSearch found =
        search_parting(a, b, dtype, plan, [&](double share) { progress.step(dtype_name(dtype), share, 1); });
    progress.clear();
    fmt::print("\n");
    print_search(found, a, b, dtype, options, style);
    std::fflush(stdout);
  }
  return Exit::well;
}

}  // namespace normcheck

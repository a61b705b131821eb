// Probes of numbers: which arguments are there, and how many rows.
#include <fmt/format.h>

#include "reports/probe_run.h"

namespace normcheck {
namespace {

std::vector<Case> two_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {3, 33}), ordinary_case(subject, {2, 1000})};
}

void run_affine(ProbeRun& run, const Case& base) {
  for (const bool gamma : {true, false}) {
    for (const bool beta : {true, false}) {
      Case c = base;
      if (!gamma) c.gamma.reset();
      if (!beta) c.beta.reset();
      run.call(c, fmt::format("{} gamma, {} beta", gamma ? "with" : "without", beta ? "with" : "without"));
    }
  }
}

std::string no_statistics(const ProbeRun& run) {
  return run.claims().stats == HostClaims::Statistics::none ? "stats=none is claimed" : "";
}

void run_statistics(ProbeRun& run, const Case& base) {
  if (!run.plain(base, "neither mean nor rstd is asked for").is_right()) return;
  const std::string_view claim = !run.claims().stats                                  ? ""
                                 : *run.claims().stats == HostClaims::Statistics::f32 ? "stats=f32"
                                                                                      : "stats=x";
  run.demand(base, "mean alone is asked for", claim, {.mean = true});
  run.demand(base, "rstd alone is asked for", claim, {.rstd = true});
  run.demand(base, "mean and rstd are asked for", claim, {.mean = true, .rstd = true});
}

std::vector<Case> half_cases(const ProbeSubject& subject) {
  return is_half(subject.dtype) ? two_cases(subject) : std::vector<Case>{};
}

void run_parameters(ProbeRun& run, const Case& base) {
  using Parameters = HostClaims::Parameters;
  const auto claimed = run.claims().gamma;
  for (const DType dtype : {base.x.dtype, DType::f32}) {
    Case c = base;
    if (c.gamma) c.gamma = converted(*base.gamma, dtype);
    if (c.beta) c.beta = converted(*base.beta, dtype);
    const bool own = dtype == base.x.dtype;
    const bool demanded = claimed && (*claimed == Parameters::any || (*claimed == Parameters::as_x) == own);
    const std::string_view claim = !demanded                     ? ""
                                   : *claimed == Parameters::any ? "gamma=any"
                                   : own                         ? "gamma=x"
                                                                 : "gamma=f32";
    run.demand(c, fmt::format("gamma and beta are {}", dtype_name(dtype)), claim);
  }
}

void run_as_it_is(ProbeRun& run, const Case& base) { run.call(base, "as it is"); }

std::vector<Case> single_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {1, 1}), ordinary_case(subject, {5, 1})};
}
std::vector<Case> empty_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {0, 8}), ordinary_case(subject, {2, 0, 33})};
}
std::vector<Case> rank_one_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {33}), ordinary_case(subject, {1000})};
}
std::vector<Case> dims_cases(const ProbeSubject& subject) {
  std::vector<Case> out;
  for (const std::int64_t k : {1, 2, 3}) out.push_back(ordinary_case(subject, {2, 3, 20}, k));
  for (const std::int64_t k : {1, 2, 3}) out.push_back(ordinary_case(subject, {3, 2, 4, 5}, k));
  return out;
}

/// 1 to 4097: every power of two and its neighbours; the last have more than 65,536 elements, past which an
/// index of 16 bits begins again.
std::vector<Case> row_count_cases(const ProbeSubject& subject) {
  std::vector<Case> out;
  const auto add = [&](std::int64_t rows) {
    if (out.empty() || rows > row_count(out.back()))
      out.push_back(ordinary_case(subject, {rows, rows < 4095 ? 9 : 17}));
  };
  for (std::int64_t power = 1; power <= 4096; power *= 2) {
    for (const std::int64_t rows : {power - 1, power, power + 1}) {
      if (rows > 0) add(rows);
    }
  }
  // And past 65,535 rows, the largest grid of some devices, in one of its dims.
  out.push_back(ordinary_case(subject, {65537, 2}));
  return out;
}

/// In one call, and the same rows in three.
void run_row_counts(ProbeRun& run, const Case& base) {
  const Seen whole = run.call(base, "all rows in one call");
  const std::int64_t rows = row_count(base), chunk = (rows + 2) / 3;
  if (!whole.is_right() || base.x.shape.size() < 2 || rows < 2) return;
  for (std::int64_t from = 0; from < rows; from += chunk) {
    std::vector<std::int64_t> some;
    for (std::int64_t r = from; r < std::min(rows, from + chunk); ++r) some.push_back(r);
    run.compare(with_rows(base, some), whole.observation.y, some,
                fmt::format("rows {} to {} of {} in a call of their own", from, some.back(), rows),
                run.claims().batch_invariant);
  }
}

constexpr Probe listed[] = {
    {"affine", ProbeGroup::numbers, "gamma and beta, each there or absent", &two_cases, &run_affine},
    {"statistics", ProbeGroup::numbers, "mean and rstd, asked for singly and together", &two_cases,
     &run_statistics, &no_statistics},
    {"parameter_dtype", ProbeGroup::numbers, "gamma and beta of a half in x's dtype, and in f32", &half_cases,
     &run_parameters},
    {"one_element", ProbeGroup::numbers, "n = 1: y is beta", &single_cases, &run_as_it_is},
    {"zero_rows", ProbeGroup::numbers, "no rows: an empty y", &empty_cases, &run_as_it_is},
    {"rank_one", ProbeGroup::numbers, "one dim, which is normalized: no leading one", &rank_one_cases,
     &run_as_it_is},
    {"dims", ProbeGroup::numbers, "one to three leading dims, and as many normalized together", &dims_cases,
     &run_as_it_is},
    {"row_counts", ProbeGroup::numbers,
     "1 to 4097 rows, each power of two and its neighbours, and 65,537, in one call and in three",
     &row_count_cases, &run_row_counts, nullptr, false, true},
};

}  // namespace

std::span<const Probe> number_probes() { return listed; }

}  // namespace normcheck

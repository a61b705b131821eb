// Fuzz target: do the mean and the variance of every algorithm, and of any careful form, keep their bounds?
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/claims.h"
#include "fuzz/decode.h"
#include "fuzz/feedback.h"
#include "fuzz/finding.h"
#include "fuzz/in_flight.h"
#include "fuzz/subjects.h"
#include "fuzz/target.h"
#include "impl/arithmetic/half.h"
#include "impl/arithmetic/native.h"
#include "impl/semantics.h"
#include "impl/trace.h"
#include "oracles/bound.h"
#include "oracles/condition.h"
#include "oracles/exact.h"
#include "props/any_form.h"

namespace normcheck {
namespace {

/// Exact moments of a long row of f64 take milliseconds.
constexpr std::int64_t longest_row = 512;
/// The seeds that a careful form's choices are drawn from, for one case.
constexpr std::uint64_t draws = 256;

/// One row of a case, as a case of its own: without gamma and beta, which the moments do not see.
Case row_of(const Case& c, std::int64_t row) {
  const std::int64_t n = row_length(c), kept = std::min(n, longest_row);
  Case out;
  out.id = c.id;
  out.eps = c.eps;
  out.x = Tensor(c.x.dtype, {1, kept});
  for (std::int64_t i = 0; i < kept; ++i) out.x.set_bits(i, c.x.bits(row * n + i));
  return out;
}

/// A row of data with what is known of it.
struct Data {
  std::vector<double> x;
  RowCondition condition;
  ExactRow exact;

  explicit Data(const Case& c) : x(values(c)), exact(x.data(), c.x.size(), 0) {
    condition.fill(x.data(), c.x.size(), true);
  }
  static std::vector<double> values(const Case& c) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < c.x.size(); ++i) out.push_back(c.x.value(i));
    return out;
  }
};

struct Outcome {
  std::string fault;
  double share = 0;  ///< the largest |error|/bound
};

void compare(Outcome& out, const char* what, double got, const ExactValue& exact, double bound) {
  if (!std::isfinite(bound)) return;
  if (std::isfinite(got) && bound > 0) {  // by the error in ulp: a difference of doubles would be off by one
    const double ulps = exact.error_ulp(DType::f64, std::bit_cast<std::uint64_t>(got));
    out.share = std::max(out.share, std::ldexp(std::fabs(ulps), exact.ulp_exponent(DType::f64)) / bound);
  }
  if (std::isfinite(got) && exact.within(got, bound)) return;
  char text[160];
  std::snprintf(text, sizeof text, "%s %a (%.9g), exact %.9g, allowed %.3g", what, got, got,
                exact.to_double(), bound);
  out.fault = text;
}

/// Moments against their bound; where an intermediate may overflow there is none.
Outcome compare(std::string_view who, Moments<double> got, const Data& data, const MomentBound& proven) {
  Outcome out;
  if (!proven.in_range) return out;
  const MomentBound bound = claimed_bound(who, proven);
  compare(out, "variance", got.var, data.exact.variance(), bound.variance.value());
  compare(out, "mean", got.mean, data.exact.mean(), bound.mean.value());
  if (bound.variance_nonnegative && !(got.var >= 0)) out.fault = "the variance is negative or NaN";
  if (bound.mean_exact && data.exact.mean().compare(got.mean) != 0) out.fault = "the mean is not exact";
  return out;
}

Outcome compare_row(const Row& row, const Case& c, const Data& data) {
  const RowTrace trace = trace_row(row, c, 0);
  const RowFacts& facts = data.condition.facts();
  const Working format = working(row.accumulate);
  MomentBound bound = row.moments(facts, format);
  const Narrowing to_double = narrowing(format, DType::f64);  // a trace is in doubles
  bound.mean = to_double(bound.mean, Upward(facts.mean_abs));
  bound.variance = to_double(bound.variance, Upward(facts.variance));
  bound.mean_exact = bound.mean_exact && to_double.u == 0;
  return compare(row.name, {trace.mean, trace.variance}, data, bound);
}

/// As careful_forms() has them.
constexpr std::array<const char*, 2> form_names = {"sums-in-any-order", "any-merge-tree"};

/// A careful form in R, with choices drawn by `draw`, against the bound that `stable` takes for it.
template <class R>
Outcome compare_form(std::size_t form, std::uint64_t draw, const Case& c, const Data& data) {
  std::vector<R> x;
  for (const double v : data.x) x.push_back(ArithmeticTraits<R>::from_double(v));
  CounterRng rng(draw, form);
  if (draw % 2 == 1)  // in another order
    for (std::size_t i = x.size() - 1; i > 0; --i) std::swap(x[i], x[rng.below(i + 1)]);
  const std::span<const R> row(x);
  const Moments<R> m = form == 0 ? two_pass_in_any_order(rng, row) : tree_by_reciprocal(rng, row);
  return compare(form_names[form],
                 {ArithmeticTraits<R>::to_double(m.mean), ArithmeticTraits<R>::to_double(m.var)}, data,
                 careful_forms()[form](data.condition.facts(), working(stable_accumulate(c.x.dtype))));
}
Outcome compare_form(std::size_t form, std::uint64_t draw, const Case& c, const Data& data) {
  return c.x.dtype == DType::f64 ? compare_form<double>(form, draw, c, data)
                                 : compare_form<float>(form, draw, c, data);
}
bool is_finite_row(const Case& c) {
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    if (!std::isfinite(c.x.value(i))) return false;
  }
  return c.x.size() > 0;
}

using Question = std::function<std::string(const Case&)>;

Finding of_moments(std::string who, const Question& fault) {
  Finding out;
  out.who = std::move(who);
  out.promise = "moments";
  const auto asked = [fault](const Case& k) {
    return refusal(k) || row_count(k) != 1 || !is_finite_row(k) ? std::string() : fault(k);
  };
  out.again = [asked](const Case& k) { return !asked(k).empty(); };
  out.words = [asked, who = out.who](const Case& k) {
    return finding_head("FAIL", who, k, "moments") + "  " + asked(k) + "\n";
  };
  out.replay = [](const std::string& file) { return std::string(target_name()) + " " + file; };
  return out;
}

void try_row(const Subject& subject, const Case& c, const Data& data) {
  const Row& row = *subject.row;
  const Outcome seen = compare_row(row, c, data);
  feed_back(subject.set, row.name, c.x.dtype, seen.share, data.condition.facts().kappa);
  if (seen.fault.empty()) return;
  report_finding(c, of_moments(std::string(row.name),
                               [&row](const Case& k) { return compare_row(row, k, Data(k)).fault; }));
}

void try_form(std::size_t form, std::uint64_t draw, const Case& c, const Data& data) {
  if (compare_form(form, draw, c, data).fault.empty()) return;
  report_finding(c, of_moments(form_names[form], [form](const Case& k) {
                   const Data again(k);
                   std::string out;
                   for (std::uint64_t d = 0; d < draws && out.empty(); ++d)
                     out = compare_form(form, d, k, again).fault;
                   return out;
                 }));
}

struct Asked {
  std::uint16_t selector;
  Extent extent;
};

void rerun(const Case& c, const void* context);

std::int64_t try_case(const Case& c, const Asked& asked) {
  if (!is_finite_row(c)) return 0;
  const InFlight flight(c, "moments", rerun, &asked);
  const Data data(c);
  std::vector<Subject> own;
  for (const Subject& s : subjects(c.x.dtype)) {
    if (s.contract.kind == ContractKind::own) own.push_back(s);
  }
  const bool all = asked.extent == Extent::all;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (all || i == asked.selector % own.size()) try_row(own[i], c, data);
  }
  for (std::size_t form = 0; form < form_names.size(); ++form) {
    for (std::uint64_t d = 0; d < draws; ++d) {
      if (all || d == asked.selector / draws) try_form(form, d, c, data);
    }
  }
  const auto forms = static_cast<std::int64_t>(form_names.size());
  return 2 *
         (all ? static_cast<std::int64_t>(own.size()) + forms * static_cast<std::int64_t>(draws) : 1 + forms);
}

void rerun(const Case& c, const void* context) {
  if (!refusal(c) && row_count(c) == 1) try_case(c, *static_cast<const Asked*>(context));
}

std::int64_t try_rows(const Case& c, const Asked& asked) {
  if (refusal(c) || c.x.size() == 0) return 0;
  const std::int64_t rows = row_count(c);
  std::int64_t checks = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (asked.extent == Extent::all || r == asked.selector % rows) checks += try_case(row_of(c, r), asked);
  }
  return checks;
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("normcheck-case ")) {
    constexpr CaseLimits limits = {.written = 1 << 14, .generated = 1 << 14};
    try {
      return try_rows(parse_case(text, "input", limits), {0, Extent::all});
    } catch (const InputError&) {
      return 0;
    }
  }
  const Decoded input = decode(bytes);
  return try_rows(input.c, {input.selector, extent});
}

}  // namespace normcheck

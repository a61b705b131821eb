// Tells conventions apart by cases on which they differ far more than any rounding.
#include "reports/results/semantics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "impl/plugin/plugin.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

Case case_of(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& x) {
  Case c;
  c.id = "semantics";
  c.x = Tensor(dtype, std::move(shape));
  for (std::size_t i = 0; i < x.size(); ++i) c.x.set_value(static_cast<std::int64_t>(i), x[i]);
  return c;
}

struct Convention {
  std::string_view eps_place, variance;
  double rstd;
};

/// Eight numbers of mean 1.5 and variance 5.25 with eps 0.25: the conventions differ by 4% and more.
void observe_formula(const Row& row, DType dtype, Semantics& out) {
  Case c = case_of(dtype, {1, 8}, {-2, -1, 0, 1, 2, 3, 4, 5});
  c.eps = 0.25;
  const Observation seen = run_case(row, c);
  if (seen.status != Status::ok) return;
  const double biased = 5.25, unbiased = 6;
  const std::array<Convention, 6> conventions = {
      {{"inside the root: sqrt(var+eps)", "biased: divides by n", 1 / std::sqrt(biased + c.eps)},
       {"inside the root: sqrt(var+eps)", "unbiased: divides by n-1", 1 / std::sqrt(unbiased + c.eps)},
       {"outside the root: sqrt(var)+eps", "biased: divides by n", 1 / (std::sqrt(biased) + c.eps)},
       {"outside the root: sqrt(var)+eps", "unbiased: divides by n-1", 1 / (std::sqrt(unbiased) + c.eps)},
       {"left out", "biased: divides by n", 1 / std::sqrt(biased)},
       {"left out", "unbiased: divides by n-1", 1 / std::sqrt(unbiased)}}};
  const auto off = [&](const Convention& convention) {
    double largest = 0;
    for (std::int64_t i = 0; i < 8; ++i) {
      const double want = (c.x.value(i) - 1.5) * convention.rstd;
      const double error = std::fabs(seen.y.value(i) / want - 1);
      largest = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(largest, error);
    }
    return largest;
  };
  const auto nearest =
      std::min_element(conventions.begin(), conventions.end(),
                       [&](const Convention& a, const Convention& b) { return off(a) < off(b); });
  // Two neighbours are 2% apart at least: nearer than half of that is one of them alone.
  const bool known = off(*nearest) < 0.01;
  out.eps_place = known ? nearest->eps_place : "none of the usual places";
  out.variance = known ? nearest->variance : "none of the usual divisors";
}

void observe_constant_rows(const Row& row, DType dtype, Semantics& out) {
  double largest = 0, of_value = 0;
  std::int64_t of_n = 0, rows = 0, wrong = 0;
  for (const std::int64_t n : {1, 3, 64, 1000}) {
    for (const double value : {1.0, 0.1, 1000.1, -7.3, 30000.0}) {
      const Case c = case_of(dtype, {1, n}, std::vector<double>(static_cast<std::size_t>(n), value));
      const Observation seen = run_case(row, c);
      if (seen.status != Status::ok) continue;
      double off = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        const double y = std::fabs(seen.y.value(i));
        off = std::isnan(y) ? std::numeric_limits<double>::infinity() : std::max(off, y);
      }
      ++rows;
      wrong += off > 0 ? 1 : 0;
      if (off > largest) largest = off, of_value = c.x.value(0), of_n = n;
    }
  }
  if (rows == 0) return;
  out.constant_rows =
      wrong == 0 ? fmt::format("y = beta exactly, on {} rows tried", rows)
                 : fmt::format("y is not beta on {} of {} rows tried; farthest {} (n = {}, all x = {})",
                               wrong, rows, std::isinf(largest) ? "NaN or inf" : short_number(largest), of_n,
                               exact_decimal(of_value));
}

void observe_non_finite(const Row& row, DType dtype, Semantics& out) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::vector<std::string> deviations;
  bool any = false;
  for (const auto& [name, value] : {std::pair("NaN", nan), {"inf", inf}, {"-inf", -inf}}) {
    const Case c = case_of(dtype, {2, 4}, {1, value, 2, 3, 1, 2, 3, 5});
    const Observation seen = run_case(row, c);
    if (seen.status != Status::ok) {
      deviations.push_back(fmt::format("{} in x is refused", name));
      continue;
    }
    any = true;
    std::int64_t numbers = 0, spoilt = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
      numbers += std::isnan(seen.y.value(i)) ? 0 : 1;
      spoilt += std::isfinite(seen.y.value(4 + i)) ? 0 : 1;
    }
    if (numbers > 0) deviations.push_back(fmt::format("{} in x: {} of 4 y are not NaN", name, numbers));
    if (spoilt > 0) deviations.push_back(fmt::format("{} in x spoils another row", name));
  }
  if (deviations.empty() && any) {
    out.non_finite = "a NaN or an infinity in x makes its whole row NaN, and no other row";
  } else if (!deviations.empty()) {
    out.non_finite = fmt::format("{}", fmt::join(deviations, "; "));
  }
}

void observe_refusals(const Row& row, DType dtype, Semantics& out) {
  const auto* implementation = dynamic_cast<const Implementation*>(row.outside);
  if (row.outside != nullptr && (implementation == nullptr || !implementation->ask_refusals)) return;
  const Case plain = case_of(dtype, {2, 4}, {1, 2, 3, 5, 1, 2, 3, 4});
  Case negative = plain, not_a_number = plain, no_dims = plain, wide = plain, narrow = plain;
  negative.eps = -1e-5;
  not_a_number.eps = std::numeric_limits<double>::quiet_NaN();
  no_dims.norm_ndim = 0;
  wide.gamma = Tensor(dtype, {2, 4});
  narrow.gamma = Tensor(dtype, {1});
  Case integers = plain;
  integers.x = Tensor(DType::i32, {2, 4});
  std::vector<std::string_view> accepted;
  const auto ask = [&](const Case& c, std::string_view what) {
    if (run_case(row, c).status == Status::ok) accepted.push_back(what);
  };
  ask(negative, "eps < 0");
  ask(not_a_number, "eps NaN");
  ask(no_dims, "norm_ndim 0");
  ask(wide, "gamma of x's whole shape");
  ask(integers, "integers as x");
  out.refusals = accepted.empty()
                     ? "refuses eps < 0 or NaN, norm_ndim 0, a gamma of another shape, integers as x"
                     : fmt::format("accepts what is to be refused: {}", fmt::join(accepted, ", "));
  out.broadcasting = run_case(row, narrow).status == Status::ok
                         ? "gamma of one element is broadcast"
                         : "none: gamma and beta have exactly the normalized shape, else they are refused";
}

std::string rounding_text(const Row& row) {
  if (row.outside != nullptr) {
    const std::string_view claims = row.outside->claims_text();
    return claims.empty() ? "claims nothing of how it rounds" : fmt::format("claims {}", claims);
  }
  const Variant& v = row.variant;
  std::string root = "1/sqrt by root and division";
  if (v.root != Root::divided)
    root = fmt::format("reciprocal root by an estimate of 14 bits and {}",
                       counted(newton_steps(v.root), "Newton step"));
  std::string out =
      fmt::format("every operation rounded to {}; {} finish; {}; {}; eps {}", dtype_name(row.accumulate),
                  finish_name(v.finish),
                  v.division == Division::by_count ? "divides by n" : "multiplies by a rounded 1/n", root,
                  v.eps_f64 ? "added in f64" : fmt::format("rounded to {}", dtype_name(row.accumulate)));
  if (v.x_hat_storage) out += "; x_hat rounded to the storage dtype before gamma";
  if (v.build == Build::fma) out += "; products and sums fused where the compiler finds them";
  if (v.build == Build::fast) out += "; built with -ffast-math";
  return out;
}

}  // namespace

Semantics observed_semantics(const Row& row, DType dtype) {
  Semantics out;
  observe_formula(row, dtype, out);
  observe_constant_rows(row, dtype, out);
  observe_non_finite(row, dtype, out);
  observe_refusals(row, dtype, out);
  out.rounding = rounding_text(row);
  return out;
}

}  // namespace normcheck

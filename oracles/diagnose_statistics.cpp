// Holds mean and rstd, as they came out, against what a kernel may have saved in their place.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "impl/semantics.h"
#include "oracles/diagnose.h"
#include "oracles/hypotheses.h"
#include "oracles/judge.h"
#include "oracles/row_input.h"

namespace normcheck {
namespace {

/// A number that a kernel has at hand for each row.
struct Saved {
  std::string name;
  std::function<Quad(const HypothesisRow&)> value;
};

Quad deviation(Quad w) { return 1 / reciprocal_root_of(w); }

std::vector<Saved> saved_values() {
  using Row = const HypothesisRow&;
  return {
      {"the mean", [](Row r) { return r.exact.mean; }},
      {"rstd", [](Row r) { return reciprocal_root_of(r.exact.variance + r.eps); }},
      {"the variance", [](Row r) { return r.exact.variance; }},
      {"var + eps", [](Row r) { return r.exact.variance + r.eps; }},
      {"the deviation sqrt(var + eps)", [](Row r) { return deviation(r.exact.variance + r.eps); }},
      {"the deviation without eps", [](Row r) { return deviation(r.exact.variance); }},
      {"rstd without eps", [](Row r) { return reciprocal_root_of(r.exact.variance); }},
      {"1/(var + eps)", [](Row r) { return 1 / (r.exact.variance + r.eps); }},
      {"rstd with eps outside the root", [](Row r) { return 1 / (deviation(r.exact.variance) + r.eps); }},
      {"rstd of the divisor n-1",
       [](Row r) {
         const auto n = static_cast<Quad>(r.n);
         return reciprocal_root_of(r.exact.variance * n / (n - 1) + r.eps);
       }},
      {"the sum of x", [](Row r) { return r.exact.mean * static_cast<Quad>(r.n); }},
      {"the sum of squared deviations", [](Row r) { return r.exact.variance * static_cast<Quad>(r.n); }},
      {"the mean with the other sign", [](Row r) { return -r.exact.mean; }},
      {"-mean*rstd", [](Row r) { return -r.exact.mean * reciprocal_root_of(r.exact.variance + r.eps); }},
      {"mean*rstd", [](Row r) { return r.exact.mean * reciprocal_root_of(r.exact.variance + r.eps); }},
      {"the mean square", [](Row r) { return r.exact.variance + r.exact.mean * r.exact.mean; }},
      {"0", [](Row) -> Quad { return 0; }},
      {"1", [](Row) -> Quad { return 1; }},
  };
}

/// The narrower type whose nearest number to the statistic, or the one beside it, each row holds; empty:
/// none.
std::string kept_narrow(const Case& c, const Tensor& got,
                        const std::function<Quad(const HypothesisRow&)>& value) {
  HypothesisRow row(c);
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
    if (format_of(dtype).precision >= format_of(got.dtype).precision) continue;
    bool all = true, any = false;
    for (std::int64_t r = 0; all && r < row_count(c); ++r) {
      if (!row.load(r)) continue;
      const double seen = got.value(r), exact = static_cast<double>(value(row));
      any = true;
      all = to_double(dtype, round_to(dtype, seen)) == seen &&
            std::fabs(seen - exact) <=
                2 * unit_roundoff(dtype) * std::fabs(exact) + std::ldexp(1.0, format_of(dtype).emin);
    }
    if (any && all) return std::string(dtype_name(dtype));
  }
  return {};
}

/// What explains one of the outputs; the statistic itself comes first, and is no explanation.
void explain(const Case& c, const Tensor& got, Output output, const Contract& contract,
             std::vector<Explanation>& out) {
  static const std::vector<Saved> all = saved_values();
  const std::size_t right = output == Output::mean ? 0 : 1;
  std::vector<std::int64_t> fits(all.size());
  std::int64_t rows = 0;
  RowInput input(c);
  HypothesisRow row(c);
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    if (!input.load(r, contract.reads_prefixes()) || !row.load(r)) continue;
    const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
    if (!allowance.in_range() || allowance.voided()) continue;
    const double allowed = output == Output::mean ? allowance.mean() : allowance.rstd();
    const double size = std::max(std::fabs(static_cast<double>(all[right].value(row))), 1e-300);
    if (!std::isfinite(allowed)) continue;
    ++rows;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Quad v = all[k].value(row);
      if (!std::isfinite(static_cast<double>(v))) {
        fits[k] += !std::isfinite(got.value(r)) ? 1 : 0;  // what has no value explains no number
        continue;
      }
      // In proportion to its size; for the mean, whose error is not, by the size of x.
      const double scale = std::max(1.0, static_cast<double>(abs(v)) / size);
      fits[k] += static_cast<double>(abs(v - got.value(r))) <=
                 allowed * scale + 4 * unit_roundoff(got.dtype) * static_cast<double>(abs(v));
    }
  }
  if (rows == 0 || fits[right] == rows) return;
  if (const std::string narrow = kept_narrow(c, got, all[right].value); !narrow.empty())
    out.push_back({fmt::format("{} rounded to {}", output_name(output), narrow), "", false, rows, rows});
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k != right && fits[k] == rows && 2 * fits[right] < rows)
      out.push_back({fmt::format("{} holds {}", output_name(output), all[k].name), "", false, rows, rows});
  }
}

}  // namespace

std::vector<Explanation> diagnose_statistics(const Case& c, const Observation& observed,
                                             const Contract& contract) {
  std::vector<Explanation> out;
  if (observed.status != Status::ok || refusal(c) || c.x.size() == 0) return out;
  if (observed.mean && observed.mean->size() == row_count(c))
    explain(c, *observed.mean, Output::mean, contract, out);
  if (observed.rstd && observed.rstd->size() == row_count(c))
    explain(c, *observed.rstd, Output::rstd, contract, out);
  return out;
}

}  // namespace normcheck

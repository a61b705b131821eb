// Numbers that are read as something else: parameters as another type, subnormals as 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "corpus/dtype.h"
#include "oracles/hypotheses_more.h"

namespace normcheck {
namespace {

using Row = const HypothesisRow&;

Quad right_y(Row r, std::int64_t i, Quad x_hat) { return x_hat * r.gamma(i) + r.beta(i); }

/// gamma, beta or both, their bytes taken for numbers of another type; what lies behind their end is not
/// known.
void add_misread(std::vector<Hypothesis>& out) {
  const auto bytes_as = [](const std::optional<Tensor>& t, DType as, std::int64_t i,
                           double absent) -> double {
    if (!t) return absent;
    const std::size_t size = size_of(as), at = static_cast<std::size_t>(i) * size;
    if (at + size > t->data.size()) return std::numeric_limits<double>::quiet_NaN();
    std::uint64_t bits = 0;
    std::memcpy(&bits, t->data.data() + at, size);
    return to_double(as, bits);
  };
  for (const DType as : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    for (const auto& [which, name] :
         {std::pair(3, "gamma and beta"), std::pair(1, "gamma"), std::pair(2, "beta")}) {
      Hypothesis h;
      h.name = fmt::format("{} read as {}", name, dtype_name(as));
      h.silent = true;
      h.applies = [as, which = which](Row r) {
        const auto other = [as](const std::optional<Tensor>& t) { return t && t->dtype != as; };
        const Case& c = r.problem();
        return ((which & 1) == 0 || other(c.gamma)) && ((which & 2) == 0 || other(c.beta));
      };
      h.whole = [as, which = which, bytes_as](Row r) {
        std::vector<Quad> y;
        const Quad rstd = reciprocal_root_of(r.exact.variance + r.eps);
        for (std::int64_t i = 0; i < r.n; ++i) {
          const double g = (which & 1) != 0 ? bytes_as(r.problem().gamma, as, i, 1) : r.gamma(i);
          const double b = (which & 2) != 0 ? bytes_as(r.problem().beta, as, i, 0) : r.beta(i);
          y.push_back((r.x[static_cast<std::size_t>(i)] - r.exact.mean) * rstd * g + b);
        }
        return y;
      };
      out.push_back(std::move(h));
    }
  }
}

/// Numbers below the normal range taken as 0.
void add_subnormals(std::vector<Hypothesis>& out) {
  const auto smallest = [](DType dtype) { return std::ldexp(1.0, format_of(dtype).emin); };
  Hypothesis h;
  h.name = "subnormal x taken as 0";
  h.applies = [smallest](Row r) {
    const double least = smallest(r.problem().x.dtype);
    return std::any_of(r.x.begin(), r.x.end(), [least](double v) { return v != 0 && std::fabs(v) < least; });
  };
  h.whole = [smallest](Row r) {
    const double least = smallest(r.problem().x.dtype);
    const auto n = static_cast<Quad>(r.n);
    Quad mean = 0, variance = 0;
    std::vector<Quad> y;
    for (const double v : r.x) y.emplace_back(std::fabs(v) < least ? 0 : v);
    for (const Quad v : y) mean += v / n;
    for (const Quad v : y) variance += (v - mean) * (v - mean) / n;
    const Quad rstd = reciprocal_root_of(variance + r.eps);
    for (std::int64_t i = 0; i < r.n; ++i) {
      Quad& v = y[static_cast<std::size_t>(i)];
      v = right_y(r, i, (v - mean) * rstd);
    }
    return y;
  };
  out.push_back(h);
  h = {};
  h.name = "a subnormal y put out as 0";
  h.affine = [smallest](Row r, std::int64_t i, Quad x_hat) {
    const Quad y = right_y(r, i, x_hat);
    return abs(y) < smallest(r.problem().x.dtype) ? Quad(0) : y;
  };
  out.push_back(std::move(h));
}

/// y of a half is written as f32: two words for one element, of which the second half has the leading digits.
void add_wide_output(std::vector<Hypothesis>& out) {
  Hypothesis h;
  h.name = "y written as f32, two places for one";
  h.silent = true;
  h.applies = [](Row r) { return is_half(r.problem().x.dtype); };
  h.whole = [](Row r) {
    std::vector<Quad> y;
    for (std::int64_t i = 0; i < r.n; ++i) {
      const std::int64_t at = r.row * r.n + i, from = at / 2, row = from / r.n;
      if (at % 2 == 0) {
        y.emplace_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      const Moments2& m = r.of_slice(row * r.n, r.n, 1);
      const Quad x_hat = (r.problem().x.value(from) - m.mean) * reciprocal_root_of(m.variance + r.eps);
      const std::uint64_t bits = round_to(DType::f32, static_cast<double>(right_y(r, from % r.n, x_hat)));
      y.emplace_back(to_double(r.problem().x.dtype, bits >> 16));
    }
    return y;
  };
  out.push_back(std::move(h));
}

}  // namespace

void add_read_hypotheses(std::vector<Hypothesis>& out) {
  add_misread(out);
  add_subnormals(out);
  add_wide_output(out);
}

}  // namespace normcheck

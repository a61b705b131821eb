// Prefix and block statistics; the errors are derived where they are set.
#include "oracles/prefix.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace normcheck {
namespace {

// The few operations that the number types offer here, each with a relative error of at most error_of<N>,
// and upper bounds of their sizes as doubles.
template <class N>
constexpr double error_of = kPairError;
template <>
constexpr double error_of<Quad> = 2 * quad_u;
template <>
constexpr double error_of<double> = 0x1p-53;

Pair make(double v, Pair) { return {v, 0}; }
Quad make(double v, Quad) { return v; }
double make(double v, double) { return v; }
Pair plus(Pair a, Pair b) { return add(a, b); }
Quad plus(Quad a, Quad b) { return a + b; }
double plus(double a, double b) { return a + b; }
Pair minus(Pair a, Pair b) { return add(a, negate(b)); }
Quad minus(Quad a, Quad b) { return a - b; }
double minus(double a, double b) { return a - b; }
Pair product(Pair a, Pair b) { return multiply(a, b); }
Quad product(Quad a, Quad b) { return a * b; }
double product(double a, double b) { return a * b; }
Pair quotient(Pair a, double b) { return divide(a, b); }
Quad quotient(Quad a, double b) { return a / b; }
double quotient(double a, double b) { return a / b; }
double size_up(Pair a) { return std::fabs(a.hi) * (1 + 0x1p-51); }
double size_up(Quad a) { return round_up(abs(a)); }
double size_up(double a) { return std::fabs(a); }
bool negative(Pair a) { return a.hi < 0; }
bool negative(Quad a) { return a < 0; }
bool negative(double a) { return a < 0; }
/// a + b for bounds, rounded up.
double sum_up(double a, double b) { return b == 0 ? a : (a + b) * (1 + 0x1p-51); }

}  // namespace

template <class N>
void PrefixTable<N>::fill(const double* x, std::int64_t count, RowFacts& facts) {
  x_ = x;
  const auto n = static_cast<std::size_t>(count);
  sum_.assign(n + 1, make(0, N{}));
  square_.assign(n + 1, make(0, N{}));
  run_.assign(n, 0);
  for (auto* v : {&mean_abs_, &square_dev_, &before_, &after_}) v->assign(n, 0.0);
  const N origin = make(x[0], N{});
  double max_z = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const N z = minus(make(x[i], N{}), origin);
    max_z = std::max(max_z, size_up(z));
    sum_[i + 1] = plus(sum_[i], z);
    square_[i + 1] = plus(square_[i], product(z, z));
    run_[i] = i > 0 && x[i] == x[i - 1] ? run_[i - 1] : static_cast<std::int64_t>(i);
  }
  // A block's mean less x_0 is (P_hi - P_lo)/len: each prefix sum is off by at most n e n max|z|, e =
  // error_of, so this by 2 n^2 e max|z|/len, and len >= 1; the sum with x_0 by e (|x_0| + max|z|) more. A
  // block's S is (R_hi - R_lo) - (P_hi - P_lo)^2/len, R off by n e R_n <= n^2 e max|z|^2 and |P_hi - P_lo| <=
  // len max|z|: 2 n^2 e max|z| * 2 max|z| more.
  const double length = static_cast<double>(count) + 4;
  const double error = error_of<N> * (1 + 0x1p-40);
  // What a double loses below its smallest number is less than four of them.
  offset_error_ = error * 4 * length * length * max_z + 0x1p-1072;
  mean_error_ = offset_error_ + error * 4 * std::fabs(x[0]);
  square_error_ = error * 10 * length * length * max_z * max_z + 0x1p-1072;

  facts.prefix_mean_abs = mean_abs_.data();
  facts.prefix_square_dev = square_dev_.data();
  facts.dev_before = before_.data();
  facts.dev_after = after_.data();
  facts.block = &PrefixTable::block;
  facts.mean_gap = &PrefixTable::mean_gap;
  facts.in_lanes = &PrefixTable::in_lanes;
  by_lane_.lanes = 0;
  facts.context = this;
  // x is 0 or from 2^-300 to 2^300 in size. A difference that is not 0 is at least 2^-352, and the facts of
  // what is not constant hold at least what is added to them: above 2^-400, and above 2^-750 of squares.
  facts.plain = std::is_same_v<N, double>;
  facts.constant_prefix = 1;
  while (facts.constant_prefix < count && run_[static_cast<std::size_t>(facts.constant_prefix)] == 0) {
    ++facts.constant_prefix;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto end = static_cast<std::int64_t>(k) + 1;
    const BlockFacts b = block(this, 0, end);
    mean_abs_[k] = b.mean_abs;
    square_dev_[k] = b.square_dev_sum;
    if (k == 0) continue;
    before_[k] = mean_gap(this, 0, end - 1, end);
    // x_k - mu_k = (x_k - mu_{k-1})(1 - 1/(k+1)).
    after_[k] = before_[k] * (static_cast<double>(k) / static_cast<double>(k + 1)) * (1 + 0x1p-50);
  }
}

template <class N>
N PrefixTable<N>::offset(std::int64_t lo, std::int64_t hi) const {
  const auto l = static_cast<std::size_t>(lo), h = static_cast<std::size_t>(hi);
  if (constant(lo, hi)) return minus(make(x_[l], N{}), make(x_[0], N{}));
  return quotient(minus(sum_[h], sum_[l]), static_cast<double>(hi - lo));
}

template <class N>
BlockFacts PrefixTable<N>::block(const void* context, std::int64_t lo, std::int64_t hi) {
  const auto& self = *static_cast<const PrefixTable*>(context);
  const auto l = static_cast<std::size_t>(lo), h = static_cast<std::size_t>(hi);
  BlockFacts out;
  if (self.constant(lo, hi)) {
    out.constant = true;
    out.mean_abs = std::fabs(self.x_[l]);
    return out;
  }
  const N part = minus(self.sum_[h], self.sum_[l]), mean = quotient(part, static_cast<double>(hi - lo));
  out.mean_abs = sum_up(size_up(plus(make(self.x_[0], N{}), mean)), self.mean_error_);
  const N spread = minus(minus(self.square_[h], self.square_[l]), product(part, mean));
  out.square_dev_sum = sum_up(negative(spread) ? 0 : size_up(spread), self.square_error_);
  return out;
}

template <class N>
double PrefixTable<N>::mean_gap(const void* context, std::int64_t lo, std::int64_t mid, std::int64_t hi) {
  const auto& self = *static_cast<const PrefixTable*>(context);
  if (self.constant(lo, hi)) return 0;
  return sum_up(size_up(minus(self.offset(mid, hi), self.offset(lo, mid))), 2 * self.offset_error_);
}

template <class N>
const RowFacts& PrefixTable<N>::in_lanes(const void* context, std::int64_t lanes) {
  const auto& self = *static_cast<const PrefixTable*>(context);
  Lanes& sorted = self.by_lane_;
  if (sorted.lanes == lanes) return sorted.facts;
  const std::size_t n = self.run_.size(), step = static_cast<std::size_t>(lanes);
  sorted.x.clear();
  for (std::size_t lane = 0; lane < step; ++lane)
    for (std::size_t i = lane; i < n; i += step) sorted.x.push_back(self.x_[i]);
  if (!sorted.table) sorted.table = std::make_unique<PrefixTable>();
  sorted.facts = RowFacts{};
  sorted.facts.n = static_cast<std::int64_t>(n);
  sorted.facts.x = sorted.x.data();
  sorted.facts.constant = self.constant(0, sorted.facts.n);
  sorted.table->fill(sorted.x.data(), sorted.facts.n, sorted.facts);
  sorted.lanes = lanes;
  return sorted.facts;
}

template class PrefixTable<double>;
template class PrefixTable<Pair>;
template class PrefixTable<Quad>;

}  // namespace normcheck

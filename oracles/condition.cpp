// Row facts from sums in pairs of doubles or in Quad; each error is derived beside the line that adds it.
#include "oracles/condition.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace normcheck {
namespace {

// Twice the unit roundoff, 2^-112: k*kSlack bounds what k <= 2^56 roundings of a sum of nonnegative terms
// can do to it, gamma_k included, with the rounding of the bound's own arithmetic.
constexpr Quad kSlack = 2 * Quad(quad_u);

/// The exponent of the lowest set bit of a finite nonzero double.
int lowest_exponent(double v) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(v);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  if (biased == 0) return -1074 + std::countr_zero(fraction);
  return biased - 1075 + std::countr_zero(fraction | 0x10000000000000u);
}

}  // namespace

void RowCondition::fill(const double* x, std::int64_t n, bool prefixes) {
  facts_ = RowFacts{};
  x_ = x;
  facts_.n = n;
  const auto size = static_cast<std::size_t>(n);
  deviation_.resize(size);
  facts_.deviation = deviation_.data();

  double max_abs = 0;
  int quantum = std::numeric_limits<int>::max();
  bool constant = true;
  in_pair_range_ = true;
  for (std::size_t i = 0; i < size; ++i) {
    max_abs = std::max(max_abs, std::fabs(x[i]));
    constant = constant && x[i] == x[0];
    in_pair_range_ = in_pair_range_ && pair_safe(x[i]);
    if (x[i] != 0) quantum = std::min(quantum, lowest_exponent(x[i]));
  }
  facts_.constant = constant;
  facts_.max_abs = max_abs;
  if (in_pair_range_) {
    fill_by_pairs();
  } else {
    fill_by_quads();
  }
  // A1 < 2^(e+1) with e its exponent, and every x is a multiple of 2^quantum. A1 beyond double: no claim.
  facts_.sum_bits = max_abs == 0                 ? 0
                    : std::isinf(facts_.abs_sum) ? std::numeric_limits<int>::max()
                                                 : std::ilogb(facts_.abs_sum) + 1 - quantum;
  if (constant) {
    mean_ = x[0];
    variance_ = 0;
    mean_error_ = variance_error_ = 0;
    std::fill(deviation_.begin(), deviation_.end(), 0.0);
    facts_.mean_abs = max_abs;
    facts_.abs_dev_sum = facts_.variance = facts_.variance_lo = facts_.max_dev = 0;
    facts_.kappa = max_abs == 0 ? 1 : std::numeric_limits<double>::infinity();
  }
  if (prefixes) fill_prefixes();
}

// Sums of nonnegative terms that only need an upper bound are plain doubles, off by at most gamma_n, and
// n 2^-52 covers that with room for a few more roundings.
void RowCondition::fill_by_pairs() {
  const auto size = static_cast<std::size_t>(facts_.n);
  const double count = static_cast<double>(facts_.n);
  const double loose = 1 + (count + 8) * 0x1p-51;
  Pair sum;
  double abs_sum = 0, squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum = add(sum, x_[i]);
    abs_sum += std::fabs(x_[i]);
    squares += x_[i] * x_[i];
  }
  facts_.abs_sum = abs_sum * loose;
  facts_.square_sum = squares * loose;
  if (facts_.constant) return;
  // n-1 additions, each off by kPairError of a partial sum, which is at most A1; and the division.
  const Pair mean = divide(sum, count);
  const double mean_error = (count + 2) * kPairError * (facts_.abs_sum / count) * loose;
  mean_ = to_quad(mean);
  mean_error_ = mean_error;
  Pair dev_squares;
  double dev_sum = 0, max_dev = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Pair d = add(negate(mean), x_[i]);
    const double dev = std::fabs(d.hi) * (1 + 0x1p-50) + mean_error;
    deviation_[i] = dev;
    dev_sum += dev;
    max_dev = std::max(max_dev, dev);
    dev_squares = add(dev_squares, multiply(d, d));
  }
  // Of the computed sum of squares: (n+4) kPairError relative. And sum (x-m)^2 - nV = n(m-mu)^2 exactly.
  const Pair variance = divide(dev_squares, count);
  variance_ = to_quad(variance);
  variance_error_ = ((count + 8) * kPairError * variance.hi + mean_error * mean_error) * (1 + 0x1p-40);
  facts_.mean_abs = std::fabs(mean.hi) * (1 + 0x1p-50) + mean_error;
  facts_.abs_dev_sum = dev_sum * loose;
  facts_.max_dev = max_dev;
  facts_.variance = (variance.hi * (1 + 0x1p-50) + variance_error_) * (1 + 0x1p-50);
  facts_.variance_lo = std::max(0.0, (variance.hi * (1 - 0x1p-50) - variance_error_) * (1 - 0x1p-50));
  facts_.kappa = std::max(1.0, std::sqrt(squares / (count * variance.hi)));
}

void RowCondition::fill_by_quads() {
  const auto size = static_cast<std::size_t>(facts_.n);
  const Quad count = static_cast<Quad>(facts_.n);
  const Quad steps = count + 4;
  Quad sum = 0, abs_sum = 0, squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Quad v = x_[i];
    sum += v;
    abs_sum += abs(v);
    squares += v * v;
  }
  facts_.abs_sum = round_up(abs_sum * (1 + steps * kSlack));
  facts_.square_sum = round_up(squares * (1 + steps * kSlack));
  if (facts_.constant) return;
  // |mean^ - mu| <= ((n-1) + 1) u A1/n, doubled.
  mean_ = sum / count;
  const Quad mean_error = steps * kSlack * (abs_sum / count);
  Quad dev_sum = 0, dev_squares = 0, max_dev = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Quad d = abs(x_[i] - mean_);
    const Quad dev = d * (1 + kSlack) + mean_error;
    deviation_[i] = round_up(dev);
    dev_sum += dev;
    dev_squares += d * d;
    max_dev = std::max(max_dev, dev);
  }
  // As a two-pass variance: gamma_{n+3} V + (1+gamma) E^2; V^ >= V(1-gamma).
  variance_ = dev_squares / count;
  const Quad variance_error = steps * kSlack * variance_ + 2 * mean_error * mean_error;
  mean_error_ = round_up(mean_error);
  variance_error_ = round_up(variance_error);
  facts_.mean_abs = round_up(abs(mean_) + mean_error);
  facts_.abs_dev_sum = round_up(dev_sum * (1 + steps * kSlack));
  facts_.max_dev = round_up(max_dev);
  facts_.variance = round_up(variance_ + variance_error);
  facts_.variance_lo = variance_ > variance_error ? round_down(variance_ - variance_error) : 0;
  const double ratio = static_cast<double>(squares / (count * variance_));
  facts_.kappa = std::max(1.0, std::sqrt(ratio));
}

void RowCondition::fill_prefixes() {
  const auto n = static_cast<std::size_t>(facts_.n);
  sum_.assign(n + 1, 0);
  square_.assign(n + 1, 0);
  run_.assign(n, 0);
  for (auto* v : {&prefix_mean_, &prefix_square_, &before_, &after_}) v->assign(n, 0.0);
  const Quad origin = x_[0];
  Quad max_z = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Quad z = x_[i] - origin;
    max_z = std::max(max_z, abs(z));
    sum_[i + 1] = sum_[i] + z;
    square_[i + 1] = square_[i] + z * z;
    run_[i] = i > 0 && x_[i] == x_[i - 1] ? run_[i - 1] : static_cast<std::int64_t>(i);
  }
  // A block's mean is x_0 + (P_hi - P_lo)/len: each prefix is off by at most n u n max|z|, so the mean by
  // 2 n^2 u max|z|/len; len >= 1. A block's S is (R_hi - R_lo) - (P_hi - P_lo)^2/len with R off by n u R_n
  // and |P_hi - P_lo| <= len max|z|: 2 n^2 u max|z| * 2 max|z| more. All doubled by kSlack.
  const Quad count = static_cast<Quad>(facts_.n);
  block_mean_error_ = kSlack * (3 * (count + 4) * (count + 4) * max_z + 2 * abs(origin));
  block_square_error_ = kSlack * (count + 4) * (count + 4) * 8 * max_z * max_z;

  facts_.prefix_mean_abs = prefix_mean_.data();
  facts_.prefix_square_dev = prefix_square_.data();
  facts_.dev_before = before_.data();
  facts_.dev_after = after_.data();
  facts_.block = &RowCondition::block;
  facts_.mean_gap = &RowCondition::mean_gap;
  facts_.context = this;
  facts_.constant_prefix = 1;
  while (facts_.constant_prefix < facts_.n && run_[static_cast<std::size_t>(facts_.constant_prefix)] == 0) {
    ++facts_.constant_prefix;
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto end = static_cast<std::int64_t>(k) + 1;
    const BlockFacts b = block(this, 0, end);
    prefix_mean_[k] = b.mean_abs;
    prefix_square_[k] = b.square_dev_sum;
    if (k == 0) continue;
    before_[k] = mean_gap(this, 0, end - 1, end);
    // x_k - mu_k = (x_k - mu_{k-1})(1 - 1/(k+1)).
    after_[k] =
        round_up(Quad(before_[k]) * static_cast<Quad>(k) / static_cast<Quad>(k + 1) * (1 + 2 * kSlack));
  }
}

Quad RowCondition::block_mean(std::int64_t lo, std::int64_t hi) const {
  if (run_[static_cast<std::size_t>(hi - 1)] <= lo) return x_[lo];
  const Quad part = sum_[static_cast<std::size_t>(hi)] - sum_[static_cast<std::size_t>(lo)];
  return Quad(x_[0]) + part / static_cast<Quad>(hi - lo);
}

BlockFacts RowCondition::block(const void* context, std::int64_t lo, std::int64_t hi) {
  const auto& self = *static_cast<const RowCondition*>(context);
  BlockFacts out;
  if (self.run_[static_cast<std::size_t>(hi - 1)] <= lo) {
    out.constant = true;
    out.mean_abs = std::fabs(self.x_[lo]);
    return out;
  }
  out.mean_abs = round_up(abs(self.block_mean(lo, hi)) + self.block_mean_error_);
  const auto l = static_cast<std::size_t>(lo), h = static_cast<std::size_t>(hi);
  const Quad part = self.sum_[h] - self.sum_[l];
  const Quad squares = self.square_[h] - self.square_[l] - part * part / static_cast<Quad>(hi - lo);
  out.square_dev_sum = round_up((squares < 0 ? 0 : squares) + self.block_square_error_);
  return out;
}

double RowCondition::mean_gap(const void* context, std::int64_t lo, std::int64_t mid, std::int64_t hi) {
  const auto& self = *static_cast<const RowCondition*>(context);
  const Quad gap = abs(self.block_mean(mid, hi) - self.block_mean(lo, mid));
  if (gap == 0 && self.run_[static_cast<std::size_t>(hi - 1)] <= lo) return 0;
  return round_up(gap + 2 * self.block_mean_error_);
}

}  // namespace normcheck

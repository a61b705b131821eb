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

void RowCondition::fill(const double* x, std::int64_t n, bool prefixes) { fill_row(x, n, prefixes, nullptr); }

void RowCondition::fill_from(const Known& known, const double* x, std::int64_t n, bool prefixes) {
  // Else the facts would be loose where those of fill are not.
  const double variance = known.variance.hi;
  const bool usable = variance > 0 && known.variance_error <= 0x1p-40 * variance &&
                      known.mean_error <= 0x1p-40 * std::sqrt(variance);
  fill_row(x, n, prefixes, usable ? &known : nullptr);
}

void RowCondition::fill_row(const double* x, std::int64_t n, bool prefixes, const Known* known) {
  facts_ = RowFacts{};
  x_ = x;
  facts_.n = n;
  facts_.x = x;
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
  if (in_pair_range_ && known != nullptr && !constant) {
    fill_by(*known);
  } else if (in_pair_range_) {
    fill_by_pairs();
  } else {
    fill_by_quads();
  }
  if (constant) {
    mean_ = x[0];
    variance_ = 0;
    mean_error_ = variance_error_ = 0;
    std::fill(deviation_.begin(), deviation_.end(), 0.0);
    facts_.mean_abs = max_abs;
    facts_.abs_dev_sum = facts_.variance = facts_.variance_lo = facts_.max_dev = 0;
    facts_.kappa = max_abs == 0 ? 1 : std::numeric_limits<double>::infinity();
  }
  fill_bits(quantum);
  if (!prefixes) return;
  if (in_pair_range_ && n <= kPlainPrefixes) {
    plain_prefixes_.fill(x, n, facts_);
  } else if (in_pair_range_) {
    pair_prefixes_.fill(x, n, facts_);
  } else {
    quad_prefixes_.fill(x, n, facts_);
  }
}

// A number v >= 0 is at most 2^(e+1) with e its exponent. Beyond double: no claim.
void RowCondition::fill_bits(int quantum) {
  const auto bits = [](double v, int unit) {
    return v == 0 ? 0 : std::isinf(v) ? RowFacts::no_claim : std::ilogb(v) + 1 - unit;
  };
  RowFacts& f = facts_;
  f.quantum = f.dev_quantum = f.max_abs == 0 ? 0 : quantum;
  f.sum_bits = bits(f.abs_sum, f.quantum);
  f.square_bits = bits(f.square_sum, 2 * f.quantum);
  if (f.sum_bits > 53) return;
  // Every partial sum was a double: sum_ is exact, and mu = sum_/n has finitely many bits where what is odd
  // of n divides what is odd of the sum.
  f.mean_bits = 0;
  if (sum_ != 0) {
    const int twos = std::countr_zero(static_cast<std::uint64_t>(f.n)), low = lowest_exponent(sum_);
    const auto odd = static_cast<std::int64_t>(std::ldexp(std::fabs(sum_), -low));
    if (odd % (f.n >> twos) != 0) {
      f.mean_bits = RowFacts::no_claim;
      return;
    }
    f.mean_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(odd / (f.n >> twos))));
    f.dev_quantum = std::min(quantum, low - twos);
  }
  f.dev_square_bits =
      bits(f.constant ? 0 : static_cast<double>(f.n) * f.variance * (1 + 0x1p-50), 2 * f.dev_quantum);
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
  sum_ = sum.hi;
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
  fill_spread({mean, variance, mean_error, variance_error_}, squares, dev_sum, max_dev);
}

/// What follows from mean and variance, and the plain sums over the row.
void RowCondition::fill_spread(const Known& known, double squares, double dev_sum, double max_dev) {
  const double count = static_cast<double>(facts_.n), loose = 1 + (count + 8) * 0x1p-51;
  const double variance = known.variance.hi;
  facts_.mean_abs = std::fabs(known.mean.hi) * (1 + 0x1p-50) + known.mean_error;
  facts_.abs_dev_sum = dev_sum * loose;
  facts_.max_dev = max_dev;
  facts_.variance = (variance * (1 + 0x1p-50) + known.variance_error) * (1 + 0x1p-50);
  facts_.variance_lo = std::max(0.0, (variance * (1 - 0x1p-50) - known.variance_error) * (1 - 0x1p-50));
  facts_.kappa = std::max(1.0, std::sqrt(squares / (count * variance)));
}

// As above without its two sums in pairs, each of which waits for the term before. Where sum_ is read
// (fill_bits) every partial sum is a double.
void RowCondition::fill_by(const Known& known) {
  const auto size = static_cast<std::size_t>(facts_.n);
  const double loose = 1 + (static_cast<double>(facts_.n) + 8) * 0x1p-51;
  double sum = 0, abs_sum = 0, squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    sum += x_[i];
    abs_sum += std::fabs(x_[i]);
    squares += x_[i] * x_[i];
  }
  sum_ = sum;
  facts_.abs_sum = abs_sum * loose;
  facts_.square_sum = squares * loose;
  const Pair minus_mean = negate(known.mean);
  double* deviation = deviation_.data();
  for (std::size_t i = 0; i < size; ++i)
    deviation[i] = std::fabs(add(minus_mean, x_[i]).hi) * (1 + 0x1p-50) + known.mean_error;
  double dev_sum = 0, max_dev = 0;
  for (std::size_t i = 0; i < size; ++i) {
    dev_sum += deviation[i];
    max_dev = std::max(max_dev, deviation[i]);
  }
  fill_spread(known, squares, dev_sum, max_dev);
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
  sum_ = static_cast<double>(sum);
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

}  // namespace normcheck

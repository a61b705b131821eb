// Moves work on the places of numbers in their order, so that a step is so many ulp whatever the dtype.
#include "fuzz/attack/moves.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace normcheck {
namespace {

std::uint64_t sign_bit(DType dtype) { return std::uint64_t{1} << (8 * size_of(dtype) - 1); }

int fraction_bits(DType dtype) { return format_of(dtype).precision - 1; }

/// A slice of 0..n-1, short more often than long.
struct Slice {
  std::int64_t begin, end;
};
Slice slice(std::int64_t n, CounterRng& rng) {
  const double share = rng.uniform();
  const auto length =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(n) * share * share * share));
  const std::int64_t begin = rng.between(0, n - length);
  return {begin, begin + length};
}

/// Of either sign, up to 2^k for a k up to the fraction's bits.
std::int64_t step_of(DType dtype, CounterRng& rng) {
  const int k = static_cast<int>(rng.below(static_cast<std::uint64_t>(fraction_bits(dtype)) + 1));
  const std::int64_t size = 1 + static_cast<std::int64_t>(rng.below(std::uint64_t{1} << k));
  return rng.coin() ? size : -size;
}

void step(Tensor& t, std::int64_t i, std::int64_t by) {
  t.set_bits(i, bits_at(t.dtype, place_of(t.dtype, t.bits(i)) + by));
}

void set_finite(Tensor& t, std::int64_t i, double value) {
  if (std::isnan(value)) return;
  const double most = largest_finite(t.dtype);
  t.set_value(i, std::clamp(value, -most, most));
}

std::int64_t any(std::int64_t n, CounterRng& rng) {
  return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n)));
}

double power_of_two(CounterRng& rng, int most) {
  return std::ldexp(1.0, static_cast<int>(rng.between(-most, most)));
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments(const Tensor& x) {
  thread_local std::vector<double> values;
  const std::int64_t n = x.size();
  values.resize(static_cast<std::size_t>(n));
  x.values(0, n, values.data());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  Moments out;
  out.mean = sum / static_cast<double>(n);
  for (const double v : values) squares += (v - out.mean) * (v - out.mean);
  out.deviation = std::sqrt(squares / static_cast<double>(n));
  return out;
}

void reorder(Tensor& x, CounterRng& rng) {
  const auto [begin, end] = slice(x.size(), rng);
  std::vector<std::int64_t> places;
  for (std::int64_t i = begin; i < end; ++i) places.push_back(place_of(x.dtype, x.bits(i)));
  switch (rng.below(4)) {
    case 0:
      std::sort(places.begin(), places.end());
      break;
    case 1:
      std::reverse(places.begin(), places.end());
      break;
    case 2:
      std::rotate(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2),
                  places.end());
      break;
    default:
      for (std::size_t k = places.size() - 1; k > 0; --k) {
        const std::size_t other = rng.below(k + 1);
        std::swap(places[k], places[other]);
      }
  }
  for (std::int64_t i = begin; i < end; ++i)
    x.set_bits(i, bits_at(x.dtype, places[static_cast<std::size_t>(i - begin)]));
}

void renew(Tensor& x, CounterRng& rng) {
  const Moments of = moments(x);
  const double spread = of.deviation > 0 ? of.deviation * power_of_two(rng, 2) : 1;
  const auto [begin, end] = slice(x.size(), rng);
  const bool two_values = rng.coin(0.3);
  for (std::int64_t i = begin; i < end; ++i)
    set_finite(x, i, of.mean + spread * (two_values ? (rng.coin() ? 1 : -1) : rng.normal()));
}

void trim(Tensor& x, CounterRng& rng) {
  const std::uint64_t cleared =
      (std::uint64_t{1} << rng.below(static_cast<std::uint64_t>(fraction_bits(x.dtype)))) - 1;
  const bool all = rng.coin(0.2);
  const std::int64_t one = any(x.size(), rng);
  for (std::int64_t i = all ? 0 : one; i < (all ? x.size() : one + 1); ++i)
    x.set_bits(i, x.bits(i) & ~cleared);
}

void ramp(Tensor& x, CounterRng& rng) {
  const auto [begin, end] = slice(x.size(), rng);
  // Of the longest slice that a step may be, the last place stays far inside 64 bits.
  const std::int64_t from = place_of(x.dtype, x.bits(begin)), most = (std::int64_t{1} << 61) / (end - begin),
                     by = std::clamp(step_of(x.dtype, rng), -most, most);
  for (std::int64_t i = begin; i < end; ++i) x.set_bits(i, bits_at(x.dtype, from + by * (i - begin)));
}

/// To the numbers in which rows of this dtype are summed, as a rule.
double summed(DType dtype, double value) {
  return dtype == DType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

/// What to add to `sum` for it to round by nearly half a spacing, from about where `term` leads it.
double to_tie(DType dtype, double sum, double term, double sign) {
  const double next = summed(dtype, sum + term);
  return (next - sum) + sign * half_spacing(dtype, next);
}

/// The greedy construction for sums in order: each term is chosen, given those before it in the slice, so
/// that its sum is rounded by nearly half a spacing, always in the same direction. Of squared differences
/// likewise, from the mean that the row had.
void ties(Tensor& x, CounterRng& rng) {
  const auto [begin, end] = slice(x.size(), rng);
  const bool backwards = rng.coin(0.2), squares = rng.coin(0.4), short_of_it = rng.coin(0.7);
  const double sign = rng.coin() ? 1 : -1;
  const double mean = squares ? summed(x.dtype, moments(x).mean) : 0;
  double sum = 0;
  const auto add = [&](double term) { sum = summed(x.dtype, sum + term); };
  const auto term_of = [&](std::int64_t i) {
    const double d = summed(x.dtype, x.value(i) - mean);
    return squares ? summed(x.dtype, d * d) : d;
  };
  // A slice is a part of a block, a lane or a tree; but of a sum in order all that lies before it counts.
  if (rng.coin(0.7)) {
    const std::int64_t before = backwards ? x.size() - end : begin;
    for (std::int64_t k = 0; k < before; ++k) add(term_of(backwards ? x.size() - 1 - k : k));
  }
  for (std::int64_t k = 0; k < end - begin; ++k) {
    const std::int64_t i = backwards ? end - 1 - k : begin + k;
    const double term = term_of(i), wanted = to_tie(x.dtype, sum, term, sign);
    if (std::isfinite(sum) && std::isfinite(wanted) && !(squares && wanted < 0)) {
      const double root = squares ? std::copysign(std::sqrt(wanted), x.value(i) - mean) : wanted;
      set_finite(x, i, mean + root);
      // One that is short of the tie is never rounded to the other side.
      if (short_of_it) step(x, i, sign * root > 0 ? -1 : 1);
    }
    add(term_of(i));
  }
}

void new_eps(Case& c, CounterRng& rng) {
  constexpr double usual[] = {1e-5, 1e-6, 1e-12, 1e-3};
  const double d = moments(c.x).deviation;
  switch (rng.below(3)) {
    case 0:
      c.eps = usual[rng.below(std::size(usual))];
      break;
    case 1:
      c.eps = std::clamp(c.eps * power_of_two(rng, 4), 1e-30, 1e3);
      break;
    default:
      if (const double v = d * d * power_of_two(rng, 6); v > 1e-30 && v < 1e3) c.eps = v;
  }
}

void new_parameter(std::optional<Tensor>& t, const Case& c, double usual, CounterRng& rng) {
  const std::uint64_t kind = rng.below(8);
  if (kind == 0) return t.reset();
  if (!t) {
    t = Tensor(c.x.dtype, normalized_shape(c));
    for (std::int64_t i = 0; i < t->size(); ++i) t->set_value(i, usual);
  }
  const std::int64_t i = any(t->size(), rng);
  if (kind < 4) return step(*t, i, step_of(t->dtype, rng));
  if (kind == 4) return set_finite(*t, i, usual);
  if (kind == 5) {
    const double size = 1 + rng.uniform();
    return set_finite(*t, i, size * power_of_two(rng, 4));
  }
  if (kind == 6) return set_finite(*t, i, -t->value(i));
  const double size = 1 + rng.uniform(), all = rng.coin() ? size : -size;
  for (std::int64_t k = 0; k < t->size(); ++k) set_finite(*t, k, all);
}

}  // namespace

bool allows(const Freedom& freedom, Move move) {
  if (move == Move::eps) return freedom.eps;
  return freedom.affine || (move != Move::gamma && move != Move::beta);
}

double half_spacing(DType dtype, double value) {
  const int digits = dtype == DType::f64 ? 53 : 24, least = dtype == DType::f64 ? -1074 : -149;
  if (!std::isfinite(value) || value == 0) return value;
  return std::ldexp(1.0, std::max(std::ilogb(value) + 1 - digits, least) - 1);
}

std::int64_t place_of(DType dtype, std::uint64_t bits) {
  const auto size = static_cast<std::int64_t>(bits & (sign_bit(dtype) - 1));
  return (bits & sign_bit(dtype)) != 0 ? -size : size;
}

std::uint64_t bits_at(DType dtype, std::int64_t place) {
  const auto most = static_cast<std::int64_t>(round_to(dtype, largest_finite(dtype)));
  const std::int64_t size = std::min(place < 0 ? -place : place, most);
  return static_cast<std::uint64_t>(size) | (place < 0 ? sign_bit(dtype) : 0);
}

void apply(Move move, Case& c, const Case& other, CounterRng& rng) {
  Tensor& x = c.x;
  const std::int64_t n = x.size();
  const std::int64_t i = any(n, rng);
  switch (move) {
    case Move::step:
      return step(x, i, step_of(x.dtype, rng));
    case Move::step_pair: {
      const std::int64_t by = step_of(x.dtype, rng), second = any(n, rng);
      step(x, i, by);
      return step(x, second, -by);
    }
    case Move::step_run: {
      const auto [begin, end] = slice(n, rng);
      const std::int64_t by = step_of(x.dtype, rng);
      for (std::int64_t k = begin; k < end; ++k) step(x, k, by);
      return;
    }
    case Move::exponent:
      return set_finite(x, i, x.value(i) * power_of_two(rng, 3));
    case Move::sign:
      return set_finite(x, i, -x.value(i));
    case Move::copy_run: {
      const auto [begin, end] = slice(n, rng);
      const std::uint64_t bits = x.bits(i);
      for (std::int64_t k = begin; k < end; ++k) x.set_bits(k, bits);
      return;
    }
    case Move::ramp:
      return ramp(x, rng);
    case Move::offset: {
      const Moments of = moments(x);
      const double size = of.deviation > 0 ? of.deviation : std::fabs(of.mean);
      const double sign = rng.coin() ? 1 : -1, factor = 1 + rng.uniform();
      const double by = size * sign * factor * power_of_two(rng, 6);
      for (std::int64_t k = 0; k < n; ++k) set_finite(x, k, x.value(k) + by);
      return;
    }
    case Move::scale: {
      const double power = power_of_two(rng, 2);
      const double by = rng.coin() ? power : power * (1 + rng.uniform());
      for (std::int64_t k = 0; k < n; ++k) set_finite(x, k, x.value(k) * by);
      return;
    }
    case Move::order:
      return reorder(x, rng);
    case Move::renew:
      return renew(x, rng);
    case Move::trim:
      return trim(x, rng);
    case Move::neighbour: {
      const std::int64_t of = any(n, rng);
      x.set_bits(i, bits_at(x.dtype, place_of(x.dtype, x.bits(of)) + rng.between(-2, 2)));
      return;
    }
    case Move::cross: {
      const auto [begin, end] = slice(n, rng);
      for (std::int64_t k = begin; k < end; ++k) x.set_bits(k, other.x.bits(k));
      return;
    }
    case Move::ties:
      return ties(x, rng);
    case Move::eps:
      return new_eps(c, rng);
    case Move::gamma:
      return new_parameter(c.gamma, c, 1, rng);
    case Move::beta:
      return new_parameter(c.beta, c, 0, rng);
  }
}

}  // namespace normcheck

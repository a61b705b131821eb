// Lays out the rows: signs in pairs, so that the sum is 0, and beta from the exact size of x_hat.
#include "props/evidence_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "corpus/generate.h"

namespace normcheck {
namespace {

/// g in ulp of y over finest_length (or n, where it is longer): where the mean is 0, and where it is not and
/// the roundings of folded forms are larger.
constexpr double parts_of_zero_mean = 34, parts_of_mean = 12;
constexpr std::int64_t finest_length = 65536;

/// Of each pair of elements the sign of the first, by the pattern: alternating, in twos, at random.
bool first_is_negative(int pattern, std::int64_t pair, CounterRng& rng) {
  if (pattern == 0) return false;
  return pattern == 1 ? pair % 2 == 1 : rng.coin();
}

/// -1, 1, and 0 at `zeros` places away from the ends; as many of one sign as of the other.
std::vector<int> signs(std::int64_t n, std::int64_t zeros, int pattern, CounterRng& rng) {
  std::vector<int> out(static_cast<std::size_t>(n), 1);
  while (zeros > 0) {
    int& at = out[static_cast<std::size_t>(rng.between(n / 4, 3 * n / 4))];
    zeros -= at != 0;
    at = 0;
  }
  std::int64_t seen = 0;
  int sign = 1;
  for (int& s : out) {
    if (s == 0) continue;
    sign = seen % 2 == 1 ? -sign : first_is_negative(pattern, seen / 2, rng) ? -1 : 1;
    s = sign;
    ++seen;
  }
  return out;
}

}  // namespace

Case evidence_case(const EvidenceRequest& request, int kind) {
  const std::int64_t n = request.n;
  const int precision = format_of(request.dtype).precision;
  CounterRng rng = CounterRng(request.seed, 0x65766964)  // its own stream: "evid"
                       .fork(static_cast<std::uint64_t>(n))
                       .fork(static_cast<std::uint64_t>(kind));
  const bool has_mean = kind % 2 == 1, half = is_half(request.dtype);
  const bool eps_counts = !half && kind / 2 % 2 == 1;
  const double parts =
      (has_mean ? parts_of_mean : parts_of_zero_mean) * static_cast<double>(std::max(n, finest_length));
  Case c;
  c.id = fmt::format("{}-{}-{}-{}-{}", evidence_name, dtype_name(request.dtype), n, request.seed, kind);
  c.eps = request.eps.value_or(1e-5);

  // d is odd and n d^2 at most 2^24, times a power of two that makes eps as large a part of d^2 as is wanted.
  const auto most = static_cast<std::uint64_t>(std::min(63.0, std::sqrt(0x1p+24 / static_cast<double>(n))));
  const double odd = static_cast<double>(3 + 2 * rng.below(std::max<std::uint64_t>(most, 5) / 2 - 1));
  const double wanted = c.eps > 0 ? std::sqrt(c.eps * (eps_counts ? 0x1p+10 : 0x1p+30)) / odd : 1;
  const double d =
      odd * std::ldexp(1.0, std::clamp(std::ilogb(wanted * 0x1.6a09e667f3bcdp+0), -20, 9));  // the nearest

  // In halves y is g times what x_hat exceeds 1 by, and zeros bring that about.
  std::int64_t zeros =
      half ? std::lround(1.5 * std::ldexp(1.0, precision) * static_cast<double>(n) / parts) : 1;
  if ((n - zeros) % 2 != 0) ++zeros;
  const std::vector<int> sign = signs(n, zeros, kind / 2 % 3, rng);
  const double share = static_cast<double>(n - zeros) / static_cast<double>(n);
  const double x_hat = 1 / std::sqrt(share + c.eps / (d * d));
  double g = std::ldexp(parts, 1 - precision), beta = 1.5 - g * x_hat;
  if (half) {
    g = 1.5 / (x_hat - 1);
    g = std::ldexp(g, 4 - std::ilogb(g));
    g = to_double(request.parameters, round_to(request.parameters, g));
    beta = -g;
  }
  c.x = Tensor(request.dtype, {1, n});
  c.gamma = c.beta = Tensor(request.parameters, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    const int s = sign[static_cast<std::size_t>(i)];
    c.x.set_value(i, (has_mean ? d : 0) + s * d);
    c.gamma->set_value(i, s < 0 ? -g : g);
    c.beta->set_value(i, beta);
  }
  return c;
}

const std::vector<std::int64_t>& evidence_lengths() {
  static const std::vector<std::int64_t> all = {4096, 16411, 65536, 65543};
  return all;
}

}  // namespace normcheck

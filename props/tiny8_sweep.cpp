// The sweep over rows of 8-bit numbers: exact moments in integers, and the bounds of the algorithms.
#include "props/tiny8_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "corpus/generate.h"

namespace normcheck {
namespace {

std::string text(Tiny8 v) { return fmt::format("{:02x} ({:g})", v.bits(), v.value()); }

/// The exact moments of a row in integers: mean = sum/n units of 2^-9, V = spread/n^2 units of 2^-18.
struct Truth {
  std::int64_t n = 0, sum = 0, spread = 0;
  explicit Truth(std::span<const double> x) : n(static_cast<std::int64_t>(x.size())) {
    std::int64_t squares = 0;
    for (const double v : x) {
      const auto units = static_cast<std::int64_t>(v * 512);
      sum += units;
      squares += units * units;
    }
    spread = n * squares - sum * sum;
  }
  // A quotient of such integers that is no tie is further from every tie of the format than a double's
  // rounding takes it: two roundings are as good as one.
  Tiny8 mean() const { return Tiny8(static_cast<double>(sum) / static_cast<double>(n) * 0x1p-9); }
  Tiny8 variance() const { return Tiny8(static_cast<double>(spread) / static_cast<double>(n * n) * 0x1p-18); }
  // n times the error of a mean in its units, n^2 times that of a variance: integers below 2^53.
  double mean_error(double got) const {
    return static_cast<double>(std::abs(n * static_cast<std::int64_t>(got * 512) - sum));
  }
  double variance_error(double got) const {
    return static_cast<double>(std::abs(n * n * 512 * static_cast<std::int64_t>(got * 512) - spread));
  }
};

std::string text(std::span<const Tiny8> x) {
  std::string out;
  for (const Tiny8 v : x) out += (out.empty() ? "" : ", ") + text(v);
  return out;
}

/// error <= scale*bound, decided exactly: the fma rounds once, and so keeps the sign. `most`: the largest
/// share so far.
bool keeps(std::span<const Tiny8> x, double error, double scale, double bound, Tiny8Share& most) {
  if (error > 0 && bound > 0 && error / (scale * bound) > most.share)
    most = {error / (scale * bound), text(x)};
  return std::fma(scale, bound, -error) >= 0;
}

/// Empty, or what of its bound the subject breaks.
std::string_view broken(std::span<const Tiny8> x, Moments<Tiny8> got, const MomentBound& bound,
                        const Truth& truth, Tiny8Seen& seen) {
  const double mean = got.mean.value(), variance = got.var.value(), n = static_cast<double>(truth.n);
  if (!std::isfinite(mean) || !std::isfinite(variance)) return "not finite in range";
  seen.mean_not_rounded += got.mean != truth.mean();
  seen.var_not_rounded += got.var != truth.variance();
  const double mean_bound = bound.mean.value() * 0x1p9, variance_bound = bound.variance.value() * 0x1p18;
  seen.unbounded += !std::isfinite(mean_bound) || !std::isfinite(variance_bound);
  if (!keeps(x, truth.mean_error(mean), n, mean_bound, seen.mean)) return "mean";
  if (!keeps(x, truth.variance_error(variance), n * n, variance_bound, seen.variance)) return "variance";
  if (bound.variance_nonnegative && variance < 0) return "negative variance";
  return {};
}

void judge_row(const Tiny8Subject& subject, std::span<const Tiny8> x, const RowFacts& facts,
               const Truth& truth, Tiny8Seen& seen) {
  const MomentBound bound = subject.bound(facts, subject.format);
  if (!bound.in_range) {
    ++seen.out_of_range;
    return;
  }
  ++seen.judged;
  const Moments<Tiny8> got = subject.moments(x);
  const std::string_view what = broken(x, got, bound, truth, seen);
  if (what.empty()) return;
  if (seen.violations++ > 0) return;
  seen.first = fmt::format("{}: {}; row {}", subject.name, what, text(x));
  seen.first += fmt::format("; mean {:g} of {}/{}/512 +- {:g}, var {:g} of {}/{}/512/512 +- {:g}",
                            got.mean.value(), truth.sum, truth.n, bound.mean.value(), got.var.value(),
                            truth.spread, truth.n * truth.n, bound.variance.value());
}

}  // namespace

std::vector<Tiny8Subject> every_tiny8_algorithm() {
  std::vector<Tiny8Subject> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    const auto moments = [](std::span<const Tiny8> x) {
      Moments<Tiny8> m = A::template moments<Tiny8>(x);
      if constexpr (is_compensated<A>) m.mean = m.mean + m.mean_lo;
      return m;
    };
    out.push_back({A::name, moments, A::bound});
  });
  return out;
}

Tiny8Sweep sweep_tiny8(const std::vector<Tiny8Subject>& subjects, std::uint64_t thinned, std::uint64_t seed) {
  Tiny8Sweep out;
  out.seen.resize(subjects.size());
  const CounterRng rng(seed, 320);
  RowCondition condition;
  std::array<Tiny8, 3> x;
  std::array<double, 3> values{};
  for (std::size_t n = 1; n <= 3; ++n) {
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << (8 * n)); ++code) {
      if (n == 3 && rng.at(code) % thinned != 0) continue;
      bool finite = true;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = Tiny8::of_bits(static_cast<std::uint8_t>(code >> (8 * i)));
        values[i] = x[i].value();
        finite = finite && std::isfinite(values[i]);
      }
      ++out.rows;
      const std::span<const Tiny8> row(x.data(), n);
      if (!finite) {
        ++out.not_finite;
        for (std::size_t s = 0; s < subjects.size(); ++s)
          out.seen[s].finite_mean += std::isfinite(subjects[s].moments(row).mean.value());
        continue;
      }
      condition.fill(values.data(), static_cast<std::int64_t>(n), true);
      const Truth truth(std::span<const double>(values.data(), n));
      for (std::size_t s = 0; s < subjects.size(); ++s)
        judge_row(subjects[s], row, condition.facts(), truth, out.seen[s]);
    }
  }
  return out;
}

}  // namespace normcheck

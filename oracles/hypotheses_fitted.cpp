// Hypotheses with a whole number in them: the one that comes nearest to what a row's y implies.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "oracles/hypotheses.h"

namespace normcheck {
namespace {

using Row = const HypothesisRow&;

/// How far two statistics lie apart: the means by the deviation, the variances by their ratio.
double apart(const Moments2& a, double mean, double variance, double deviation) {
  const auto of_mean = static_cast<double>(a.mean - mean) / deviation;
  const auto ratio = static_cast<double>(a.variance) / variance;
  const double of_variance = ratio > 0 ? std::log(ratio) : std::numeric_limits<double>::infinity();
  return of_mean * of_mean + of_variance * of_variance;
}

/// The whole number from `first` to `last` whose statistics come nearest; below `first`: none.
template <class Of>
std::int64_t nearest(std::int64_t first, std::int64_t last, double mean, double variance, double deviation,
                     Of of) {
  std::int64_t best = first - 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t k = first; k <= last; ++k) {
    const double d = apart(of(k), mean, variance, deviation);
    if (d < least) least = d, best = k;
  }
  return best;
}

/// Sums of the elements and of the squares about the row's own mean, of the first k.
struct Prefixes {
  explicit Prefixes(Row r) : sum(1), squares(1) {
    for (const double v : r.x) {
      const Quad d = v - r.exact.mean;
      sum.push_back(sum.back() + d);
      squares.push_back(squares.back() + d * d);
    }
  }
  std::vector<Quad> sum, squares;  ///< of x - mean
};

/// Of `count` elements whose deviations from `mean` have these sums, divided by `divisor`.
Moments2 of_sums(Quad mean, Quad sum, Quad squares, Quad divisor) {
  const Quad off = sum / divisor;
  return {mean + off, squares / divisor - off * off};
}

class Fitted {
 public:
  Fitted(Row r, double mean, double variance)
      : r_(r),
        mean_(mean),
        variance_(variance),
        deviation_(std::sqrt(static_cast<double>(r.exact.variance))),
        prefixes_(r) {}

  std::vector<Hypothesis> all() {
    if (!(deviation_ > 0) || !(variance_ > 0) || r_.n < 2) return {};
    of_some_elements();
    of_sums_of_some();
    squares_of_some();
    without_one();
    with_divisors();
    with_zeros();
    of_every_so_many();
    return std::move(out_);
  }

 private:
  template <class Of>
  std::int64_t fit(std::int64_t first, std::int64_t last, Of of) const {
    return nearest(first, last, mean_, variance_, deviation_, of);
  }
  void add(std::string name, std::string group, std::function<Moments2(Row)> moments) {
    Hypothesis h;
    h.name = std::move(name);
    h.group = std::move(group);
    h.moments = [moments = std::move(moments)](Row r, std::int64_t) { return moments(r); };
    out_.push_back(std::move(h));
  }
  Moments2 of_first(std::int64_t k, Quad divisor) const {
    const auto i = static_cast<std::size_t>(k);
    return of_sums(r_.exact.mean, prefixes_.sum[i], prefixes_.squares[i], divisor);
  }
  Moments2 of_last(std::int64_t k) const {
    const std::size_t n = prefixes_.sum.size() - 1, i = n - static_cast<std::size_t>(k);
    return of_sums(r_.exact.mean, prefixes_.sum[n] - prefixes_.sum[i],
                   prefixes_.squares[n] - prefixes_.squares[i], static_cast<Quad>(k));
  }

  void of_some_elements() {
    std::int64_t k = fit(1, r_.n - 1, [&](std::int64_t i) { return of_first(i, static_cast<Quad>(i)); });
    if (k > 0) {
      add(fmt::format("statistics of the first {} of {} elements alone", k, r_.n),
          "statistics of the first elements alone", [k](Row r) { return r.of_first(k); });
    }
    k = fit(1, r_.n - 1, [&](std::int64_t i) { return of_last(i); });
    if (k > 0) {
      add(fmt::format("statistics of the last {} of {} elements alone", k, r_.n),
          "statistics of the last elements alone",
          [k](Row r) { return r.of_slice(r.row * r.n + r.n - k, k, 1); });
    }
  }
  /// Both sums of the first k elements, divided by n. The sum of squares is about the mean that comes of it.
  void of_sums_of_some() {
    const auto of = [](Row r, std::int64_t k) {
      const Moments2 m = r.of_first(k);
      const Quad share = static_cast<Quad>(k) / static_cast<Quad>(r.n), mean = m.mean * share,
                 off = m.mean - mean;
      return Moments2{mean, (m.variance + off * off) * share};
    };
    const std::int64_t k = fit(1, r_.n - 1, [&](std::int64_t i) {
      const Moments2 m = of_first(i, static_cast<Quad>(i));
      const Quad share = static_cast<Quad>(i) / static_cast<Quad>(r_.n), mean = m.mean * share,
                 off = m.mean - mean;
      return Moments2{mean, (m.variance + off * off) * share};
    });
    if (k > 0) {
      add(fmt::format("sums of the first {} elements, divided by {}", k, r_.n),
          "sums of the first elements, divided by n", [k, of](Row r) { return of(r, k); });
    }
  }
  void squares_of_some() {
    const std::int64_t k = fit(1, r_.n - 1, [&](std::int64_t i) {
      return Moments2{r_.exact.mean,
                      prefixes_.squares[static_cast<std::size_t>(i)] / static_cast<Quad>(r_.n)};
    });
    if (k < 1) return;
    add(fmt::format("squares of the first {} of {} elements alone", k, r_.n),
        "squares of the first elements alone", [k](Row r) {
          Quad squares = 0;
          for (std::int64_t i = 0; i < k; ++i) {
            const Quad d = r.x[static_cast<std::size_t>(i)] - r.exact.mean;
            squares += d * d;
          }
          return Moments2{r.exact.mean, squares / static_cast<Quad>(r.n)};
        });
  }
  /// One element left out (-1) or taken twice (1), divided by as many as are taken or by n.
  static Moments2 with_one(Row r, std::int64_t i, int times, bool by_n) {
    const Quad d = r.x[static_cast<std::size_t>(i)] - r.exact.mean;
    const auto n = static_cast<Quad>(r.n), taken = n + times;
    // About the mean: n*V + times*d^2 over `taken` elements whose deviations add up to times*d.
    const Quad sum = d * times, squares = n * r.exact.variance + d * d * times;
    if (!by_n) return of_sums(r.exact.mean, sum, squares, taken);
    const Quad mean = (r.exact.mean * taken + sum) / n, off = r.exact.mean - mean;
    return {mean, (squares + 2 * off * sum + taken * off * off) / n};
  }
  void without_one() {
    for (const int times : {-1, 1}) {
      if (r_.n + times < 2) continue;
      for (const bool by_n : {false, true}) {
        const std::int64_t i = fit(0, r_.n - 1, [&](std::int64_t k) { return with_one(r_, k, times, by_n); });
        if (i < 0) continue;
        const std::string what = times < 0 ? "left out of the statistics" : "counted twice";
        add(fmt::format("element {} {}{}", i, what, by_n ? ", divided by n" : ""),
            fmt::format("one element {}{}", what, by_n ? ", divided by n" : ""),
            [i, times, by_n](Row r) { return with_one(r, i, times, by_n); });
      }
    }
  }
  void with_divisors() {
    const double n = static_cast<double>(r_.n);
    const double m = std::round(n * static_cast<double>(r_.exact.variance) / variance_);
    if (m >= 1 && m < 0x1p40 && m != n) {
      add(fmt::format("the variance divided by {} in place of {}", static_cast<std::int64_t>(m), r_.n),
          "the variance divided by another number than n", [m](Row r) {
            return Moments2{r.exact.mean, r.exact.variance * static_cast<Quad>(r.n) / m};
          });
    }
    const double sums = std::round(n * static_cast<double>(r_.exact.mean) / mean_);
    if (sums >= 1 && sums < 0x1p40 && sums != n) {
      add(fmt::format("the sums divided by {} in place of {}", static_cast<std::int64_t>(sums), r_.n),
          "the sums divided by another number than n", [sums](Row r) {
            const Quad share = static_cast<Quad>(r.n) / sums, off = r.exact.mean * (1 - share);
            return Moments2{r.exact.mean * share, (r.exact.variance + off * off) * share};
          });
      add(fmt::format("the sum of x divided by {} in place of {}", static_cast<std::int64_t>(sums), r_.n),
          "the sum of x divided by another number than n", [sums](Row r) {
            const Quad share = static_cast<Quad>(r.n) / sums, off = r.exact.mean * (1 - share);
            return Moments2{r.exact.mean * share, r.exact.variance + off * off};
          });
    }
  }
  void with_zeros() {
    const double n = static_cast<double>(r_.n), mean = static_cast<double>(r_.exact.mean);
    const double lanes = std::round(n * (variance_ - static_cast<double>(r_.exact.variance)) / (mean * mean));
    if (lanes >= 1 && lanes < 0x1p40) {
      add(fmt::format("{} zeros counted in the variance", static_cast<std::int64_t>(lanes)),
          "zeros counted in the variance", [lanes](Row r) {
            return Moments2{r.exact.mean,
                            r.exact.variance + r.exact.mean * r.exact.mean * lanes / static_cast<Quad>(r.n)};
          });
    }
    const double all = std::round(n * mean / mean_ - n);
    if (all >= 1 && all < 0x1p40) {
      add(fmt::format("{} zeros counted in mean and variance", static_cast<std::int64_t>(all)),
          "zeros counted in mean and variance",
          [all](Row r) { return r.with_zeros(static_cast<std::int64_t>(all)); });
    }
  }
  void of_every_so_many() {
    constexpr std::int64_t most = 64;
    const auto of = [](Row r, std::int64_t step) {
      return r.of_slice(r.row * r.n, (r.n + step - 1) / step, step);
    };
    const std::int64_t step = fit(2, std::min(most, r_.n), [&](std::int64_t k) { return of(r_, k); });
    if (step < 2) return;
    add(fmt::format("statistics of one element in {} alone", step), "statistics of some lanes alone",
        [step, of](Row r) { return of(r, step); });
  }

  Row r_;
  double mean_, variance_, deviation_;
  Prefixes prefixes_;
  std::vector<Hypothesis> out_;
};

}  // namespace

std::vector<Hypothesis> fitted_hypotheses(const HypothesisRow& r, double mean, double variance) {
  return Fitted(r, mean, variance).all();
}

}  // namespace normcheck

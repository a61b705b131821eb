// Sums, squares and steps that round to a half, run in the orders in use.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

#include "corpus/dtype.h"
#include "oracles/hypotheses.h"

namespace normcheck {
namespace {

using Row = const HypothesisRow&;
using Term = std::function<double(std::int64_t)>;

/// How many lanes are added up one after another, and then by halves; 0: pairwise throughout.
using Order = std::int64_t;
constexpr Order pairwise = 0;
constexpr std::int64_t most_lanes = 32;
constexpr Order orders[] = {1, pairwise, 8, most_lanes};

/// A number type that steps round to. Two of its numbers have an exact sum and product in double, or one that
/// is rounded to it alike.
struct Narrow {
  DType dtype;
  double operator()(double v) const { return to_double(dtype, round_to(dtype, v)); }
  double operator()(Quad v) const { return (*this)(static_cast<double>(v)); }
};

double halved(const Narrow& t, std::int64_t from, std::int64_t to, const Term& term) {
  if (to - from == 1) return t(term(from));
  const std::int64_t middle = from + (to - from + 1) / 2;
  return t(halved(t, from, middle, term) + halved(t, middle, to, term));
}

/// The sum of n terms, each addition rounded.
double accumulated(const Narrow& t, Order order, std::int64_t n, const Term& term) {
  if (n == 0) return 0;
  if (order == pairwise) return halved(t, 0, n, term);
  const std::int64_t lanes = order;
  double lane[most_lanes] = {};
  for (std::int64_t i = 0; i < n; ++i) lane[i % lanes] = t(lane[i % lanes] + term(i));
  for (std::int64_t width = lanes / 2; width > 0; width /= 2) {
    for (std::int64_t k = 0; k < width; ++k) lane[k] = t(lane[k] + lane[k + width]);
  }
  return lane[0];
}

double x_at(Row r, std::int64_t i) { return r.x[static_cast<std::size_t>(i)]; }
double as_double(Quad v) { return static_cast<double>(v); }

class Narrowed {
 public:
  Narrowed(DType dtype, std::vector<Hypothesis>& out) : t_{dtype}, out_(out), before_(out.size()) {}

  void add_all() {
    const std::string name(dtype_name(t_.dtype));
    for (const Order order : orders) {
      for (const bool rounded : {true, false}) add_sum(name, order, rounded);
    }
    for (const bool centred : {false, true}) add_squares(name, centred);
    for (const Order order : orders) {
      for (const int products : {0, 1, 2}) {
        for (const bool rounded : {false, true}) add_sum_of_squares(name, order, products, rounded);
      }
      for (const bool centred : {false, true}) add_shares(name, order, centred);
      add_scaled(name, order);
      for (const bool rounded : {false, true}) add_both(name, order, rounded);
    }
    for (const int roundings : {0, 1, 2}) add_second_moments(name, roundings);
    for (const Order order : orders) add_one_pass(name, order);
    for (const Order order : orders) {
      for (const Steps steps : {Steps::two_pass, Steps::one_pass}) add_steps(name, order, steps);
    }
    add_steps(name, 1, Steps::welford);
    add_count(name);
    for (std::size_t i = before_; i < out_.size(); ++i)
      out_[i].kind = fmt::format("sums or steps rounded to {}", name);
  }

 private:
  void add(std::string name, std::function<Moments2(Row)> moments) {
    Hypothesis h;
    h.name = std::move(name);
    h.moments = [moments = std::move(moments)](Row r, std::int64_t) { return moments(r); };
    h.applies = applies();
    out_.push_back(std::move(h));
  }
  std::function<bool(Row)> applies() const {
    return [t = t_](Row r) {
      const DType x = r.problem().x.dtype;
      return x == t.dtype || (!is_half(x) && x != DType::f64);
    };
  }
  /// Mean and the variance about it, where the mean alone is off.
  static Moments2 about(Row r, double mean) {
    const Quad apart = r.exact.mean - mean;
    return {mean, r.exact.variance + apart * apart};
  }

  void add_sum(const std::string& name, Order order, bool rounded) {
    add(fmt::format("the sum of x accumulated in {}", name), [t = t_, order, rounded](Row r) {
      const double sum = accumulated(t, order, r.n, [&](std::int64_t i) { return x_at(r, i); });
      const double mean = sum / static_cast<double>(r.n);
      return about(r, rounded ? t(mean) : mean);
    });
  }
  void add_squares(const std::string& name, bool centred) {
    add(fmt::format("squares rounded to {}", name), [t = t_, centred](Row r) {
      double sum = 0;
      for (std::int64_t i = 0; i < r.n; ++i) {
        const double d = deviation(t, r, i, as_double(r.exact.mean), centred);
        sum += t(d * d);
      }
      return Moments2{r.exact.mean, sum / static_cast<double>(r.n)};
    });
  }
  static double deviation(const Narrow& t, Row r, std::int64_t i, double mean, bool rounded) {
    const double d = x_at(r, i) - mean;
    return rounded ? t(d) : d;
  }
  /// `products`: 0 exact, 1 rounded, 2 of rounded deviations.
  void add_sum_of_squares(const std::string& name, Order order, int products, bool rounded) {
    add(fmt::format("the sum of squares accumulated in {}", name), [t = t_, order, products, rounded](Row r) {
      const double sum = accumulated(t, order, r.n, [&](std::int64_t i) {
        const double d = deviation(t, r, i, as_double(r.exact.mean), products == 2);
        return products > 0 ? t(d * d) : d * d;
      });
      const double variance = sum / static_cast<double>(r.n);
      return Moments2{r.exact.mean, rounded ? t(variance) : variance};
    });
  }
  void add_shares(const std::string& name, Order order, bool centred) {
    add(fmt::format("squares over n accumulated in {}", name), [t = t_, order, centred](Row r) {
      const auto n = static_cast<double>(r.n);
      return Moments2{r.exact.mean, accumulated(t, order, r.n, [&](std::int64_t i) {
                        const double d = deviation(t, r, i, as_double(r.exact.mean), centred);
                        return t(t(d * d) / n);
                      })};
    });
  }
  void add_scaled(const std::string& name, Order order) {
    add(fmt::format("squares of deviations over sqrt(n) accumulated in {}", name), [t = t_, order](Row r) {
      const double scale = t(1 / std::sqrt(static_cast<double>(r.n)));
      return Moments2{r.exact.mean, accumulated(t, order, r.n, [&](std::int64_t i) {
                        const double d = t((x_at(r, i) - as_double(r.exact.mean)) * scale);
                        return t(d * d);
                      })};
    });
  }
  static Moments2 both(const Narrow& t, Order order, Row r, bool rounded) {
    const auto n = static_cast<double>(r.n);
    const double mean = t(accumulated(t, order, r.n, [&](std::int64_t i) { return x_at(r, i); }) / n);
    const double variance = accumulated(t, order, r.n,
                                        [&](std::int64_t i) {
                                          const double d = t(x_at(r, i) - mean);
                                          return t(d * d);
                                        }) /
                            n;
    return {mean, rounded ? t(variance) : variance};
  }
  void add_both(const std::string& name, Order order, bool rounded) {
    add(fmt::format("the sums of x and of squares accumulated in {}", name),
        [t = t_, order, rounded](Row r) { return both(t, order, r, rounded); });
  }
  /// E[x^2] - E[x]^2 of sums that are right. `roundings`: of both means, of the square of the mean too, of
  /// the difference too.
  void add_second_moments(const std::string& name, int roundings) {
    add(fmt::format("E[x^2] and E[x]^2 rounded to {} before their difference", name),
        [t = t_, roundings](Row r) {
          const double mean = t(r.exact.mean);
          const double second = t(r.exact.variance + r.exact.mean * r.exact.mean);
          const double square = roundings > 0 ? t(mean * mean) : mean * mean;
          return Moments2{mean, roundings > 1 ? t(second - square) : second - square};
        });
  }
  static Moments2 one_pass(const Narrow& t, Order order, Row r) {
    const auto n = static_cast<double>(r.n);
    const double mean = t(accumulated(t, order, r.n, [&](std::int64_t i) { return x_at(r, i); }) / n);
    const double second =
        t(accumulated(t, order, r.n, [&](std::int64_t i) { return t(x_at(r, i) * x_at(r, i)); }) / n);
    return {mean, t(second - t(mean * mean))};
  }
  void add_one_pass(const std::string& name, Order order) {
    add(fmt::format("one-pass sums accumulated in {}", name),
        [t = t_, order](Row r) { return one_pass(t, order, r); });
  }
  static Moments2 welford(const Narrow& t, Row r) {
    double mean = 0, squares = 0;
    for (std::int64_t i = 0; i < r.n; ++i) {
      const double d = t(x_at(r, i) - mean);
      mean = t(mean + t(d / t(static_cast<double>(i + 1))));
      squares = t(squares + t(d * t(x_at(r, i) - mean)));
    }
    return {mean, t(squares / t(static_cast<double>(r.n)))};
  }
  enum class Steps : std::uint8_t { two_pass, one_pass, welford };
  /// The formula as single operations, each of which rounds.
  void add_steps(const std::string& name, Order order, Steps steps) {
    Hypothesis h;
    h.name = fmt::format("every step rounded to {}", name);
    h.applies = applies();
    h.whole = [t = t_, order, steps](Row r) {
      const Moments2 m = steps == Steps::one_pass  ? one_pass(t, order, r)
                         : steps == Steps::welford ? welford(t, r)
                                                   : both(t, order, r, true);
      const double mean = as_double(m.mean);
      const double rstd = t(1 / t(std::sqrt(t(as_double(m.variance) + t(r.eps)))));
      std::vector<Quad> y;
      for (std::int64_t i = 0; i < r.n; ++i) {
        double v = t(t(x_at(r, i) - mean) * rstd);
        if (r.has_gamma()) v = t(v * t(r.gamma(i)));
        if (r.has_beta()) v = t(v + t(r.beta(i)));
        y.push_back(v);
      }
      return y;
    };
    out_.push_back(std::move(h));
  }
  void add_count(const std::string& name) {
    Hypothesis h;
    h.name = fmt::format("n rounded to {}", name);
    h.moments = [t = t_](Row r, std::int64_t) {
      const double n = t(static_cast<double>(r.n));
      if (!std::isfinite(n)) return Moments2{0, 0};
      const Quad sum = r.exact.mean * static_cast<Quad>(r.n), mean = sum / n, apart = r.exact.mean - mean;
      return Moments2{mean, (r.exact.variance + apart * apart) * static_cast<Quad>(r.n) / n};
    };
    h.applies = [t = t_](Row r) { return t(static_cast<double>(r.n)) != static_cast<double>(r.n); };
    out_.push_back(std::move(h));
  }

  Narrow t_;
  std::vector<Hypothesis>& out_;
  std::size_t before_;
};

}  // namespace

std::span<const Hypothesis> narrow_hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> out;
    for (const DType dtype : {DType::f16, DType::bf16}) Narrowed(dtype, out).add_all();
    return out;
  }();
  return all;
}

}  // namespace normcheck

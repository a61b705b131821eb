// What forward keeps (x_hat, x-mean, var, mean, eps) suffices for dx, and what dropping one costs: in
// rationals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/arithmetic/exact.h"
#include "props/promise.h"

namespace normcheck {

/// A number and its derivative along one input: the algorithm's own source is differentiated, exactly.
struct Dual {
  Exact value;
  Exact slope;
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const Exact q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  friend bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
};

template <>
struct ArithmeticTraits<Dual> {
  static Dual from_count(std::int64_t n) { return {Exact(n), Exact()}; }
  static Dual from_double(double v) { return {Exact(v), Exact()}; }
  static double to_double(const Dual& v) { return v.value.to_double(); }
};

namespace {

using Numbers = std::vector<Exact>;
Exact whole(std::int64_t n) { return Exact(n); }
Exact length(const Numbers& x) { return whole(static_cast<std::int64_t>(x.size())); }
Exact mean_of(const Numbers& x) {
  Exact sum;
  for (const Exact& v : x) sum = sum + v;
  return sum / length(x);
}

/// What forward may keep of a row for the backward pass; and x itself, which the caller of backward has.
struct Kept {
  std::optional<Numbers> x_hat, centre;
  std::optional<Exact> var, mean, eps;
  Numbers x;
};

/// A row whose var+eps is the square of the rational `root`, so that x_hat is rational too.
struct BackwardCase {
  Kept all;
  Exact root;
  Numbers g;  ///< dy*gamma
};

BackwardCase backward_case(CounterRng& rng, std::int64_t n, bool constant = false) {
  BackwardCase b;
  for (std::int64_t i = 0; i < n; ++i) {
    b.all.x.push_back(constant ? whole(5) : whole(rng.between(-50, 50)) / whole(8));
    b.g.push_back(whole(rng.between(-20, 20)) * (whole(rng.between(1, 9)) / whole(4)));
  }
  const Moments<Exact> m = TwoPass::moments<Exact>(b.all.x);
  b.root = whole(static_cast<std::int64_t>(std::sqrt(m.var.to_double())) + 1) +
           whole(rng.between(0, 3)) / whole(7);
  b.all.var = m.var;
  b.all.mean = m.mean;
  b.all.eps = b.root * b.root - m.var;
  b.all.centre.emplace();
  b.all.x_hat.emplace();
  for (const Exact& v : b.all.x) {
    b.all.centre->push_back(v - m.mean);
    b.all.x_hat->push_back((v - m.mean) / b.root);
  }
  return b;
}

/// dx_i = rstd*(g_i - mean(g) - x_hat_i*mean(g*x_hat)).
Numbers dx_from(const Numbers& x_hat, const Exact& rstd, const Numbers& g) {
  Numbers products;
  for (std::size_t i = 0; i < g.size(); ++i) products.push_back(g[i] * x_hat[i]);
  const Exact mean = mean_of(g), dot = mean_of(products);
  Numbers dx;
  for (std::size_t i = 0; i < g.size(); ++i) dx.push_back(rstd * (g[i] - mean - x_hat[i] * dot));
  return dx;
}

/// dx_j = d/dx_j of sum_i g_i x_hat_i(x), by differentiating an algorithm's source and the quotient rule.
template <class A>
Numbers dx_from_source(const BackwardCase& b) {
  Numbers dx;
  for (std::size_t j = 0; j < b.all.x.size(); ++j) {
    std::vector<Dual> x;
    for (std::size_t i = 0; i < b.all.x.size(); ++i) x.push_back({b.all.x[i], whole(i == j ? 1 : 0)});
    const Moments<Dual> m = A::template moments<Dual>(x);
    const Dual root = {b.root, m.var.slope / (whole(2) * b.root)};
    Exact sum;
    for (std::size_t i = 0; i < x.size(); ++i) sum = sum + b.g[i] * ((x[i] - m.mean) / root).slope;
    dx.push_back(sum);
  }
  return dx;
}

Numbers centred(const Numbers& x, const Exact& mean) {
  Numbers c;
  for (const Exact& v : x) c.push_back(v - mean);
  return c;
}
Exact mean_square(const Numbers& c) {
  Numbers squares;
  for (const Exact& v : c) squares.push_back(v * v);
  return mean_of(squares);
}
Numbers scaled(const Numbers& c, const Exact& by) {
  Numbers out;
  for (const Exact& v : c) out.push_back(v * by);
  return out;
}

/// What was dropped, what has to be computed again, and that computation (`root` is the square root).
struct Drop {
  std::string_view dropped;
  std::string_view recompute;
  void (*forget)(Kept&);
  Numbers (*dx)(const Kept&, const Numbers& g, const std::function<Exact(const Exact&)>& root);
};
using Root = std::function<Exact(const Exact&)>;

const std::array drops = {
    Drop{"nothing", "rstd = 1/sqrt(var+eps)", [](Kept&) {},
         [](const Kept& k, const Numbers& g, const Root& root) {
           return dx_from(*k.x_hat, whole(1) / root(*k.var + *k.eps), g);
         }},
    Drop{"mean", "nothing: dx does not read it (and of the others only x gives it back)",
         [](Kept& k) { k.mean.reset(); },
         [](const Kept& k, const Numbers& g, const Root& root) {
           return dx_from(*k.x_hat, whole(1) / root(*k.var + *k.eps), g);
         }},
    Drop{"x-mean", "nothing: x_hat stands for it", [](Kept& k) { k.centre.reset(); },
         [](const Kept& k, const Numbers& g, const Root& root) {
           return dx_from(*k.x_hat, whole(1) / root(*k.var + *k.eps), g);
         }},
    Drop{"x_hat", "x_hat = (x-mean)*rstd, n products", [](Kept& k) { k.x_hat.reset(); },
         [](const Kept& k, const Numbers& g, const Root& root) {
           const Exact rstd = whole(1) / root(*k.var + *k.eps);
           return dx_from(scaled(*k.centre, rstd), rstd, g);
         }},
    Drop{"var", "var = mean((x-mean)^2), a reduction", [](Kept& k) { k.var.reset(); },
         [](const Kept& k, const Numbers& g, const Root& root) {
           return dx_from(*k.x_hat, whole(1) / root(mean_square(*k.centre) + *k.eps), g);
         }},
    Drop{"eps", "rstd = x_hat_i/(x-mean)_i at an x_i that is not the mean; on a constant row it is lost",
         [](Kept& k) { k.eps.reset(); },
         [](const Kept& k, const Numbers& g, const Root&) {
           for (std::size_t i = 0; i < g.size(); ++i) {
             if (!((*k.centre)[i] == Exact())) return dx_from(*k.x_hat, (*k.x_hat)[i] / (*k.centre)[i], g);
           }
           return Numbers{};
         }},
    Drop{"x_hat, x-mean", "x-mean from x and mean, then x_hat",
         [](Kept& k) {
           k.x_hat.reset();
           k.centre.reset();
         },
         [](const Kept& k, const Numbers& g, const Root& root) {
           const Exact rstd = whole(1) / root(*k.var + *k.eps);
           return dx_from(scaled(centred(k.x, *k.mean), rstd), rstd, g);
         }},
    Drop{"x_hat, x-mean, var, mean", "both reductions over x again: all of forward but scale and shift",
         [](Kept& k) {
           k.x_hat.reset();
           k.centre.reset();
           k.var.reset();
           k.mean.reset();
         },
         [](const Kept& k, const Numbers& g, const Root& root) {
           const Moments<Exact> m = Welford::moments<Exact>(k.x);
           const Exact rstd = whole(1) / root(m.var + *k.eps);
           return dx_from(scaled(centred(k.x, m.mean), rstd), rstd, g);
         }},
};

Root root_of(const BackwardCase& b) {
  return [&b](const Exact& v) {
    EXPECT_TRUE(b.root * b.root == v) << "a root was asked of something that is not var+eps";
    return b.root;
  };
}

TEST(Algebra, WhatForwardKeepsSufficesForDx) {
  CounterRng rng(promise_seed(), 103);
  int rows = 0;
  for (const Drop& drop : drops) {
    for (std::int64_t n = 2; n <= 12; ++n) {
      const BackwardCase b = backward_case(rng, n);
      Kept kept = b.all;
      drop.forget(kept);
      const Numbers dx = drop.dx(kept, b.g, root_of(b));
      EXPECT_TRUE(dx == dx_from_source<TwoPass>(b)) << drop.dropped << " n " << n;
      EXPECT_TRUE(dx == dx_from_source<Welford>(b)) << drop.dropped << " n " << n;
      ++rows;
    }
    fmt::print("dropped: {:<26} again: {}\n", drop.dropped, drop.recompute);
  }
  fmt::print("{} rows of 2 to 12 elements\n", rows);
}

TEST(Algebra, DxNeedsEpsAndBothReductions) {
  CounterRng rng(promise_seed(), 104);
  int wrong_eps = 0, no_mean = 0, rows = 0;
  for (std::int64_t n = 3; n <= 12; ++n, ++rows) {
    const BackwardCase b = backward_case(rng, n);
    const Numbers truth = dx_from_source<TwoPass>(b);
    // Planted: eps doubled, and a dx that leaves out mean(g).
    const Exact off = whole(1) / (b.root + *b.all.eps);
    Numbers without_mean = truth;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      without_mean[i] = truth[i] + mean_of(b.g) / b.root;
    }
    wrong_eps += !(dx_from(scaled(*b.all.centre, off), off, b.g) == truth);
    no_mean += !(without_mean == truth);
  }
  EXPECT_EQ(wrong_eps, rows);
  EXPECT_GE(no_mean, rows - 1);  // mean(g) may be 0 by chance
  // A constant row keeps no trace of eps but eps itself.
  BackwardCase constant = backward_case(rng, 6, true);
  EXPECT_TRUE(drops[5].dx(constant.all, constant.g, root_of(constant)).empty());
  EXPECT_TRUE(drops[0].dx(constant.all, constant.g, root_of(constant)) == dx_from_source<TwoPass>(constant));
  fmt::print("planted: a wrong eps is unequal on {} of {} rows, a missing mean(g) on {}\n", wrong_eps, rows,
             no_mean);
}

}  // namespace
}  // namespace normcheck

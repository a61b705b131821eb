// Moments as a careful kernel may form them, with the choices that it has drawn at random: any order of the
// sums, any merge tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/chan.h"
#include "impl/algorithms/moments.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

template <Arithmetic R>
R reciprocal(std::size_t n) {
  return count<R>(1) / count<R>(static_cast<std::int64_t>(n));
}

/// A sum in a random order of additions: forwards, backwards, or cut at random and added in pairs.
template <Arithmetic R>
R any_sum(CounterRng& rng, std::span<const R> x) {
  const std::uint64_t way = rng.below(4);
  if (x.size() <= 2 || way < 2) {
    R sum{};
    for (std::size_t i = 0; i < x.size(); ++i) sum = sum + x[way == 0 ? i : x.size() - 1 - i];
    return sum;
  }
  const std::size_t middle = way == 2 ? x.size() / 2 : 1 + rng.below(x.size() - 1);
  const R left = any_sum(rng, x.first(middle));
  return left + any_sum(rng, x.subspan(middle));
}

/// Two passes, each sum in an order of its own, each division by a rounded 1/n.
template <Arithmetic R>
Moments<R> two_pass_in_any_order(CounterRng& rng, std::span<const R> x) {
  const R inverse = reciprocal<R>(x.size());
  const R mean = any_sum(rng, x) * inverse;
  std::vector<R> squares;
  for (const R& v : x) {
    const R d = v - mean;
    squares.push_back(d * d);
  }
  return {mean, any_sum(rng, std::span<const R>(squares)) * inverse};
}

/// A random merge tree over x, parts folded in at most twice as large as what they are folded into; the three
/// terms of S are added in any order.
template <Arithmetic R>
Partial<R> random_tree(CounterRng& rng, std::span<const R> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (n <= 2 || rng.coin(0.2)) return welford_partial(x);
  std::int64_t right = rng.coin() ? 1 : rng.between(1, n - 1);
  if (right > 2 * (n - right)) right = n / 2;
  const auto middle = static_cast<std::size_t>(n - right);
  const Partial<R> a = random_tree(rng, x.first(middle));
  const Partial<R> b = random_tree(rng, x.subspan(middle));
  Partial<R> whole = merge(a, b);
  if (rng.coin()) {
    const R gap = b.mean - a.mean;
    const R between = gap * gap * (count<R>(a.n) * (count<R>(b.n) / count<R>(n)));
    whole.square_dev =
        rng.coin() ? a.square_dev + (b.square_dev + between) : (a.square_dev + between) + b.square_dev;
  }
  return whole;
}
template <Arithmetic R>
Moments<R> tree_by_reciprocal(CounterRng& rng, std::span<const R> x) {
  const Partial<R> p = random_tree(rng, x);
  return {p.mean, p.square_dev * reciprocal<R>(x.size())};
}
template <Arithmetic R>
Moments<R> tree_by_count(CounterRng& rng, std::span<const R> x) {
  const Partial<R> p = random_tree(rng, x);
  return {p.mean, p.square_dev / count<R>(p.n)};
}

}  // namespace normcheck

// Finds the bound of an algorithm in an order: of its own row, of a tree's height, or over any merge tree.
#include "impl/orders.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "impl/algorithms/merge_tree.h"
#include "impl/algorithms/pairwise.h"
#include "impl/algorithms/two_pass.h"
#include "impl/table.h"

namespace normcheck {
namespace {

MomentBound two_pass_in_any_order(const RowFacts& facts, const Working& f) {
  return two_pass_bound(facts, f, Division::by_count, growth_in_any_order(facts.n, f));
}
MomentBound any_merge_tree(const RowFacts& facts, const Working& f) {
  return merge_tree_bound(facts, f, Division::by_count);
}

std::int64_t ceil_log2(std::int64_t n) {
  std::int64_t e = 0;
  while ((std::int64_t{1} << e) < n) ++e;
  return e;
}
/// L running sums, then a balanced tree over them.
template <std::int64_t lanes>
MomentBound two_pass_in_lanes(const RowFacts& facts, const Working& f) {
  const std::int64_t used = std::min(lanes, facts.n), each = (facts.n + lanes - 1) / lanes;
  return two_pass_bound(facts, f, Division::by_count, growth_of_tree(each - 1 + ceil_log2(used), f));
}
/// Blocks of B summed one after the other, then a balanced tree over the blocks.
template <std::int64_t block>
MomentBound two_pass_in_blocks(const RowFacts& facts, const Working& f) {
  const std::int64_t first = std::min(block, facts.n) - 1, blocks = (facts.n + block - 1) / block;
  return two_pass_bound(facts, f, Division::by_count, growth_of_tree(first + ceil_log2(blocks), f));
}

constexpr int most_exponent = 10;
template <int... e>
constexpr std::array<MomentBoundFunction, sizeof...(e)> lanes_of(std::integer_sequence<int, e...>) {
  return {two_pass_in_lanes<std::int64_t{1} << e>...};
}
template <int... e>
constexpr std::array<MomentBoundFunction, sizeof...(e)> blocks_of(std::integer_sequence<int, e...>) {
  return {two_pass_in_blocks<std::int64_t{1} << e>...};
}
constexpr auto in_lanes = lanes_of(std::make_integer_sequence<int, most_exponent + 1>());
constexpr auto in_blocks = blocks_of(std::make_integer_sequence<int, most_exponent + 1>());

/// The exponent of the power of two behind `prefix`, if `order` is that.
std::optional<std::size_t> sized(std::string_view order, std::string_view prefix) {
  if (!order.starts_with(prefix)) return std::nullopt;
  order.remove_prefix(prefix.size());
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(order.data(), order.data() + order.size(), size);
  if (error != std::errc() || end != order.data() + order.size() || size < 1) return std::nullopt;
  const std::int64_t e = ceil_log2(size);
  if (e > most_exponent || std::int64_t{1} << e != size) return std::nullopt;
  return static_cast<std::size_t>(e);
}

}  // namespace

std::optional<OrderedBound> moments_in_order(std::string_view algorithm, std::string_view order) {
  const std::span<const Row> rows = table();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.algorithm == algorithm; });
  if (row == rows.end()) return std::nullopt;
  if (order == "own") return OrderedBound{row->moments, row->reads_prefixes};
  if (algorithm == "two_pass") {
    if (order == "any" || order == "sequential" || order == "reversed")
      return OrderedBound{two_pass_in_any_order, false};
    if (order == "pairwise") return OrderedBound{Pairwise::bound, false};
    if (const auto e = sized(order, "lanes")) return OrderedBound{in_lanes.at(*e), false};
    if (const auto e = sized(order, "block")) return OrderedBound{in_blocks.at(*e), false};
    return std::nullopt;
  }
  const bool merges = algorithm == "welford" || algorithm == "welford_reciprocal" || algorithm == "chan" ||
                      algorithm.starts_with("lanes");
  if (merges && order == "any") return OrderedBound{any_merge_tree, false};
  return std::nullopt;
}

}  // namespace normcheck

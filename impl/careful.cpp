// The careful forms of the moments: what `stable` takes the largest allowance of.
#include <array>

#include "impl/algorithms/merge_tree.h"
#include "impl/algorithms/two_pass.h"
#include "impl/table.h"

namespace normcheck {
namespace {

// Also where the sums would be exact: a kernel that multiplies each term by 1/n, or merges weighted means, is
// careful and rounds there all the same.
MomentBound sums_in_any_order(const RowFacts& facts, const Working& format) {
  RowFacts rounding = facts;
  rounding.sum_bits = rounding.mean_bits = RowFacts::no_claim;
  return two_pass_bound(rounding, format, Division::by_reciprocal, growth_in_any_order(facts.n, format));
}
MomentBound any_merge_tree(const RowFacts& facts, const Working& format) {
  return merge_tree_bound(facts, format, Division::by_reciprocal);
}
constexpr std::array<MomentBoundFunction, 2> kCareful = {sums_in_any_order, any_merge_tree};

}  // namespace

std::span<const MomentBoundFunction> careful_forms() { return kCareful; }

MomentBound any_careful_form(const RowFacts& facts, const Working& format) {
  MomentBound out;
  out.in_range = out.variance_nonnegative = true;
  for (const MomentBoundFunction form : kCareful) {
    const MomentBound b = form(facts, format);
    out.mean = max(out.mean, b.mean);
    out.variance = max(out.variance, b.variance);
    out.in_range = out.in_range && b.in_range;
    out.variance_nonnegative = out.variance_nonnegative && b.variance_nonnegative;
  }
  out.mean_exact = out.mean.value() == 0;
  return out;
}

}  // namespace normcheck

// Rows that form the variance as a difference of sums over one pass.
#include <array>

#include "impl/algorithms/naive.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> one_pass_rows() {
  using enum Finish;
  static constexpr std::array rows = {
      make_row<Naive, Half>("naive/f16", expect::halves),
      make_row<Naive, BFloat16>("naive/bf16", expect::halves),
      make_row<Naive, float>("naive/f32", expect::cancels),
      make_row<Naive, float, Variant{.finish = folded}>("naive/f32/folded", expect::cancels),
      make_row<Naive, double>("naive/f64", expect::cancels),
  };
  return rows;
}

}  // namespace normcheck

// Rows that compute f64 in f80, the x87's long double; where that is another format they offer nothing.
#include <array>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/compensated_mean.h"
#include "impl/algorithms/lanes.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/pairwise.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> extended_rows() {
  using enum Finish;
  using Extended = long double;
  static constexpr std::array rows = {
      // 11 bits more put the cancellation off, from kappa near 1e8 to near 4e9.
      make_row<Naive, Extended>("naive/f80", expect::cancels),
      make_row<TwoPass, Extended>("two_pass/f80", expect::pass),
      make_row<TwoPass, Extended, Variant{.finish = folded}>("two_pass/f80/folded", expect::pass),
      make_row<TwoPass, Extended, Variant{.finish = half_folded}>("two_pass/f80/half_folded", expect::pass),
      // The sums in f80, the root as a double.
      make_row<TwoPass, Extended, Variant{.eps_f64 = true}>("two_pass/f80/eps_f64", expect::pass),
      make_row<CompensatedMean, Extended>("compensated_mean/f80", expect::pass),
      make_row<Pairwise, Extended>("pairwise/f80", expect::pass),
      make_row<Welford, Extended>("welford/f80", expect::pass),
      make_row<Lanes<8>, Extended>("lanes8/f80", expect::pass),
      make_row<Chan, Extended>("chan/f80", expect::pass),
  };
  return rows;
}

}  // namespace normcheck

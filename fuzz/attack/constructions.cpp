// One number per lane is large; where the others stand makes the difference.
#include "fuzz/attack/constructions.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "fuzz/attack/moves.h"

namespace normcheck {
namespace {

/// The row with an element near the mean of all: there y is the error of the mean times rstd, and its bound
/// little more than the bound of that.
Case with_one_near_the_mean(Tensor x, std::int64_t at, double eps) {
  double others = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) others += i == at ? 0 : x.value(i);
  x.set_value(at, others / static_cast<double>(x.size() - 1));
  Case out;
  out.id = "lost-terms";
  out.eps = eps;
  out.x = std::move(x);
  return out;
}

}  // namespace

std::vector<Case> lost_terms(DType dtype, std::int64_t n, double eps) {
  constexpr double large = 256;  // its square, over n, is far above an eps
  const double lost = half_spacing(dtype, large);
  const auto row = [&](double of_others) {
    Tensor x(dtype, {1, n});
    for (std::int64_t i = 0; i < n; ++i) x.set_value(i, of_others);
    return x;
  };
  std::vector<Case> out;
  for (const std::int64_t lanes : {1, 4, 8, 16}) {
    if (lanes + 2 > n) break;
    Tensor x = row(lost);
    for (std::int64_t i = 0; i < lanes; ++i) x.set_value(i, large);
    out.push_back(with_one_near_the_mean(std::move(x), lanes, eps));
  }
  Tensor reversed = row(lost);
  reversed.set_value(n - 1, large);
  out.push_back(with_one_near_the_mean(std::move(reversed), n - 2, eps));
  Tensor tree = row(0);
  tree.set_value(0, large);
  for (std::int64_t at = 1; at < n; at *= 2) tree.set_value(at, lost);
  out.push_back(with_one_near_the_mean(std::move(tree), n - 1, eps));
  return out;
}

}  // namespace normcheck

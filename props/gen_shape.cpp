// Regimes of shape (one element, no rows, many dims) and of values that are not numbers.
#include <algorithm>
#include <limits>
#include <utility>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

using draw::either_sign;

void fill_normal(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) x = rng.normal();
}

void fill_anywhere(CounterRng& rng, DType dtype, std::span<double> row) {
  const Format f = format_of(dtype);
  for (double& x : row) x = either_sign(rng, draw::log_uniform(rng, f.emin / 2, f.emax / 2));
}

// `count` extents of 1 or more with a product of about `size` (never above twice it).
std::vector<std::int64_t> about(CounterRng& rng, std::int64_t size, std::int64_t count) {
  std::vector<std::int64_t> extents;
  std::int64_t rest = std::max<std::int64_t>(1, size);
  for (std::int64_t left = count; left > 1; --left) {
    std::int64_t root = 1;
    const auto power = [left](std::int64_t e) {
      std::int64_t product = 1;
      for (std::int64_t k = 0; k < left; ++k) product *= e;
      return product;
    };
    while (power(root + 1) <= rest) ++root;
    const std::int64_t extent = std::max<std::int64_t>(1, root + rng.between(-1, 1));
    extents.push_back(extent);
    rest = std::max<std::int64_t>(1, rest / extent);
  }
  extents.push_back(rest);
  return extents;
}

double not_a_number(CounterRng& rng) {
  switch (rng.below(3)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return std::numeric_limits<double>::infinity();
    default:
      return -std::numeric_limits<double>::infinity();
  }
}

}  // namespace

Case single_element(CounterRng& rng, const GenRequest& request) {
  GenRequest one = request;
  one.n = 1;
  Case c = draw::blank(rng, one);
  draw::fill_rows(rng, c, fill_anywhere);
  draw::dress(rng, c);
  if (c.gamma && rng.coin()) {
    const std::int64_t reach = std::min(57, format_of(c.gamma->dtype).emax - 1);
    draw::set_finite(*c.gamma, 0, either_sign(rng, draw::log_uniform(rng, reach - 4, reach)));
  }
  return c;
}

Case no_rows(CounterRng& rng, const GenRequest& request) {
  GenRequest none = request;
  none.rows = 0;
  Case c = draw::blank(rng, none);
  if (rng.coin()) {
    std::vector<std::int64_t> shape = c.x.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(rng.below(2)), 3);
    c.x = Tensor(request.dtype, std::move(shape));
  }
  draw::dress(rng, c);
  return c;
}

// Equal extents every second time: there a swapped axis has the right shape and the wrong numbers.
Case broadcasting(CounterRng& rng, const GenRequest& request) {
  Case c;
  c.eps = draw::choose_eps(rng, request);
  c.norm_ndim = rng.between(1, 3);
  const std::int64_t leading = rng.between(1, 3);
  std::vector<std::int64_t> shape;
  if (rng.coin()) {
    const std::int64_t most = request.rows * request.n;
    std::int64_t extent = 1;
    for (std::int64_t e = 2; e <= 5; ++e) {
      std::int64_t size = 1;
      for (std::int64_t k = 0; k < leading + c.norm_ndim; ++k) size *= e;
      if (size <= 4 * most) extent = e;
    }
    shape.assign(static_cast<std::size_t>(leading + c.norm_ndim), extent);
  } else {
    shape = about(rng, request.rows, leading);
    for (const std::int64_t e : about(rng, request.n, c.norm_ndim)) shape.push_back(e);
  }
  c.x = Tensor(request.dtype, std::move(shape));
  draw::fill_rows(rng, c, fill_normal);
  c.gamma = draw::column_tensor(rng, c);
  c.beta = draw::column_tensor(rng, c);
  for (std::int64_t i = 0; i < c.gamma->size(); ++i) {
    draw::set_finite(*c.gamma, i, either_sign(rng, 0.25 + 1.75 * rng.uniform()));
    draw::set_finite(*c.beta, i, rng.normal());
  }
  if (rng.below(4) == 0) c.gamma.reset();
  if (rng.below(4) == 0) c.beta.reset();
  return c;
}

// In x (then that row alone is NaN), in gamma or in beta (then that column alone is concerned).
Case special_values(CounterRng& rng, const GenRequest& request) {
  Case c = draw::blank(rng, request);
  draw::fill_rows(rng, c, fill_normal);
  draw::dress(rng, c);
  const std::int64_t rows = row_count(c);
  const std::int64_t n = row_length(c);
  const std::uint64_t where = rng.below(4);
  if (rows > 0 && where < 2) {
    const auto row = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(rows)));
    const std::uint64_t count = 1 + rng.below(2);
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto column = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n)));
      c.x.set_value(row * n + column, not_a_number(rng));
    }
    c.expect = Expect::nan_rows;
    c.nan_rows = {row};
    if (where == 0) return c;
  }
  std::optional<Tensor>& target = where == 3 ? c.beta : c.gamma;
  if (!target) {
    target = draw::column_tensor(rng, c);
    for (std::int64_t i = 0; i < n; ++i) target->set_value(i, 1.0);
  }
  const auto column = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n)));
  target->set_value(column, not_a_number(rng));
  return c;
}

}  // namespace normcheck::makers

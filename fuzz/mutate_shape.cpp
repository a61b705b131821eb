// Longer and shorter rows, more and fewer of them, and the same elements under other extents.
#include "fuzz/mutate_shape.h"

#include <algorithm>
#include <numeric>

#include "fuzz/decode.h"

namespace normcheck {
namespace {

/// One more or less, or twice or half as many.
std::int64_t near_extent(CounterRng& rng, std::int64_t extent) {
  switch (rng.below(4)) {
    case 0:
      return extent + 1;
    case 1:
      return std::max<std::int64_t>(1, extent - 1);
    case 2:
      return extent * 2;
    default:
      return std::max<std::int64_t>(1, extent / 2);
  }
}

/// rows x n elements from those of `t`, seen as rows of `length`: what is cut is gone, what is new repeats
/// the row, or the rows, from their start.
Tensor resized(const Tensor& t, std::int64_t length, std::int64_t rows, std::int64_t n,
               std::vector<std::int64_t> shape) {
  const std::int64_t had = t.size() / length;
  Tensor out(t.dtype, std::move(shape));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < n; ++i) out.set_bits(r * n + i, t.bits((r % had) * length + i % length));
  }
  return out;
}

/// The case with x's extents as they are in `shape`, if that is within the caps.
void resize(Case& c, std::vector<std::int64_t> shape) {
  Case sized = c;
  sized.x = Tensor();
  sized.x.shape = shape;
  if (!within_caps(sized)) return;
  const std::int64_t length = row_length(c), n = row_length(sized);
  c.x = resized(c.x, length, row_count(sized), n, std::move(shape));
  for (std::optional<Tensor>* t : {&c.gamma, &c.beta}) {
    if (*t) *t = resized(**t, length, 1, n, normalized_shape(c));
  }
}

}  // namespace

void change_length(CounterRng& rng, Case& c) {
  std::vector<std::int64_t> shape = c.x.shape;
  std::int64_t& extent = shape[shape.size() - 1 - rng.below(static_cast<std::uint64_t>(c.norm_ndim))];
  extent = near_extent(rng, extent);
  resize(c, std::move(shape));
}

void change_rows(CounterRng& rng, Case& c) {
  std::vector<std::int64_t> shape = c.x.shape;
  const auto leading = static_cast<std::int64_t>(shape.size()) - c.norm_ndim;
  if (leading == 0) {
    if (shape.size() >= static_cast<std::size_t>(max_decoded_rank)) return;
    shape.insert(shape.begin(), 2);
  } else {
    std::int64_t& extent = shape[rng.below(static_cast<std::uint64_t>(leading))];
    extent = near_extent(rng, extent);
  }
  resize(c, std::move(shape));
}

void change_dims(CounterRng& rng, Case& c) {
  const std::uint64_t way = rng.below(3);
  const auto rank = static_cast<std::int64_t>(c.x.shape.size());
  if (way == 0) {  // other dims are normalized: gamma and beta go where they do not fit
    Case moved = c;
    moved.norm_ndim = rng.between(1, rank);
    if (moved.norm_ndim != c.norm_ndim) moved.gamma = moved.beta = std::nullopt;
    if (within_caps(moved)) c = std::move(moved);
    return;
  }
  const std::vector<std::int64_t> over = normalized_shape(c);
  const std::int64_t n = row_length(c);
  std::vector<std::int64_t> normalized = {n};
  if (way == 1 && rank < max_decoded_rank) {  // n as two factors
    for (const std::int64_t factor : {2, 3, 5, 7}) {
      if (n % factor == 0 && rng.coin()) normalized = {n / factor, factor};
    }
  }
  std::vector<std::int64_t> shape(c.x.shape.begin(),
                                  c.x.shape.end() - static_cast<std::ptrdiff_t>(over.size()));
  shape.insert(shape.end(), normalized.begin(), normalized.end());
  if (shape.size() > static_cast<std::size_t>(max_decoded_rank)) return;
  c.x.shape = std::move(shape);
  c.norm_ndim = static_cast<std::int64_t>(normalized.size());
  for (std::optional<Tensor>* t : {&c.gamma, &c.beta}) {
    if (*t) (*t)->shape = normalized;
  }
}

}  // namespace normcheck

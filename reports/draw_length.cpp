// Lengths by binade, then next to what kernels are written for: powers of two, whole vectors, usual widths.
#include "reports/draw_length.h"

#include <algorithm>

namespace normcheck {

std::int64_t draw_length(CounterRng& rng, std::int64_t lo, std::int64_t hi) {
  int binades = 1;
  while ((std::int64_t{1} << binades) < hi) ++binades;
  const std::int64_t base = std::int64_t{1} << rng.below(static_cast<std::uint64_t>(binades) + 1);
  const double place = rng.uniform();
  std::int64_t n = base / 2 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(base / 2 + 1)));
  if (place < 0.2) {
    n = base + rng.between(-1, 1);
  } else if (place < 0.35) {  // a whole number of vectors, warps or tiles, and its neighbours
    const std::int64_t vector = std::int64_t{4} << rng.below(7);
    n = (n + vector - 1) / vector * vector + rng.between(-1, 1);
  } else if (place < 0.5) {  // 768, 1280, 2304 and their like, which are what models have
    std::int64_t odd = 3 + 2 * static_cast<std::int64_t>(rng.below(4));
    while (odd <= base / 2) odd *= 2;
    n = odd;
  }
  return std::clamp(n, lo, hi);
}

std::int64_t draw_between(CounterRng& rng, std::int64_t lo, std::int64_t hi) {
  std::int64_t n = 0;
  while (n < lo) n = draw_length(rng, 1, hi);
  return n;
}

}  // namespace normcheck

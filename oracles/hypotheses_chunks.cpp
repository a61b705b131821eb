// Statistics of chunks of a row that are put together wrongly.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "oracles/hypotheses_more.h"

namespace normcheck {
namespace {

using Row = const HypothesisRow&;

}  // namespace

void add_chunk_hypotheses(std::vector<Hypothesis>& out) {
  enum class Merge : std::uint8_t { unweighted, variances, later_variances, later_squares };
  const auto merged = [](Row r, std::int64_t parts, Merge how) {
    const std::int64_t size = (r.n + parts - 1) / parts;
    const auto n = static_cast<Quad>(r.n);
    Quad mean = 0, second = 0, between = 0, squares = 0;
    std::int64_t used = 0;
    for (std::int64_t first = 0; first < r.n; first += size, ++used) {
      const std::int64_t count = std::min(size, r.n - first);
      const Moments2& m = r.of_slice(r.row * r.n + first, count, 1);
      const Quad apart = m.mean - r.exact.mean, within = m.variance * static_cast<Quad>(count);
      mean += m.mean;
      second += m.variance + m.mean * m.mean;
      between += apart * apart * static_cast<Quad>(count);
      const bool later = used > 0;
      squares += how == Merge::variances || (how == Merge::later_variances && later) ? m.variance
                 : how == Merge::later_squares && later                              ? Quad(0)
                                                                                     : within;
    }
    if (how != Merge::unweighted) return Moments2{r.exact.mean, (squares + between) / n};
    mean /= static_cast<Quad>(used);
    return Moments2{mean, second / static_cast<Quad>(used) - mean * mean};
  };
  for (const std::int64_t parts : {2, 3, 4, 6, 8, 16, 32}) {
    for (const auto& [how, name] :
         {std::pair(Merge::unweighted, "the moments of {} chunks averaged without weights"),
          std::pair(Merge::variances, "of {} chunks the variance in place of the sum of squares"),
          std::pair(Merge::later_variances,
                    "of all but the first of {} chunks the variance in place of the sum of squares"),
          std::pair(Merge::later_squares, "of {} chunks the squares of the first alone")}) {
      Hypothesis h;
      h.name = fmt::format(fmt::runtime(name), parts);
      h.moments = [parts, merged, how = how](Row r, std::int64_t) { return merged(r, parts, how); };
      h.applies = [parts](Row r) { return r.n > parts; };
      out.push_back(std::move(h));
    }
  }
}

}  // namespace normcheck

// What every algorithm returns: the mean and the biased variance of one row, in the working type.
#pragma once

namespace normcheck {

/// `mean_lo` is what a compensated algorithm keeps of the mean beside its rounded value: the finish subtracts
/// first one, then the other. Only an algorithm that says `compensated` returns one.
template <class R>
struct Moments {
  R mean{};
  R var{};
  R mean_lo{};
};

template <class Algorithm>
inline constexpr bool is_compensated = requires {
  requires Algorithm::compensated;
};

}  // namespace normcheck

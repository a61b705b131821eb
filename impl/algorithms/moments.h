// What every algorithm returns: the mean and the biased variance of one row, in the working type.
#pragma once

namespace normcheck {

template <class R>
struct Moments {
  R mean{};
  R var{};
};

}  // namespace normcheck

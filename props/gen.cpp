// The table of regimes, and the making of one case by its number.
#include "props/gen.h"

#include <vector>

namespace normcheck {

std::span<const Regime> regimes() { return {}; }
const Regime* find_regime(std::string_view) { return nullptr; }
Case make_case(const Regime& regime, const GenRequest& request, std::uint64_t seed, std::uint64_t index) {
  CounterRng rng(seed, index);
  return regime.make(rng, request);
}

}  // namespace normcheck

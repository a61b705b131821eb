// What a row of the table does beside its algorithm and accumulate type: finish, root, eps, build.
#pragma once

#include <cstdint>

#include "impl/algorithms/sum_bound.h"

namespace normcheck {

enum class Finish : std::uint8_t { direct, folded, half_folded };
/// 1/sqrt(w) by root and division, or an estimate of 14 bits with Newton steps.
enum class Root : std::uint8_t { divided, newton0, newton1, newton2 };
constexpr int newton_steps(Root root) { return static_cast<int>(root) - 1; }
/// Contraction off; fma where the compiler finds a product under a sum; -ffast-math.
enum class Build : std::uint8_t { plain, fma, fast };

struct Variant {
  Finish finish = Finish::direct;
  Root root = Root::divided;
  Division division = Division::by_count;
  bool eps_f64 = false;        ///< eps is added, and the root taken, in double
  bool x_hat_storage = false;  ///< x_hat is rounded to the storage type before gamma
  Build build = Build::plain;
};

}  // namespace normcheck

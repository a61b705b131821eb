// Makes a case simpler step by step, as a whole: rows, columns, gamma and beta, eps, values.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// One simplification. `which` is the tensor (0 x, 1 gamma, 2 beta); `first` and `last` are a half-open range
/// of rows, columns or elements, `bits` the significant bits that are left.
struct Edit {
  enum class Kind : std::uint8_t {
    drop_rows,
    drop_columns,
    flatten,
    drop_tensor,
    set_eps,
    trim_all,
    to_zero,
    to_one,
    drop_sign,
    drop_exponent,
    trim
  };
  Kind kind;
  int which = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  int bits = 0;
  double eps = 0;
};

/// What could be made simpler, the most drastic first. None for a case that is to be refused.
std::vector<Edit> edits(const Case& c);

/// The case after the edit, with `expect` set from what x then holds; nothing if that is not simpler.
std::optional<Case> simplified(const Case& c, const Edit& edit);

/// How complicated a case is, compared from left to right: elements, dims, tensors, eps, values. Every edit
/// that `simplified` makes lowers it, so that shrinking ends.
using Weight = std::array<std::int64_t, 5>;
Weight weight(const Case& c);

/// The simplest case that still fails, by taking the first edit that keeps it failing, again and again; at
/// most `tries` calls of `fails`. `c` itself must fail.
Case minimise(Case c, const std::function<bool(const Case&)>& fails, std::int64_t tries);

}  // namespace normcheck

// RapidCheck over this project's inputs: bit patterns of every class, whole cases, and how both shrink.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// Bits of a floating dtype, every class often: zeros of both signs, subnormals, normals by exponent, the
/// largest, infinities, NaNs of any payload. Shrinks to 0, 1, then fewer bits nearer to 1.
/// (RapidCheck's own float generator makes none of the special ones.)
rc::Gen<std::uint64_t> any_bits(DType dtype);
/// The same without infinities and NaNs.
rc::Gen<std::uint64_t> finite_bits(DType dtype);

/// Which cases to make. Empty `regimes`: all of the table and, one time in eight, rows of finite_bits.
struct CaseSpace {
  std::vector<DType> dtypes = {DType::f64, DType::f32, DType::f16, DType::bf16};
  std::vector<std::string_view> regimes;
  std::int64_t max_rows = 3;
  std::int64_t max_n = 64;  ///< reached as the size of RapidCheck's cases grows
  std::int64_t max_norm_ndim = 3;
};

/// Cases of a space; they shrink as a whole (props/shrink.h).
rc::Gen<Case> any_case(CaseSpace space = {});

/// Checks `count` cases of a space under the project's seed. `complaint` is empty where the promise holds. A
/// failure is shrunk, written as a `.case` and fails the running test.
void check_cases(std::string_view promise, const CaseSpace& space, int count,
                 const std::function<std::string(const Case&)>& complaint);

/// The simplest case of `count` drawn ones with a complaint, if there is one: to see that a planted fault is
/// found. Fails nothing and writes nothing.
std::optional<Case> counterexample(std::string_view promise, const CaseSpace& space, int count,
                                   const std::function<std::string(const Case&)>& complaint);

/// For RapidCheck's messages: the text of a case, cut where it is long.
void showValue(const Case& c, std::ostream& os);

}  // namespace normcheck

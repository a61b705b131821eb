// What all defects share: a call taken apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "corpus/dtype.h"
#include "impl/arithmetic/arithmetic.h"
#include "impl/defects/defect.h"

namespace normcheck::defect {

inline constexpr std::array f32 = {DType::f32};
inline constexpr std::array f64 = {DType::f64};
inline constexpr std::array f16 = {DType::f16};
inline constexpr std::array bf16 = {DType::bf16};
inline constexpr std::array halves = {DType::f16, DType::bf16};
inline constexpr std::array f16_f32 = {DType::f16, DType::f32};
inline constexpr std::array bf16_f32 = {DType::bf16, DType::f32};
inline constexpr std::array f64_f32 = {DType::f64, DType::f32};
inline constexpr std::array up_to_f32 = {DType::f16, DType::bf16, DType::f32};
inline constexpr std::array any = {DType::f16, DType::bf16, DType::f32, DType::f64};

/// v rounded to `dtype`, in R again.
template <class R>
R rounded(DType dtype, const R& v) {
  using Traits = ArithmeticTraits<R>;
  return Traits::from_double(to_double(dtype, round_to(dtype, Traits::to_double(v))));
}

/// A call that every layer norm answers in numbers: checked, its tensors dense, rows of n elements.
struct Call {
  const nc_call* c = nullptr;
  DType storage = DType::f32, gamma_dtype = DType::f32, beta_dtype = DType::f32;
  std::int64_t rows = 0, n = 0;
  double eps = 0;
  const std::byte* x = nullptr;
  const std::byte* gamma = nullptr;  ///< null where absent
  const std::byte* beta = nullptr;
  std::byte *y = nullptr, *mean = nullptr, *rstd = nullptr;  ///< the statistics null where not asked for
  bool is_dense = true;                                      ///< of the call itself, before it was gathered

  std::size_t size() const { return size_of(storage); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(n) * size(); }
  std::size_t at(std::int64_t row) const { return static_cast<std::size_t>(row) * row_bytes(); }
};

DType tensor_dtype(const nc_tensor& t);
std::byte* first(const nc_tensor& t);
int answer(const nc_call* c, int status, std::string_view why);

/// Checks as every layer norm must (NC_INVALID, NC_UNSUPPORTED), copies tensors that have strides, hands
/// the dense call to `work`, and copies y back to where it belongs.
int with_dense(const nc_call* c, std::span<const DType> dtypes, int (*work)(const Call&));

}  // namespace normcheck::defect

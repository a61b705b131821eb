// One call as the host plans it: each tensor's place in the arena, and what is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "impl/plugin/layout.h"

namespace normcheck {

enum class Role : std::uint8_t { x, gamma, beta, y, mean, rstd };
inline constexpr std::string_view role_names[] = {"x", "gamma", "beta", "y", "mean", "rstd"};
constexpr std::string_view role_name(Role role) { return role_names[static_cast<std::size_t>(role)]; }
constexpr bool is_output(Role role) { return role >= Role::y; }

/// A tensor in the arena. Element [i0,i1,...] is at data + byte_offset + (i0*strides[0]+...)*size_of(dtype)
/// bytes from the arena's beginning. It owns [begin, end): what of that is no element is red zone.
struct PlacedTensor {
  Role role = Role::x;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements
  std::uint64_t data = 0;
  std::uint64_t byte_offset = 0;
  std::uint64_t begin = 0;  ///< multiples of 64
  std::uint64_t end = 0;
  bool dense = true;  ///< row-major without gaps

  std::uint64_t first() const { return data + byte_offset; }
};

/// after, before: at the end, or the beginning, of a tensor, not to be touched; input: the pages of an input,
/// not to be written.
enum class Guard : std::uint8_t { after, before, input };
inline constexpr std::string_view guard_names[] = {"after", "before", "input"};

/// Whole pages of the arena that are closed to the kernel's process.
struct GuardPage {
  std::uint64_t offset = 0, bytes = 0;
  Role role = Role::x;  ///< the tensor that it guards
  Guard guard = Guard::after;
};

struct CallPlan {
  Op op = Op::layernorm_fwd;
  std::int32_t norm_ndim = 1;
  double eps = 0;
  std::vector<PlacedTensor> tensors;  ///< x, gamma?, beta?, y, mean?, rstd?, in this order
  std::vector<GuardPage> guards;
  bool in_place = false;          ///< y is x's memory
  std::uint64_t arena_bytes = 0;  ///< behind the last tensor and its red zone
  const PlacedTensor* find(Role role) const;
};

/// The call that a case makes. No statistics are asked for where a normalized extent is 0, or semantics
/// refuses the case (impl/semantics.h); there every buffer is as large as a kernel would touch that does not
/// look at the header. y has the dtype `y` where that is given, else that of x.
CallPlan plan_call(const Case& c, Wanted wanted, Layout layout, std::optional<DType> y = std::nullopt);

/// Offsets of the elements from `first`, in elements, in row-major order, as the strides have them.
std::vector<std::int64_t> element_offsets(const PlacedTensor& tensor);

/// Row-major steps.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape);

}  // namespace normcheck

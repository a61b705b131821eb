// How the tensors of a call lie in memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace normcheck {

/// dense: row-major, every tensor at a multiple of 64 bytes. The others differ from it in one thing each:
///   element_aligned  addresses are multiples of the element, and of nothing larger
///   padded_rows      x and y: seven elements of gap after each row (all normalized dims together)
///   sliced           x and y: every second entry of the first dim of a larger array
///   inner_stride_2   x and y: every second element of an array twice as long
///   transposed       x: column-major; y is dense
///   strided_affine   gamma and beta: every second element
///   byte_offset      every tensor: five elements from `data` to the first one
///   guard_after      every tensor ends where a page begins that a worker may not touch
///   guard_before     every tensor begins where such a page ends
///   in_place         y is x's memory
/// What lies between the elements is red zone: NaN, and not to be written.
enum class Layout : std::uint8_t {
  dense,
  element_aligned,
  padded_rows,
  sliced,
  inner_stride_2,
  transposed,
  strided_affine,
  byte_offset,
  guard_after,
  guard_before,
  in_place
};
std::string_view layout_name(Layout layout);

}  // namespace normcheck

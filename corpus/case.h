// A case: one layer norm problem, as plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck {

/// A dense row-major tensor of any dtype; `data` holds the elements as they lie in memory.
struct Tensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  Tensor() = default;
  /// Zero-filled. The shape's product must fit (see checked_size).
  Tensor(DType dtype, std::vector<std::int64_t> shape);

  std::int64_t size() const { return static_cast<std::int64_t>(data.size() / size_of(dtype)); }
  std::uint64_t bits(std::int64_t i) const {
    std::uint64_t out = 0;
    std::memcpy(&out, data.data() + static_cast<std::size_t>(i) * size_of(dtype), size_of(dtype));
    return out;
  }
  void set_bits(std::int64_t i, std::uint64_t bits) {
    std::memcpy(data.data() + static_cast<std::size_t>(i) * size_of(dtype), &bits, size_of(dtype));
  }
  double value(std::int64_t i) const { return to_double(dtype, bits(i)); }
  /// The n values from `first` on, into out[0..n-1].
  void values(std::int64_t first, std::int64_t n, double* out) const;
  void set_value(std::int64_t i, double value) { set_bits(i, round_to(dtype, value)); }

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

/// The product of the extents; nullopt if one is negative or the product of those above zero passes 2^40
/// (so that rows and row lengths of an empty tensor cannot overflow either).
std::optional<std::int64_t> checked_size(std::span<const std::int64_t> shape);

/// "[2,3,4]".
std::string shape_text(std::span<const std::int64_t> shape);

enum class Op : std::uint8_t { layernorm_fwd };
std::string_view op_name(Op op);

/// What is demanded of an implementation on this case: to keep its contract, to have NaN in certain
/// rows (and keep its contract in the others), or to refuse the call.
enum class Expect : std::uint8_t { bound, nan_rows, refused };

/// How a large x was made: by a named counter-based generator (corpus/generate.h) with a seed; the
/// digest is of x's bytes, little-endian.
struct Generated {
  std::string generator;
  std::uint64_t seed = 0;
  std::string sha256;
  friend bool operator==(const Generated&, const Generated&) = default;
};

/// y = gamma*(x-mean)/sqrt(var+eps)+beta over the last `norm_ndim` dims of x together.
struct Case {
  std::string id;
  Op op = Op::layernorm_fwd;
  std::int64_t norm_ndim = 1;
  double eps = 1e-5;
  std::optional<std::vector<std::int64_t>> normalized;  ///< a stated shape, only under Expect::refused
  Tensor x;
  std::optional<Tensor> gamma;
  std::optional<Tensor> beta;
  std::optional<Generated> generated;
  Expect expect = Expect::bound;
  std::vector<std::int64_t> nan_rows;  ///< 0-based, ascending; with Expect::nan_rows
  std::vector<std::string> violates;   ///< implementations known to fail here
  std::vector<std::string> origin;     ///< addresses of the reports it comes from
  std::vector<std::string> notes;
};

/// Equal as problems and as files: every field, NaN payloads and signs of zero included (eps by bits).
bool same_case(const Case& a, const Case& b);

/// rows * row_length == x.size() for a well-formed case. With norm_ndim outside 1..rank both are 0.
std::int64_t row_count(const Case& c);
std::int64_t row_length(const Case& c);
/// The leading dims, each normalized dim kept as 1: the shape of mean and rstd.
std::vector<std::int64_t> statistics_shape(const Case& c);
/// The last norm_ndim extents of x.
std::vector<std::int64_t> normalized_shape(const Case& c);

}  // namespace normcheck

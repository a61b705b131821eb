// The head of an input and its verbatim form, both ways.
#include "fuzz/decode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fuzz/byte_reader.h"
#include "fuzz/recipe.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

constexpr std::array floats = {DType::f16, DType::bf16, DType::f32, DType::f64};

DType read_dtype(std::uint8_t b) {
  if (b >= 0xf0) return b % 2 == 0 ? DType::i32 : DType::i64;
  return floats[b % floats.size()];
}

// A build variant reads every extent as one more than it is, so that the round trip is seen to be able to
// fail.
#ifdef NORMCHECK_PLANTED_EXTENT
constexpr int extent_error = 1;
#else
constexpr int extent_error = 0;
#endif

/// Cuts extents, the last first, until their product (0 counts as 1) is within the caps; a tensor with
/// elements also to twice the `fillable` ones, so that a short input is a short execution.
void cap_extents(std::vector<std::int64_t>& shape, std::int64_t norm_ndim, std::int64_t fillable) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t lead = norm_ndim >= 1 && norm_ndim <= rank ? rank - norm_ndim : 0;
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  std::int64_t room =
      empty ? max_decoded_elements : std::clamp<std::int64_t>(2 * fillable, 1, max_decoded_elements);
  std::int64_t row_room = max_decoded_rows;
  for (std::int64_t i = rank - 1; i >= 0; --i) {
    std::int64_t& extent = shape[static_cast<std::size_t>(i)];
    extent = std::min(extent, i < lead ? std::min(room, row_room) : room);
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    room /= factor;
    if (i < lead) row_room /= factor;
  }
}

std::optional<Tensor> scale_tensor(std::uint8_t form, const Case& c) {
  if (form % 4 == 0) return std::nullopt;
  constexpr std::array kinds = {DType::f32, DType::f32, DType::f32, DType::f64};
  const DType dtype = form % 4 == 1 ? c.x.dtype : kinds[form % 4];
  const auto rank = static_cast<std::int64_t>(c.x.shape.size());
  std::vector<std::int64_t> shape = c.norm_ndim >= 1 && c.norm_ndim <= rank ? normalized_shape(c) : c.x.shape;
  if (form >= 0xe0) {
    if (form / 4 % 4 == 1) shape = {1};
    if (form / 4 % 4 == 2) shape = c.x.shape;
    if (form / 4 % 4 == 3) std::reverse(shape.begin(), shape.end());
  }
  return Tensor(dtype, std::move(shape));
}

Case read_verbatim(ByteReader& in) {
  Case c;
  const DType dtype = read_dtype(in.u8());
  const int rank = 1 + in.u8() % max_decoded_rank;
  const std::uint8_t normed = in.u8();
  c.norm_ndim = normed >= 0xf0 ? normed % 16 : 1 + normed % rank;
  const std::uint8_t gamma = in.u8();
  const std::uint8_t beta = in.u8();
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank));
  for (std::int64_t& extent : shape) extent = in.u16() + extent_error;
  c.eps = std::bit_cast<double>(in.u64());
  cap_extents(shape, c.norm_ndim, static_cast<std::int64_t>(in.size() / size_of(dtype)));
  c.x = Tensor(dtype, std::move(shape));
  c.gamma = scale_tensor(gamma, c);
  c.beta = scale_tensor(beta, c);
  in.copy_to(c.x.data);
  if (c.gamma) in.copy_to(c.gamma->data);
  if (c.beta) in.copy_to(c.beta->data);
  return c;
}

class ByteWriter {
 public:
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void put(const std::vector<std::byte>& data) {
    const std::size_t at = out_.size();
    out_.resize(at + data.size());
    if (!data.empty()) std::memcpy(out_.data() + at, data.data(), data.size());
  }
  std::vector<std::uint8_t> take() { return std::move(out_); }

 private:
  std::vector<std::uint8_t> out_;
};

std::uint64_t scale_form(const std::optional<Tensor>& t, DType x) {
  if (!t) return 0;
  return t->dtype == x ? 1 : 2;
}

}  // namespace

bool within_caps(const Case& c) {
  const auto rank = static_cast<std::int64_t>(c.x.shape.size());
  if (rank < 1 || rank > max_decoded_rank) return false;
  const std::int64_t lead = c.norm_ndim >= 1 && c.norm_ndim <= rank ? rank - c.norm_ndim : 0;
  std::int64_t rows = 1;
  std::int64_t elements = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t factor = std::max<std::int64_t>(c.x.shape[static_cast<std::size_t>(i)], 1);
    if (factor > max_decoded_elements) return false;
    elements *= factor;
    if (i < lead) rows *= factor;
    if (elements > max_decoded_elements || rows > max_decoded_rows) return false;
  }
  return true;
}

bool same_problem(const Case& a, const Case& b) {
  return a.x == b.x && a.gamma == b.gamma && a.beta == b.beta && a.norm_ndim == b.norm_ndim &&
         std::bit_cast<std::uint64_t>(a.eps) == std::bit_cast<std::uint64_t>(b.eps);
}

Decoded decode(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  const bool verbatim = in.u8() % 2 == 1;
  Decoded out;
  out.selector = in.u16();
  const std::uint8_t asked = in.u8();
  out.wanted = {(asked & 1) != 0, (asked & 2) != 0};
  out.c = verbatim ? read_verbatim(in) : read_recipe(in);
  out.c.id = "fuzz";
  out.c.expect = refusal(out.c) ? Expect::refused : Expect::bound;
  return out;
}

std::optional<std::vector<std::uint8_t>> encode(const Case& c, std::uint16_t selector, Wanted wanted) {
  if (c.op != Op::layernorm_fwd || !within_caps(c) || refusal(c)) return std::nullopt;
  ByteWriter out;
  out.put((decode_version << 4) | 1u, 1);
  out.put(selector, 2);
  out.put((wanted.mean ? 1u : 0u) | (wanted.rstd ? 2u : 0u), 1);
  out.put(static_cast<std::uint64_t>(std::find(floats.begin(), floats.end(), c.x.dtype) - floats.begin()), 1);
  out.put(c.x.shape.size() - 1, 1);
  out.put(static_cast<std::uint64_t>(c.norm_ndim - 1), 1);
  out.put(scale_form(c.gamma, c.x.dtype), 1);
  out.put(scale_form(c.beta, c.x.dtype), 1);
  for (const std::int64_t extent : c.x.shape) out.put(static_cast<std::uint64_t>(extent), 2);
  out.put(std::bit_cast<std::uint64_t>(c.eps), 8);
  out.put(c.x.data);
  if (c.gamma) out.put(c.gamma->data);
  if (c.beta) out.put(c.beta->data);
  return out.take();
}

}  // namespace normcheck

// Lays the tensors of a call out in the arena, each between red zones.
#include "impl/plugin/call_plan.h"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "impl/semantics.h"

namespace normcheck {
namespace {

/// On each side of a tensor. A kernel that runs over writes what comes next, so a page catches the runs of
/// every length that starts at the tensor's end.
constexpr std::uint64_t red_zone = 4096;
constexpr std::int64_t row_gap = 7, offset_elements = 5;

std::uint64_t up_to_64(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

/// The number of elements from the first to the last one, both included; 0 where there is none.
std::int64_t extent(const PlacedTensor& t) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < t.shape.size(); ++d) {
    if (t.shape[d] == 0) return 0;
    last += (t.shape[d] - 1) * t.strides[d];
  }
  return last + 1;
}

std::vector<std::int64_t> scaled(std::vector<std::int64_t> strides, std::int64_t by) {
  for (std::int64_t& stride : strides) stride *= by;
  return strides;
}

std::vector<std::int64_t> strides_of(Role role, const std::vector<std::int64_t>& shape, std::size_t leading,
                                     Layout layout) {
  std::vector<std::int64_t> out = dense_strides(shape);
  const bool large = role == Role::x || role == Role::y;
  switch (layout) {
    case Layout::padded_rows:
      if (large && leading > 0 && leading < shape.size()) {
        std::int64_t step = out[leading] * shape[leading] + row_gap;
        for (std::size_t d = leading; d-- > 0; step *= std::max<std::int64_t>(1, shape[d])) out[d] = step;
      }
      return out;
    case Layout::sliced:
      if (large && !out.empty()) out[0] *= 2;
      return out;
    case Layout::inner_stride_2:
      return large ? scaled(out, 2) : out;
    case Layout::strided_affine:
      return role == Role::gamma || role == Role::beta ? scaled(out, 2) : out;
    case Layout::transposed:
      if (role == Role::x) {
        std::int64_t step = 1;
        for (std::size_t d = 0; d < shape.size(); ++d) {
          out[d] = step;
          step *= std::max<std::int64_t>(1, shape[d]);
        }
      }
      return out;
    default:
      return out;
  }
}

class Planner {
 public:
  Planner(const Case& c, Layout layout) : layout_(layout) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    out_.norm_ndim = static_cast<std::int32_t>(std::clamp(c.norm_ndim, -most, most));
    out_.eps = c.eps;
    const auto rank = static_cast<std::int64_t>(c.x.shape.size());
    leading_ = static_cast<std::size_t>(std::clamp<std::int64_t>(rank - c.norm_ndim, 0, rank));
  }

  /// `least`: elements for which there is to be room in any case.
  void add(Role role, DType dtype, const std::vector<std::int64_t>& shape, std::int64_t least = 0) {
    PlacedTensor t;
    t.role = role;
    t.dtype = dtype;
    t.shape = shape;
    t.strides = strides_of(role, shape, leading_, layout_);
    const std::vector<std::int64_t> row_major = dense_strides(shape);
    t.dense = true;
    for (std::size_t d = 0; d < shape.size(); ++d) t.dense &= shape[d] == 1 || t.strides[d] == row_major[d];
    t.begin = at_;
    t.data = at_ + red_zone;
    if (layout_ == Layout::element_aligned) t.data += size_of(dtype);
    if (layout_ == Layout::byte_offset) t.byte_offset = offset_elements * size_of(dtype);
    const auto elements = static_cast<std::uint64_t>(std::max(extent(t), least));
    if (layout_ == Layout::guard_after || layout_ == Layout::guard_before) {
      place_guarded(t, elements * size_of(dtype));
      out_.tensors.push_back(std::move(t));
      return;
    }
    t.end = up_to_64(t.first() + elements * size_of(dtype)) + red_zone;
    at_ = t.end;
    out_.tensors.push_back(std::move(t));
  }

  /// y where x lies, which has its shape and dtype.
  void add_in_place() {
    PlacedTensor t = *out_.find(Role::x);
    t.role = Role::y;
    out_.tensors.push_back(std::move(t));
    out_.in_place = true;
  }

  CallPlan finish() {
    out_.arena_bytes = at_;
    return std::move(out_);
  }

 private:
  /// Between a red zone, the elements and a guard page, or the other way round. All begins at a page.
  void place_guarded(PlacedTensor& t, std::uint64_t bytes) {
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const auto up = [](std::uint64_t at) { return (at + page - 1) / page * page; };
    const bool after = layout_ == Layout::guard_after;
    const std::uint64_t end = up(at_ + page + bytes);
    t.data = after ? end - bytes : at_ + page;
    t.end = end + page;
    out_.guards.push_back({after ? end : at_, page, t.role, after ? Guard::after : Guard::before});
    if (!is_output(t.role))
      out_.guards.push_back({after ? at_ : at_ + page, end - at_, t.role, Guard::input});
    at_ = t.end;
  }
  Layout layout_;
  std::size_t leading_;
  std::uint64_t at_ = 0;
  CallPlan out_;
};

}  // namespace

std::string_view layout_name(Layout layout) {
  constexpr std::string_view names[] = {"dense",          "element_aligned", "padded_rows",    "sliced",
                                        "inner_stride_2", "transposed",      "strided_affine", "byte_offset",
                                        "guard_after",    "guard_before",    "in_place"};
  return names[static_cast<std::size_t>(layout)];
}

const PlacedTensor* CallPlan::find(Role role) const {
  for (const PlacedTensor& t : tensors) {
    if (t.role == role) return &t;
  }
  return nullptr;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> out(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    out[d] = step;
    step *= std::max<std::int64_t>(1, shape[d]);
  }
  return out;
}

std::vector<std::int64_t> element_offsets(const PlacedTensor& t) {
  std::vector<std::int64_t> out;
  if (extent(t) == 0) return out;
  std::vector<std::int64_t> index(t.shape.size());
  std::int64_t offset = 0;
  for (;;) {
    out.push_back(offset);
    std::size_t d = t.shape.size();
    while (d-- > 0) {
      offset += t.strides[d];
      if (++index[d] < t.shape[d]) break;
      offset -= t.shape[d] * t.strides[d];
      index[d] = 0;
      if (d == 0) return out;
    }
    if (t.shape.empty()) return out;
  }
}

CallPlan plan_call(const Case& c, Wanted wanted, Layout layout, std::optional<DType> y) {
  Planner planner(c, layout);
  const bool refused = refusal(c).has_value();
  const std::int64_t whole = refused ? c.x.size() : 0;
  planner.add(Role::x, c.x.dtype, c.x.shape);
  if (c.gamma) planner.add(Role::gamma, c.gamma->dtype, c.gamma->shape, whole);
  if (c.beta) planner.add(Role::beta, c.beta->dtype, c.beta->shape, whole);
  if (layout == Layout::in_place) {
    planner.add_in_place();
  } else {
    planner.add(Role::y, y.value_or(c.x.dtype), c.x.shape);
  }
  if (!refused && row_length(c) > 0) {  // the statistics of nothing are nobody's to know
    const DType dtype = wanted.as_x ? c.x.dtype : statistics_dtype(c.x.dtype);
    if (wanted.mean) planner.add(Role::mean, dtype, statistics_shape(c));
    if (wanted.rstd) planner.add(Role::rstd, dtype, statistics_shape(c));
  }
  return planner.finish();
}

}  // namespace normcheck

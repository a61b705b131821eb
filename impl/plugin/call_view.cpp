// Fills in the descriptions of a call.
#include "impl/plugin/call_view.h"

#include <cstring>

namespace normcheck {

std::uint8_t dtype_code(DType dtype) {
  if (!is_float(dtype)) return NC_INT;
  return dtype == DType::bf16 ? NC_BFLOAT : NC_FLOAT;
}

CallView::CallView(const CallPlan& plan, std::byte* base) {
  std::size_t extents = 0;
  for (const PlacedTensor& t : plan.tensors) extents += 2 * t.shape.size();
  extents_.reserve(extents + 1);  // no growth below: the tensors point into it
  for (const PlacedTensor& t : plan.tensors) {
    nc_tensor& out = tensors_[static_cast<std::size_t>(t.role)];
    out.data = base + t.data;
    out.device_type = 1;
    out.ndim = static_cast<std::int32_t>(t.shape.size());
    out.dtype_code = dtype_code(t.dtype);
    out.dtype_bits = static_cast<std::uint8_t>(8 * size_of(t.dtype));
    out.dtype_lanes = 1;
    out.byte_offset = t.byte_offset;
    out.shape = extents_.data() + extents_.size();
    extents_.insert(extents_.end(), t.shape.begin(), t.shape.end());
    out.strides = extents_.data() + extents_.size();
    extents_.insert(extents_.end(), t.strides.begin(), t.strides.end());
  }
  const auto tensor = [&](Role role) {
    return plan.find(role) != nullptr ? &tensors_[static_cast<std::size_t>(role)] : nullptr;
  };
  call_.struct_size = sizeof(nc_call);
  call_.op = NC_OP_LAYERNORM_FWD;
  call_.norm_ndim = plan.norm_ndim;
  call_.eps = plan.eps;
  call_.x = tensor(Role::x);
  call_.gamma = tensor(Role::gamma);
  call_.beta = tensor(Role::beta);
  call_.y = tensor(Role::y);
  call_.mean = tensor(Role::mean);
  call_.rstd = tensor(Role::rstd);
  extents_before_ = extents_;
  tensors_before_ = tensors_;
}

bool CallView::is_changed() const {
  return extents_ != extents_before_ ||
         std::memcmp(tensors_.data(), tensors_before_.data(), sizeof tensors_) != 0;
}

}  // namespace normcheck

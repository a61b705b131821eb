// A planned call as a kernel sees it: an nc_call over the arena mapped in this process.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "impl/plugin/call_plan.h"
#include "impl/plugin/normcheck_plugin.h"

namespace normcheck {

/// DLPack's code of a dtype: NC_INT, NC_FLOAT or NC_BFLOAT.
std::uint8_t dtype_code(DType dtype);

/// Owns what the nc_call points to. workspace, stream and errmsg are NULL until the caller sets them.
class CallView {
 public:
  CallView(const CallPlan& plan, std::byte* base);
  CallView(const CallView&) = delete;
  CallView& operator=(const CallView&) = delete;
  nc_call& call() { return call_; }
  /// Whether somebody wrote into the tensors' descriptions, shapes or strides.
  bool is_changed() const;

 private:
  nc_call call_{};
  std::array<nc_tensor, 6> tensors_{};
  std::vector<std::int64_t> extents_;  ///< shape, then strides, of each tensor in turn
  std::vector<std::int64_t> extents_before_;
  std::array<nc_tensor, 6> tensors_before_{};
};

}  // namespace normcheck

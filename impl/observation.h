// What a run of an implementation gave back: status, bytes, and a word of explanation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corpus/case.h"

namespace normcheck {

enum class Status : std::uint8_t { ok, unsupported, invalid, failed, crash, timeout };

/// y has x's shape and dtype. mean and rstd, where asked for, have shape [..., 1] and dtype f32 for
/// halves, else x's. `message` says why when status is not ok.
struct Observation {
  Status status = Status::ok;
  Tensor y;
  std::optional<Tensor> mean;
  std::optional<Tensor> rstd;
  std::string message;
};

/// Which optional outputs a call asks for.
struct Wanted {
  bool mean = false;
  bool rstd = false;
};

/// The dtype of mean and rstd for an x of this dtype.
constexpr DType statistics_dtype(DType x) { return is_half(x) ? DType::f32 : x; }

}  // namespace normcheck

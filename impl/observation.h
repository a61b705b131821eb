// What a run of an implementation gave back: status, bytes, and a word of explanation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// not_run: it was not called, because it was not asked to be, or because it keeps crashing or hanging.
enum class Status : std::uint8_t { ok, unsupported, invalid, failed, crash, timeout, not_run };

/// y has x's shape and dtype. mean and rstd, where asked for, have shape [..., 1] and dtype f32 for
/// halves, else x's. `message` says why when status is not ok. `faults` are what a kernel from outside did
/// wrong beside its answer, a line each: each is a failure, whatever the answer.
struct Observation {
  Status status = Status::ok;
  Tensor y;
  std::optional<Tensor> mean;
  std::optional<Tensor> rstd;
  std::string message;
  std::vector<std::string> faults;
};

/// Which optional outputs a call asks for.
struct Wanted {
  bool mean = false;
  bool rstd = false;
  bool as_x = false;  ///< in x's dtype, where that is a half, and not in f32
};

/// The dtype of mean and rstd for an x of this dtype, where nothing else is claimed.
constexpr DType statistics_dtype(DType x) { return is_half(x) ? DType::f32 : x; }

}  // namespace normcheck

// Contracts in words: what a kernel claims of itself, key by key, and the bound that follows from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/dtype.h"
#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// Each key that is given narrows or widens `stable`; what is not given stays as `stable` has it.
struct Claims {
  enum class Eps : std::uint8_t { accumulate, f32, f64 };

  std::string text;                          ///< as it was given
  std::vector<MomentBoundFunction> moments;  ///< algorithm, order; empty: the careful forms
  std::optional<DType> accumulate;
  bool direct = true, folded = true, half_folded = true;
  Eps eps = Eps::accumulate;        ///< the type that eps is rounded to, and added in
  std::optional<double> rsqrt_ulp;  ///< the reciprocal root's own error
  bool x_hat_storage = false;       ///< x_hat is rounded to the storage type before gamma
  bool reads_prefixes = false;      ///< a bound of `moments` reads the prefix facts
};

/// key=value;key=value, with the keys
///   algorithm=NAME                      a row's algorithm (normcheck list)
///   order=own|any|sequential|reversed|pairwise|lanes<L>|block<B>   of its sums; own by default
///   accumulate=f16|bf16|f32|f64|f80     the working type
///   finish=direct|folded|half_folded
///   eps=acc|f32|f64
///   rsqrt_ulp=K                         a finite K >= 0; 1 ulp is at most 2u relative
///   xhat_rounding=none|storage
/// in any order, each once. InputError names the key, its value and what was expected. With an algorithm
/// whose sums have no bound in the order asked for: likewise.
Claims parse_claims(std::string_view text);

}  // namespace normcheck

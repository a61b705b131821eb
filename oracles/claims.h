// Contracts in words: what a kernel claims of itself, key by key, and what follows from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/dtype.h"
#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// What a kernel says of how it may be called and what it repeats. No verdict on a number depends on it: it
/// is for whoever runs the kernel. What is not said is empty or false.
struct HostClaims {
  enum class Parameters : std::uint8_t { as_x, f32, any };
  enum class Strides : std::uint8_t { any, rows, none };
  enum class Statistics : std::uint8_t { f32, as_x, none };
  enum class Integers : std::uint8_t { refuse, convert };

  std::optional<Parameters> gamma;   ///< the dtypes of gamma and beta that it takes
  bool deterministic = false;        ///< the same call gives the same bits
  bool batch_invariant = false;      ///< a row's bits do not depend on the rows beside it
  bool in_place = false;             ///< y may be x's memory
  std::optional<Strides> strides;    ///< any; rows: the last dims dense, rows apart; none: dense alone
  std::optional<Statistics> stats;   ///< the dtype of mean and rstd; none: it offers neither
  std::optional<Integers> integers;  ///< what it does with an integer x
  bool refuses_eps = false;          ///< negative, NaN, infinite
  bool refuses_shape = false;        ///< of gamma or beta, or of the normalized dims
  bool refuses_int = false;          ///< an integer x
  bool memory_copy = false;          ///< it copies its arguments elsewhere: only what comes back is seen
};

/// Each key that is given narrows or widens the contract; what is not given stays as `stable` has it.
struct Claims {
  enum class Eps : std::uint8_t { accumulate, f32, f64 };
  enum class Rounding : std::uint8_t { any, faithful, correct };

  std::string text;  ///< as it was given
  // How it computes: these say which bound holds.
  std::string algorithm;                     ///< empty: the careful forms
  std::vector<MomentBoundFunction> moments;  ///< of algorithm and order
  std::optional<DType> accumulate;
  bool direct = true, folded = true, half_folded = true;
  Eps eps = Eps::accumulate;        ///< eps is rounded to it; f64: var + eps and its root are too
  std::optional<double> rsqrt_ulp;  ///< the reciprocal root's own error
  bool x_hat_storage = false;       ///< x_hat is rounded to the storage type before gamma
  bool reads_prefixes = false;      ///< a bound of `moments` reads the prefix facts
  std::string_view form_key;        ///< one of the keys above that was given; empty: none was
  bool flush = false;               ///< subnormal numbers may be taken as 0 (oracles/flush.h)
  // What comes out, of y.
  bool constant_exact = false;        ///< a constant row gives RN(beta), as bits go; eps above 0
  bool full_range = false;            ///< numbers outside the safe range are judged too
  std::optional<double> max_ulp;      ///< at most so many ulp, in place of a bound
  Rounding rounding = Rounding::any;  ///< RN(y); faithful: a neighbour of y; in place of a bound
  bool by_ulp() const { return max_ulp || rounding != Rounding::any; }

  HostClaims host;
};

/// A key of the grammar: the values it takes, and what it means, each in words.
struct ClaimKey {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;
};
std::span<const ClaimKey> claim_keys();

/// key=value;key=value, with the keys of claim_keys() in any order, each once, spaces around them ignored;
/// empty: nothing is claimed. InputError names the key, its value and what was expected; for an algorithm
/// whose sums have no bound in the order asked for, likewise. An unknown key is InputError too, with the key
/// that it may have been meant for; where there are `notes` it is a line there, and ignored.
Claims parse_claims(std::string_view text, std::vector<std::string>* notes = nullptr);

}  // namespace normcheck

// What an implementation is held to: `stable`, `own`, or claims that narrow or widen `stable`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "corpus/dtype.h"
#include "impl/table.h"
#include "oracles/claims.h"

namespace normcheck {

enum class ContractKind : std::uint8_t { stable, own, claims };

/// The accumulate type of `stable` for a storage dtype: f32 for halves, else the dtype itself.
constexpr DType stable_accumulate(DType storage) { return is_half(storage) ? DType::f32 : storage; }

/// stable: the largest allowance over {two_pass, welford and chan in any merge tree} x {direct, folded,
/// half_folded, the factors in any order} x {divide by n, multiply by rounded 1/n} x {fma, none} x {1/sqrt,
/// reciprocal root good to 2 ulp}, any order, at the accumulate type of the storage dtype (f32 for halves,
/// else itself). own: the bound of `row`, at its accumulate type and finish. claims: `stable` as far as they
/// do not say otherwise (oracles/claims.h).
struct Contract {
  ContractKind kind = ContractKind::stable;
  const Row* row = nullptr;  ///< with `own`; the judge throws std::invalid_argument where it is missing
  /// With `claims`; with `own` perhaps, and then none of them says how the row computes.
  std::shared_ptr<const Claims> claims = nullptr;

  /// Whether its bounds read the prefix facts of a row.
  bool reads_prefixes() const {
    return kind == ContractKind::own ? row->reads_prefixes : claims && claims->reads_prefixes;
  }
  bool flush() const { return claims && claims->flush; }
};

/// The dtype of mean and rstd as outputs: f32 for halves, else x's; x's where that is claimed (stats=x).
DType statistics_dtype(const Contract& contract, DType x);

/// "stable", "own", claims, key=value;key=value, or one of the former with claims behind it,
/// stable;key=value (the same as key=value) and own;key=value, whose keys may not say how the row computes;
/// anything else is InputError. `own` needs a row.
Contract parse_contract(std::string_view text, const Row* row);
/// The same for an implementation that is not of the table and makes these claims of itself: stable is
/// `stable` as far as they do not say otherwise; own likewise, InputError if they name no algorithm; with
/// keys behind either, theirs and those.
Contract parse_contract(std::string_view text, const Claims& made);
std::string contract_name(const Contract& contract);

/// Where claims have it compute in a type that lacks numbers which the dtype of x, gamma or beta has: that
/// dtype. Such data round before they are used, which no bound counts.
std::optional<DType> rounded_on_reading(const Contract& contract, const Case& c);

}  // namespace normcheck

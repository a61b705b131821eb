// What an implementation is held to: `stable`, `own`, or (later) keys that narrow or widen them.
#pragma once

#include <string>
#include <string_view>

#include "corpus/dtype.h"
#include "impl/table.h"

namespace normcheck {

enum class ContractKind : std::uint8_t { stable, own };

/// stable: the largest allowance over {two_pass, welford and chan in any merge tree} x {direct, folded,
/// half_folded, the factors in any order} x {divide by n, multiply by rounded 1/n} x {fma, none} x {1/sqrt,
/// reciprocal root good to 2 ulp}, any order, at the accumulate type of the storage dtype (f32 for halves,
/// else itself). own: the bound of `row`, at its accumulate type and finish.
struct Contract {
  ContractKind kind = ContractKind::stable;
  const Row* row = nullptr;  ///< with `own`; the judge throws std::invalid_argument where it is missing
};

/// "stable" or "own"; anything else is InputError. `own` needs a row.
Contract parse_contract(std::string_view text, const Row* row);
std::string contract_name(const Contract& contract);

}  // namespace normcheck

// Reads and names contracts.
#include "oracles/contract.h"

#include "corpus/error.h"

namespace normcheck {

Contract parse_contract(std::string_view text, const Row* row) {
  if (text == "stable") return {ContractKind::stable, nullptr};
  if (text == "own") {
    if (row == nullptr)
      throw InputError(
          "contract own: only an implementation of the table has a bound of its own; expected stable");
    return {ContractKind::own, row};
  }
  throw InputError("contract " + std::string(text) + ": unknown; expected stable or own");
}

std::string contract_name(const Contract& contract) {
  return contract.kind == ContractKind::stable ? "stable" : "own";
}

}  // namespace normcheck

// Reads and names contracts.
#include "oracles/contract.h"

#include "corpus/error.h"

namespace normcheck {

Contract parse_contract(std::string_view text, const Row* row) {
  if (text == "stable") return {ContractKind::stable, nullptr};
  if (text.find('=') != std::string_view::npos)
    return {ContractKind::claims, nullptr, std::make_shared<const Claims>(parse_claims(text))};
  if (text == "own") {
    if (row == nullptr)
      throw InputError(
          "contract own: only an implementation of the table has a bound of its own; expected stable");
    return {ContractKind::own, row};
  }
  throw InputError("contract " + std::string(text) +
                   ": unknown; expected stable, own, or claims such as algorithm=two_pass;order=pairwise");
}

std::string contract_name(const Contract& contract) {
  if (contract.kind == ContractKind::claims) return contract.claims->text;
  return contract.kind == ContractKind::stable ? "stable" : "own";
}

}  // namespace normcheck

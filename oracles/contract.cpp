// Reads and names contracts.
#include "oracles/contract.h"

#include <utility>

#include "corpus/error.h"

namespace normcheck {
namespace {

struct Parts {
  std::string_view head;  ///< "stable" or "own"; empty for claims alone
  std::string_view keys;
};

Parts parts_of(std::string_view text) {
  const std::string_view head = text.substr(0, text.find(';'));
  if (head == "stable" || head == "own") return {head, text.substr(std::min(head.size() + 1, text.size()))};
  if (text.find('=') == std::string_view::npos)
    throw InputError("contract " + std::string(text) +
                     ": unknown; expected stable, own, or claims such as algorithm=two_pass;order=pairwise");
  return {{}, text};
}

/// Whether every number of `narrow` is one of `wide`.
bool holds(DType wide, DType narrow) {
  const Format w = format_of(wide), n = format_of(narrow);
  return w.precision >= n.precision && w.emax >= n.emax && w.emin - w.precision <= n.emin - n.precision;
}

Contract of_claims(Claims claims) {
  return {ContractKind::claims, nullptr, std::make_shared<const Claims>(std::move(claims))};
}

}  // namespace

Contract parse_contract(std::string_view text, const Row* row) {
  const auto [head, keys] = parts_of(text);
  if (head == "own" && row == nullptr)
    throw InputError(
        "contract own: only an implementation of the table has a bound of its own; expected stable, or "
        "claims "
        "that name its algorithm, such as algorithm=two_pass;order=pairwise");
  if (keys.empty()) {
    return head == "own" ? Contract{ContractKind::own, row} : Contract{};
  }
  Claims claims = parse_claims(keys);
  claims.text = text;
  if (head != "own") return of_claims(std::move(claims));
  if (!claims.form_key.empty())
    throw InputError("contract own: " + std::string(claims.form_key) +
                     ": own says already how the row computes; expected it without own");
  return {ContractKind::own, row, std::make_shared<const Claims>(std::move(claims))};
}

Contract parse_contract(std::string_view text, const Claims& made) {
  const auto [head, keys] = parts_of(text);
  if (head.empty()) return of_claims(parse_claims(keys));
  if (head == "own" && made.algorithm.empty())
    throw InputError(
        "contract own: the claims of this implementation name no algorithm; expected stable, or claims such "
        "as "
        "algorithm=two_pass");
  if (keys.empty()) return made.text.empty() ? Contract{} : of_claims(made);
  std::vector<std::string> said_before;
  const std::string both = made.text.empty() ? std::string(keys) : made.text + ";" + std::string(keys);
  parse_claims(keys);
  return of_claims(parse_claims(both, &said_before));
}

DType statistics_dtype(const Contract& contract, DType x) {
  const bool as_x = contract.claims && contract.claims->host.stats == HostClaims::Statistics::as_x;
  return as_x ? x : statistics_dtype(x);
}

std::string contract_name(const Contract& contract) {
  if (contract.claims) return contract.claims->text;
  return contract.kind == ContractKind::stable ? "stable" : "own";
}

std::optional<DType> rounded_on_reading(const Contract& contract, const Case& c) {
  if (contract.kind != ContractKind::claims || !contract.claims->accumulate) return std::nullopt;
  const DType computed_in = *contract.claims->accumulate;
  if (!holds(computed_in, c.x.dtype)) return c.x.dtype;
  if (c.gamma && !holds(computed_in, c.gamma->dtype)) return c.gamma->dtype;
  if (c.beta && !holds(computed_in, c.beta->dtype)) return c.beta->dtype;
  return std::nullopt;
}

}  // namespace normcheck

// Pairs rows with contracts, once a dtype.
#include "fuzz/subjects.h"

#include <array>
#include <string>
#include <vector>

#include "impl/outside.h"
#include "oracles/claims.h"

namespace normcheck {
namespace {

using Lists = std::array<std::vector<Subject>, 6>;

std::vector<Subject> pair_rows(DType dtype, std::size_t& set) {
  std::vector<Subject> out;
  for (const Row& row : fuzzed_rows()) {
    if (is_float(dtype) && !offers(row, dtype)) continue;
    if (row.outside != nullptr) {
      std::vector<std::string> notes;  // whoever wants to read them runs `normcheck check`
      const Claims claims = parse_claims(row.outside->claims_text(), &notes);
      out.push_back({&row, parse_contract("stable", claims), set});
      if (is_float(dtype)) ++set;
      continue;
    }
    out.push_back({&row, {ContractKind::own, &row}, set});
    if (is_right(row)) out.push_back({&row, {ContractKind::stable, &row}, set});
    if (is_float(dtype)) ++set;
  }
  return out;
}

Lists pair_all() {
  Lists out;
  std::size_t set = 0;
  for (std::size_t dtype = 0; dtype < out.size(); ++dtype)
    out[dtype] = pair_rows(static_cast<DType>(dtype), set);
  return out;
}

}  // namespace

std::span<const Subject> subjects(DType dtype) {
  static const Lists by_dtype = pair_all();
  return by_dtype[static_cast<std::size_t>(dtype)];
}

}  // namespace normcheck

// Pairs rows with contracts, once a dtype.
#include "fuzz/subjects.h"

#include <array>
#include <vector>

namespace normcheck {
namespace {

std::vector<Subject> pair_rows(DType dtype) {
  std::vector<Subject> out;
  for (const Row& row : fuzzed_rows()) {
    if (is_float(dtype) && !offers(row, dtype)) continue;
    out.push_back({&row, {ContractKind::own, &row}});
    if (is_right(row)) out.push_back({&row, {ContractKind::stable, &row}});
  }
  return out;
}

}  // namespace

std::span<const Subject> subjects(DType dtype) {
  static const std::array<std::vector<Subject>, 6> by_dtype = {pair_rows(DType::f16), pair_rows(DType::bf16),
                                                               pair_rows(DType::f32), pair_rows(DType::f64),
                                                               pair_rows(DType::i32), pair_rows(DType::i64)};
  return by_dtype[static_cast<std::size_t>(dtype)];
}

}  // namespace normcheck

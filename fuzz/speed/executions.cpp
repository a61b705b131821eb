// How many executions a second a target makes on rows of 32 numbers: executions LABEL prints a line of a
// table.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "fuzz/decode.h"
#include "fuzz/target.h"
#include "props/gen.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace normcheck {
namespace {

constexpr std::size_t most_inputs = 512;
constexpr int rounds = 9;

/// One row of each regime in turn, as the bytes that a target reads; its implementations in turn.
std::vector<std::vector<std::uint8_t>> inputs(const std::vector<DType>& dtypes) {
  std::vector<std::vector<std::uint8_t>> out;
  for (std::uint64_t k = 0; out.size() < most_inputs; ++k) {
    const GenRequest request = {.dtype = dtypes[k / 7 % dtypes.size()], .rows = 1, .n = 32};
    const Case c = make_case(regimes()[k % regimes().size()], request, 1, k);
    if (auto bytes = encode(c, static_cast<std::uint16_t>(k * 2654435761U >> 7)))
      out.push_back(*std::move(bytes));
  }
  return out;
}

/// The median of the rounds, each of half a second of processor time or a little more.
double executions_a_second(const std::vector<std::vector<std::uint8_t>>& of) {
  std::vector<double> seen;
  for (int round = 0; round <= rounds; ++round) {
    std::int64_t runs = 0;
    const std::clock_t start = std::clock();
    std::clock_t spent = 0;
    while (spent < CLOCKS_PER_SEC / 2) {
      for (const auto& bytes : of) LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      runs += static_cast<std::int64_t>(of.size());
      spent = std::clock() - start;
    }
    if (round > 0) seen.push_back(static_cast<double>(runs) * CLOCKS_PER_SEC / static_cast<double>(spent));
  }
  std::nth_element(seen.begin(), seen.begin() + rounds / 2, seen.end());
  return seen[rounds / 2];
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) {
  using normcheck::DType;
  for (const auto& [name, dtypes] :
       {std::pair("f32", std::vector{DType::f32}),
        std::pair("f64, f32, f16, bf16", std::vector{DType::f64, DType::f32, DType::f16, DType::bf16})})
    fmt::print("| {} | {} | {} | {:.0f} |\n", normcheck::target_name(), argc > 1 ? argv[1] : "", name,
               normcheck::executions_a_second(normcheck::inputs(dtypes)));
  return 0;
}

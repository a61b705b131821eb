// Seed, judging and recording for the property tests.
#include "props/promise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "corpus/replay_line.h"
#include "props/shrink.h"

namespace normcheck {

std::uint64_t promise_seed() {
  const char* text = std::getenv("NORMCHECK_SEED");
  if (text == nullptr) return 1;
  const std::string_view digits(text);
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw InputError("NORMCHECK_SEED: '" + std::string(digits) + "'; expected a number from 0 to 2^64-1");
  return seed;
}

std::filesystem::path found_folder() {
  const char* out = std::getenv("NORMCHECK_OUT");
  return std::filesystem::path(out != nullptr ? out : ".") / "found";
}

Contract stable_contract() { return {}; }
Contract own_contract(const Row& row) { return {ContractKind::own, &row}; }

bool exhaustive() {
  static const char* text = std::getenv("NORMCHECK_EXHAUSTIVE");
  return text != nullptr && std::string_view(text) == "1";
}

bool takes_turn(const Row& row, std::size_t k) {
  constexpr std::array leading = {"naive", "two_pass", "welford", "chan", "lanes8", "compensated_mean"};
  if (exhaustive() || !is_right(row)) return true;  // its failures may be rare
  const bool by_itself = row.name.find_first_of("/+", row.name.find('/') + 1) == std::string_view::npos;
  if (by_itself && std::find(leading.begin(), leading.end(), row.algorithm) != leading.end()) return true;
  std::size_t turn = k;
  for (const char ch : row.name) turn += static_cast<unsigned char>(ch);
  return turn % 4 == 0;
}

Judgement run_and_judge(const Row& row, const Case& c, const Contract& contract, bool statistics) {
  return judge(c, run_case(row, c, {.mean = statistics, .rstd = statistics}), contract,
               OracleChoice::automatic, Detail::verdict);
}

std::string complaint(const Row& row, const Case& c, const Contract& contract, bool statistics) {
  const Judgement judgement = run_and_judge(row, c, contract, statistics);
  if (!is_finding(judgement.verdict)) return {};
  return fmt::format("{} under {} on {}: {} {}", row.name, contract_name(contract), c.id,
                     verdict_name(judgement.verdict), judgement.reason);
}

std::string record_failure(const Case& c, std::string_view impl,
                           const std::function<bool(const Case&)>& fails) {
  constexpr std::int64_t tries = 500;
  const Case simplest = fails ? minimise(c, fails, tries) : c;
  const std::string text = format_case(simplest);
  std::string name(impl.empty() ? std::string_view("case") : impl);
  for (char& ch : name)
    if (ch == '/') ch = '-';
  const auto path = found_folder() / fmt::format("{}-{}.case", name, sha256_hex(text).substr(0, 8));
  std::filesystem::create_directories(path.parent_path());
  write_file_atomically(path, text);
  // The whole path: a test runs in a folder of its own, and its line is pasted elsewhere.
  return fmt::format(
      "  seed     {} (NORMCHECK_SEED), case {}\n  replay   {}\n", promise_seed(), c.id,
      replay_line(built_command, replay_arguments(std::filesystem::absolute(path).string(), impl)));
}

}  // namespace normcheck

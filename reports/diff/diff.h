// What changed between two reports, line by line, each with the command that shows it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace normcheck {

enum class Change : std::uint8_t { worse, better, appeared, gone };

struct DiffLine {
  Change change = Change::worse;
  bool finding = false;  ///< of a verdict that is one, where the implementation should pass
  std::string subject;   ///< "two_pass/f32 f16, regime large_mean"
  std::string was, now;  ///< with unit; empty where there is nothing
  std::string command;   ///< arguments of normcheck that show it
};

struct ResultsDiff {
  std::vector<DiffLine> lines;     ///< worse, new, fixed, better; in each the largest first
  std::vector<std::string> notes;  ///< why lines may differ though no implementation changed
  std::int64_t compared = 0;       ///< pairs of implementation, dtype and regime that both have
};

/// Compares two documents of schema normcheck-results/2 (reports/SCHEMA.md). Verdicts, largest known errors
/// (ulp) and shares of the bound, by implementation, dtype and regime; findings by case; champions. No
/// threshold: the same seed, budget and build give the same numbers. A member that is missing is not
/// compared.
ResultsDiff diff_results(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after);

std::string diff_text(const ResultsDiff& diff, const std::string& program);
/// For a pull request: a table for each kind of change, none for a kind without lines.
std::string diff_markdown(const ResultsDiff& diff);

}  // namespace normcheck

// Promise: every case of the corpus reads, is written as its file stands, and is judged as it says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

std::vector<std::filesystem::path> corpus_files() {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = std::filesystem::path(NORMCHECK_SOURCE_DIR) / "corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".case") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

bool is_named(const Case& c, std::string_view row) {
  return std::find(c.violates.begin(), c.violates.end(), row) != c.violates.end();
}

std::vector<std::int64_t> rows_not_finite(const Case& c) {
  std::vector<std::int64_t> out;
  const std::int64_t n = row_length(c);
  for (std::int64_t i = 0; i < c.x.size(); ++i)
    if (!std::isfinite(c.x.value(i)) && (out.empty() || out.back() != i / n)) out.push_back(i / n);
  return out;
}

/// What a case says of the rows and does not hold, one line each; `judged` counts what was.
std::vector<std::string> disagreements(const Case& c, std::map<Verdict, std::int64_t>& judged) {
  std::vector<std::string> out;
  if (c.expect != Expect::refused && rows_not_finite(c) != c.nan_rows)
    out.push_back(fmt::format("{}: expect names other rows as NaN than x has", c.id));
  for (const std::string& name : c.violates) {
    const Row* row = find_row(name);
    if (row == nullptr) {
      out.push_back(fmt::format("{}: violates {}, which is no row of the table", c.id, name));
    } else if (!is_finding(run_and_judge(*row, c, stable_contract(), true).verdict)) {
      out.push_back(fmt::format("{}: violates {} is stale, it does not fail", c.id, name));
    }
  }
  for (const Row& row : table()) {
    if (!is_right(row) || is_named(c, row.name) || !takes_turn(row, c.id.size())) continue;
    const Judgement judgement = run_and_judge(row, c, stable_contract(), true);
    ++judged[judgement.verdict];
    if (is_finding(judgement.verdict))
      out.push_back(
          fmt::format("{}: {} {} {}", c.id, row.name, verdict_name(judgement.verdict), judgement.reason));
    if ((c.expect == Expect::refused) != (judgement.verdict == Verdict::refused) &&
        judgement.verdict != Verdict::unsupported)
      out.push_back(fmt::format("{}: expect {}refused, {} {}", c.id,
                                c.expect == Expect::refused ? "" : "not ", row.name,
                                verdict_name(judgement.verdict)));
  }
  return out;
}

TEST(Replay, EveryCaseIsWrittenAsItsFileStands) {
  const std::vector<std::filesystem::path> files = corpus_files();
  ASSERT_GE(files.size(), 60U);
  for (const auto& path : files) {
    const std::string text = read_file(path);
    const Case c = parse_case(text, path.string());
    EXPECT_EQ(format_case(c), text) << path;
    EXPECT_TRUE(same_case(parse_case(format_case(c), "again"), c)) << path;
    EXPECT_EQ(c.id, path.stem().string()) << "a case is named as its file";
  }
  fmt::print("{} files\n", files.size());
}

TEST(Replay, EveryCaseIsJudgedAsItSays) {
  std::map<Verdict, std::int64_t> judged;
  std::int64_t named = 0;
  std::int64_t from_reports = 0;
  const std::vector<std::filesystem::path> files = corpus_files();
  for (const auto& path : files) {
    const Case c = read_case(path);
    for (const std::string& line : disagreements(c, judged)) ADD_FAILURE() << path << '\n' << line;
    named += static_cast<std::int64_t>(c.violates.size());
    if (!c.origin.empty()) ++from_reports;
  }
  EXPECT_GE(from_reports, 60);
  EXPECT_GT(named, 0);
  EXPECT_GT(judged[Verdict::refused], 0);
  fmt::print("{} cases, {} from public reports; {} rows named as failing do fail; right rows:", files.size(),
             from_reports, named);
  for (const auto& [verdict, count] : judged) fmt::print(" {} {}", verdict_name(verdict), count);
  fmt::print("\n");
}

Case control() {
  return make_case(*find_regime("unit_normal"), {.dtype = DType::f32, .rows = 2, .n = 8}, promise_seed(), 0);
}

TEST(Replay, AStaleOrUnknownNameIsSeen) {
  std::map<Verdict, std::int64_t> judged;
  Case c = control();
  EXPECT_TRUE(disagreements(c, judged).empty());
  c.violates = {"two_pass/f32", "no_such/f32"};
  EXPECT_EQ(disagreements(c, judged).size(), 2U);
  fmt::print("a stale name and an unknown one are reported\n");
}

TEST(Replay, ACaseThatIsWronglyExpectedToBeRefusedIsSeen) {
  std::map<Verdict, std::int64_t> judged;
  Case c = control();
  c.expect = Expect::refused;
  EXPECT_FALSE(disagreements(c, judged).empty());
  c = control();
  c.expect = Expect::nan_rows;
  c.nan_rows = {0};
  EXPECT_FALSE(disagreements(c, judged).empty());
  fmt::print("both are reported\n");
}

TEST(Replay, ATextThatIsNotCanonicalIsSeen) {
  const std::string text = format_case(control());
  const std::string spaced = text + "# a comment that the writer drops\n";
  EXPECT_NE(format_case(parse_case(spaced, "spaced")), spaced);
  EXPECT_EQ(format_case(parse_case(text, "text")), text);
  fmt::print("a comment is not kept\n");
}

}  // namespace
}  // namespace normcheck

// What `list` says of the table is so: every row and algorithm, its cost, where its proof stands, and the
// smallest fault that shows; and `check` without a name judges all of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "impl/algorithms/described.h"
#include "impl/table.h"
#include "oracles/claims.h"
#include "oracles/judge.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

struct SaysNothing {};
static_assert(!Described<SaysNothing>, "a row of it would not compile");

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CommandList, EveryListFitsATerminalOf100Columns) {
  std::size_t lines = 0;
  for (const std::string what : {"", " --rows", " --algorithms", " --contracts", " --floor --dtype bf16"}) {
    const Told r = run("list" + what);
    EXPECT_EQ(r.code, 0) << r.err;
    for (const std::string& line : lines_of(r.out)) EXPECT_LE(line.size(), 100U) << line;
    lines += lines_of(r.out).size();
  }
  EXPECT_EQ(run("list").out, run("list --rows").out);
  const Told bad = run("list --dtype f32");
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(is_one_line(bad.err)) << bad.err;
  EXPECT_EQ(run("list --floor --dtype f65").code, 2);
  fmt::print("{} lines of 5 lists; a dtype without --floor is refused\n", lines);
}

TEST(CommandList, ContractsNameEveryKeyWithItsValues) {
  const std::vector<std::string> lines = lines_of(run("list --contracts").out);
  for (const ClaimKey& key : claim_keys()) {
    const auto names = [&](const std::string& line) {
      return line.starts_with(fmt::format("  {} ", key.name)) && line.find(key.values) != std::string::npos;
    };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), names), 1) << key.name;
  }
  fmt::print("{} keys, a line each and what it means\n", claim_keys().size());
}

/// The block of one algorithm in `list --algorithms`: its lines joined, empty if there is none.
std::string block_of(const std::string& list, std::string_view algorithm) {
  const auto at = list.find(fmt::format("\n\n{}\n", algorithm));
  if (at == std::string::npos) return "";
  const auto end = list.find("\n\n", at + 2);
  return std::regex_replace(list.substr(at + 2, end - at - 2), std::regex("\n {15}"), " ");
}

TEST(CommandList, EveryAlgorithmOfTheTableIsListedWithItsTypesAndAProofThatStands) {
  const std::string list = run("list --algorithms").out;
  std::set<std::string_view> names;
  int proofs = 0;
  for (const Row& row : table()) {
    const std::string block = block_of(list, row.algorithm);
    ASSERT_NE(block, "") << row.algorithm << " is not in impl/algorithms/all.h";
    std::smatch types;
    ASSERT_TRUE(std::regex_search(block, types, std::regex("\n  accumulates  ([^(]+)\\("))) << block;
    EXPECT_NE((" " + types[1].str()).find(fmt::format(" {} ", dtype_name(row.accumulate))), std::string::npos)
        << row.name << "\n"
        << block;
    if (!names.insert(row.algorithm).second) continue;
    for (const std::string label : {"formula", "mean", "variance"})
      EXPECT_TRUE(std::regex_search(block, std::regex("\n  " + label + " +[^ ]"))) << label << "\n" << block;
    std::smatch m;
    ASSERT_TRUE(std::regex_search(block, m, std::regex("\n  derivation +([^\n]+)"))) << block;
    const std::string files = m[1];
    const std::regex file("impl/algorithms/[a-z_0-9]+\\.h");
    for (std::sregex_iterator at(files.begin(), files.end(), file), end; at != end; ++at, ++proofs) {
      const auto path = std::filesystem::path(NORMCHECK_SOURCE_DIR) / at->str();
      ASSERT_TRUE(std::filesystem::exists(path)) << path;
      EXPECT_TRUE(std::regex_search(read_file(path), std::regex("bound\\(|_errors\\(|growth|mean_of_sum")))
          << path;
    }
  }
  EXPECT_EQ(block_of(list, "says_nothing"), "");
  EXPECT_GE(proofs, static_cast<int>(names.size()));
  fmt::print("{} algorithms of {} rows, {} places of proof\n", names.size(), table().size(), proofs);
}

// The costs by hand: sums start from 0, and that is no operation of an element more.
TEST(CommandList, CostsAreThoseOfOneElementMore) {
  const std::string list = run("list --algorithms").out;
  const std::vector<std::pair<std::string, std::string>> costs = {
      {"naive", "1 pass; an element 2 additions, 1 multiplication"},
      {"two_pass", "2 passes; an element 3 additions, 1 multiplication"},
      {"compensated_mean", "3 passes; an element 6 additions, 1 multiplication"},
      {"welford", "1 pass; an element 4 additions, 1 multiplication, 1 division"},
      {"neumaier", "2 passes; an element 9 additions, 1 multiplication, 6 comparisons"},
      // A merge of two blocks of eight: 4 additions, 4 multiplications, 1 division.
      {"chan", "1 pass; an element 4.5 additions, 1.5 multiplications, 1.125 divisions"}};
  for (const auto& [name, cost] : costs) {
    EXPECT_NE(block_of(list, name).find("\n  costs        " + cost + "\n"), std::string::npos)
        << cost << "\n"
        << block_of(list, name);
  }
  EXPECT_EQ(block_of(list, "naive").find("1 division"), std::string::npos);
  fmt::print("{} costs as counted by hand\n", costs.size());
}

/// Of a block of `list --floor`: by measure and contract, the cell under n.
double floor_cell(const std::string& list, const std::string& block, const std::string& measure,
                  const std::string& contract, std::size_t column) {
  const auto at = list.find("\n" + block);
  EXPECT_NE(at, std::string::npos) << list;
  std::string now;
  for (const std::string& line : lines_of(list.substr(at + 1))) {
    if (line.size() > 11 && line[2] != ' ') now = line.substr(2, line.find("  ", 2) - 2);
    if (now.rfind(measure, 0) != 0 || line.find(contract + " ") != 11) continue;
    std::istringstream cells(line.substr(32));
    std::string cell;
    for (std::size_t i = 0; i <= column; ++i) cells >> cell;
    return std::stod(cell);
  }
  ADD_FAILURE() << block << " " << measure << " " << contract << "\n" << list;
  return 0;
}

/// y of one row in doubles, with rstd off by a factor, and, if `lost` is an element, without it in the sums.
Tensor y_with_fault(const Case& c, double factor, std::int64_t lost) {
  const std::int64_t n = row_length(c);
  double mean = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += i == lost ? 0 : c.x.value(i);
  mean /= static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) squares += i == lost ? 0 : std::pow(c.x.value(i) - mean, 2);
  const double rstd = factor / std::sqrt(squares / static_cast<double>(n) + c.eps);
  Tensor y(c.x.dtype, c.x.shape);
  for (std::int64_t i = 0; i < n; ++i) y.set_value(i, (c.x.value(i) - mean) * rstd);
  return y;
}

bool shows(const Case& c, const Tensor& y, const Contract& contract) {
  Observation observed;
  observed.y = y;
  return judge(c, observed, contract).verdict == Verdict::fail;
}

/// The element that is the farthest from the mean.
std::int64_t farthest(const Case& c) {
  double mean = 0;
  for (std::int64_t i = 0; i < c.x.size(); ++i) mean += c.x.value(i) / static_cast<double>(c.x.size());
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    if (std::fabs(c.x.value(i) - mean) > std::fabs(c.x.value(at) - mean)) at = i;
  }
  return at;
}

// What the floor says must show shows, and what it says may hide does: at four times and at a quarter of it.
TEST(CommandList, AFaultAboveTheFloorFailsAndOneBelowPasses) {
  const std::string list = run("list --floor --dtype f32").out;
  int faults = 0, lost_seen = 0, lost_hidden = 0;
  for (const std::string data : {"balanced", "normal"}) {
    for (const std::size_t column : {1U, 3U, 5U}) {
      Case c;
      c.x = generate_tensor(data, 1, DType::f32, {1, std::int64_t{16} << (2 * column)});
      for (const std::string contract : {"stable", "two_pass/f32", "pairwise/f32", "lanes8/f32"}) {
        const Contract held =
            contract == "stable" ? Contract{} : Contract{ContractKind::own, find_row(contract)};
        const auto cell = [&](const std::string& measure) {
          return floor_cell(list, "f32, " + data, measure, contract, column);
        };
        const std::string at = fmt::format("{} n {} {}", data, row_length(c), contract);
        const double root = cell("root"), lost = cell("lost far");
        EXPECT_NEAR(cell("divisor"), 2 * root, 0.06 * cell("divisor")) << at;
        EXPECT_TRUE(shows(c, y_with_fault(c, 1 + 4 * root, -1), held)) << at;
        EXPECT_FALSE(shows(c, y_with_fault(c, 1 + root / 4, -1), held)) << at;
        faults += 2;
        if (lost > 2 || lost < 0.5) {
          EXPECT_EQ(shows(c, y_with_fault(c, 1, farthest(c)), held), lost > 2) << at << " " << lost;
          ++(lost > 2 ? lost_seen : lost_hidden);
        }
      }
    }
  }
  EXPECT_GT(lost_seen, 0);
  EXPECT_GT(lost_hidden, 0);
  fmt::print("{} errors of the root, {} lost elements that show, {} that do not\n", faults, lost_seen,
             lost_hidden);
}

TEST(CommandList, CheckWithoutANameJudgesEveryRow) {
  const std::string few = " --dtype bf16 --n 4..40 --budget 40 --regime large_mean,bf16_spread";
  const Told stable = run("check" + few), own = run("check --contract own" + few);
  EXPECT_EQ(stable.code, 1) << stable.out << stable.err;
  EXPECT_EQ(own.code, 0) << own.out << own.err;
  int rows = 0;
  for (const Row& row : table()) {
    if (!offers(row, DType::bf16)) continue;
    const std::regex line(fmt::format("\n{} +bf16 +[0-9]+ [^\n]*",
                                      std::regex_replace(std::string(row.name), std::regex("\\+"), "\\+")));
    std::smatch m;
    ASSERT_TRUE(std::regex_search(stable.out, m, line)) << row.name << "\n" << stable.out;
    if (is_right(row)) {
      EXPECT_EQ(m.str().find("expected"), std::string::npos) << m.str();
    }
    EXPECT_TRUE(std::regex_search(own.out, line)) << row.name;
    ++rows;
  }
  EXPECT_NE(stable.out.find("as expected"), std::string::npos) << stable.out;
  EXPECT_EQ(stable.out.find("unexpected"), std::string::npos) << stable.out;
  EXPECT_NE(stable.out.find("\nblind zone\n  bf16: "), std::string::npos) << stable.out;
  fmt::print("{} rows at bf16, each a line: those that are wrong fail stable, all keep their own bound\n",
             rows);
}

}  // namespace
}  // namespace normcheck

// Promise: every implementation meets every regime, no regime is empty, and no expectation is stale.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corpus/case_file.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// What one row met in one regime, over the dtypes that it offers.
struct Met {
  std::int64_t judged = 0;
  std::int64_t found = 0;
};

constexpr std::int64_t lengths[] = {1, 6, 40, 300};

// An empty batch is what that one regime is for.
bool has_elements(const Regime& regime) { return regime.name != "no_rows"; }

std::vector<Case> cases_of(const Regime& regime, DType dtype) {
  std::vector<Case> out;
  for (const std::int64_t n : lengths)
    for (std::uint64_t index = 0; index < 2; ++index) {
      const GenRequest request = {.dtype = dtype, .rows = 2, .n = n};
      out.push_back(make_case(regime, request, promise_seed(), index));
    }
  return out;
}

// Half accumulation takes no f32 gamma or beta: it meets the case with both in x's type.
Case narrowed(Case c) {
  for (std::optional<Tensor>* t : {&c.gamma, &c.beta}) {
    if (!*t) continue;
    Tensor narrow(c.x.dtype, (*t)->shape);
    for (std::int64_t i = 0; i < narrow.size(); ++i) narrow.set_value(i, (*t)->value(i));
    *t = std::move(narrow);
  }
  return c;
}

/// The rows that a case of the corpus is there to fail, which a promise of its own replays: some failures are
/// of rows that no regime is likely to draw.
std::set<std::string> failing_in_the_corpus() {
  std::set<std::string> out;
  const std::filesystem::path root = std::filesystem::path(NORMCHECK_SOURCE_DIR) / "corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".case") continue;
    const Case c = read_case(entry.path());
    out.insert(c.violates.begin(), c.violates.end());
  }
  return out;
}

/// Everything that is wrong with a table and a list of regimes, one line each.
std::vector<std::string> audit(std::span<const Row> rows, std::span<const Regime> all_regimes) {
  std::vector<std::string> wrong;
  const std::set<std::string> shown = failing_in_the_corpus();
  std::vector<std::int64_t> found(rows.size());
  for (const Regime& regime : all_regimes) {
    std::vector<Met> met(rows.size());
    std::int64_t elements = 0;
    for (const DType dtype : float_dtypes) {
      std::size_t k = 0;
      for (const Case& c : cases_of(regime, dtype)) {
        elements += c.x.size();
        ++k;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          if (!offers(rows[r], dtype) || !takes_turn(rows[r], k)) continue;
          const Case met_case = is_half(rows[r].accumulate) ? narrowed(c) : c;
          const Judgement judgement = run_and_judge(rows[r], met_case, stable_contract());
          if (judgement.verdict == Verdict::unsupported || judgement.verdict == Verdict::not_run) continue;
          ++met[r].judged;
          if (is_finding(judgement.verdict)) ++met[r].found;
        }
      }
    }
    if (elements == 0 && has_elements(regime))
      wrong.push_back(fmt::format("regime {} made nothing", regime.name));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      found[r] += met[r].found;
      if (met[r].judged == 0)
        wrong.push_back(fmt::format("row {} never met regime {}", rows[r].name, regime.name));
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (is_right(rows[r]) && found[r] > 0)
      wrong.push_back(
          fmt::format("row {} is right by the table, and failed {} times", rows[r].name, found[r]));
    if (!is_right(rows[r]) && found[r] == 0 && !shown.contains(std::string(rows[r].name)))
      wrong.push_back(
          fmt::format("row {} is expected to fail ({}), and never did", rows[r].name, rows[r].expect));
  }
  return wrong;
}

TEST(Coverage, EveryRowMeetsEveryRegimeAndIsWhatTheTableSays) {
  EXPECT_EQ(audit(table(), regimes()), std::vector<std::string>{});
  fmt::print("{} rows by {} regimes, 8 cases a dtype each\n", table().size(), regimes().size());
}

TEST(Coverage, AnEmptyRegimeIsSeen) {
  const Regime empty = {"empty", "made by mistake", false, [](CounterRng&, const GenRequest& request) {
                          Case c;
                          c.x = Tensor(request.dtype, {0, request.n});
                          return c;
                        }};
  const std::vector<std::string> wrong = audit({find_row("welford/f32"), 1}, {&empty, 1});
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0], "regime empty made nothing");
  fmt::print("{}\n", wrong[0]);
}

TEST(Coverage, AStaleExpectationIsSeen) {
  Row stale = *find_row("welford/f32");
  stale.expect = "cancellation";
  const std::vector<std::string> wrong = audit({&stale, 1}, regimes());
  ASSERT_EQ(wrong.size(), 1U);
  fmt::print("{}\n", wrong[0]);
}

TEST(Coverage, AWrongRowThatIsCalledRightIsSeen) {
  Row praised = *find_row("naive/f32");
  praised.expect = "pass";
  const std::vector<std::string> wrong = audit({&praised, 1}, regimes());
  ASSERT_EQ(wrong.size(), 1U);
  fmt::print("{}\n", wrong[0]);
}

TEST(Coverage, ARowThatOffersNothingIsSeen) {
  Row idle = *find_row("welford/f32");
  idle.storages = {};
  const std::vector<std::string> wrong = audit({&idle, 1}, regimes().first(3));
  EXPECT_EQ(wrong.size(), 3U);
  fmt::print("{}\n", wrong.empty() ? "" : wrong[0]);
}

/// The regimes not marked beyond where a right row is proved on fewer than half of its cases, one line each.
std::vector<std::string> thin(std::span<const Row> rows, std::span<const Regime> all_regimes, bool print) {
  std::vector<std::string> out;
  std::size_t turn = 0;  // what is proved depends on the regime more than on the row
  for (const Regime& regime : all_regimes) {
    ++turn;
    std::vector<std::int64_t> judged(rows.size());
    std::vector<std::int64_t> proved(rows.size());
    for (const DType dtype : float_dtypes)
      for (const std::int64_t n : {3, 30, 300, 3000}) {
        const GenRequest request = {.dtype = dtype, .rows = 1, .n = n};
        for (std::uint64_t index = 0; index < (n < 3000 ? 4 : 2); ++index) {
          const Case c = make_case(regime, request, promise_seed(), index);
          for (std::size_t r = 0; r < rows.size(); ++r) {
            if (!is_right(rows[r]) || !offers(rows[r], dtype) || !takes_turn(rows[r], turn)) continue;
            ++judged[r];
            if (run_and_judge(rows[r], c, stable_contract()).verdict == Verdict::pass) ++proved[r];
          }
        }
      }
    std::int64_t least = 100;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (judged[r] == 0) continue;
      least = std::min(least, 100 * proved[r] / judged[r]);
      if (!regime.beyond && 2 * proved[r] < judged[r])
        out.push_back(fmt::format("regime {}: {} proved on {} of {} cases", regime.name, rows[r].name,
                                  proved[r], judged[r]));
    }
    if (print) fmt::print("  {:20}{:4}%{}\n", regime.name, least, regime.beyond ? "  (beyond)" : "");
  }
  return out;
}

TEST(Coverage, RightRowsAreProvedOnHalfOfTheirCasesUnlessTheRegimeIsBeyond) {
  fmt::print("least share of cases proved, of any right row:\n");
  EXPECT_EQ(thin(table(), regimes(), true), std::vector<std::string>{});
}

TEST(Coverage, ARegimeThatProvesLittleIsSeen) {
  constexpr DType f32_only[] = {DType::f32};
  Row row = *find_row("two_pass/f32");
  row.storages = f32_only;
  Regime hidden = *find_regime("near_overflow");
  hidden.beyond = false;
  EXPECT_TRUE(thin({&row, 1}, regimes().first(1), false).empty()) << "the control is proved";
  const std::vector<std::string> out = thin({&row, 1}, {&hidden, 1}, false);
  ASSERT_EQ(out.size(), 1U);
  fmt::print("{}\n", out[0]);
}

}  // namespace
}  // namespace normcheck

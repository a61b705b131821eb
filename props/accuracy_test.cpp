// Promise: every implementation keeps its own proven bound on every input, and every right one keeps
// `stable`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "props/gen.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"
#include "props/shrink.h"

namespace normcheck {
namespace {

struct Counts {
  std::int64_t judged = 0;
  std::int64_t proved = 0;
  std::int64_t unproved = 0;  // void, vacuous
  std::int64_t other = 0;     // not judged: unsupported
  std::int64_t elements = 0;
  double share = 0;  // the largest error as a share of its allowance
};

void count(Counts& counts, const Judgement& judgement) {
  if (judgement.verdict == Verdict::unsupported || judgement.verdict == Verdict::not_run) {
    ++counts.other;
    return;
  }
  ++counts.judged;
  counts.elements += judgement.counts.elements;
  ++(judgement.verdict == Verdict::pass ? counts.proved : counts.unproved);
  counts.share = std::max(counts.share, judgement.errors.max_share_of_bound);
}

// Six short cases and one long one of a regime; lengths are drawn, so that none is favoured.
std::vector<Case> cases_of(const Regime& regime, DType dtype, std::uint64_t round) {
  std::vector<Case> out;
  CounterRng rng(promise_seed(), 16 * round + static_cast<std::uint64_t>(dtype));
  for (std::uint64_t index = 0; index < 7; ++index) {
    const std::int64_t most = index == 6 ? 1500 : std::int64_t{8} << index;
    const std::int64_t n = rng.between(index == 6 ? 300 : 1, most);
    const GenRequest request = {.dtype = dtype, .rows = 2, .n = n, .norm_ndim = rng.between(1, 2)};
    out.push_back(make_case(regime, request, promise_seed(), 7 * round + index));
  }
  return out;
}

void judge_both(const Row& row, const Case& c, bool statistics, Counts& own, Counts& stable) {
  const Observation observed = run_case(row, c, {.mean = statistics, .rstd = statistics});
  const auto check = [&](const Contract& contract, Counts& counts) {
    const Judgement judgement = judge(c, observed, contract, OracleChoice::automatic, Detail::verdict);
    count(counts, judgement);
    if (!is_finding(judgement.verdict)) return;
    const auto fails = [&](const Case& k) { return !complaint(row, k, contract, statistics).empty(); };
    ADD_FAILURE() << complaint(row, c, contract, statistics) << '\n' << record_failure(c, row.name, fails);
  };
  check(own_contract(row), own);
  if (is_right(row)) check(stable_contract(), stable);
}

/// Every row that offers the cases' dtype and whose turn it is, on every case of a regime.
void judge_regime(const std::vector<Case>& cases, std::size_t turn, std::vector<Counts>& own,
                  std::vector<Counts>& stable) {
  for (std::size_t r = 0; r < table().size(); ++r) {
    const Row& row = table()[r];
    if (!offers(row, cases.front().x.dtype)) continue;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      if (takes_turn(row, turn + k)) judge_both(row, cases[k], k % 2 == 1, own[r], stable[r]);
    }
  }
}

class AccuracyOf : public testing::TestWithParam<DType> {};

TEST_P(AccuracyOf, EveryRowKeepsItsBoundInEveryRegime) {
  const DType dtype = GetParam();
  std::vector<Counts> own(table().size());
  std::vector<Counts> stable(table().size());
  // One round, or so many that 50 million elements are judged in the four dtypes.
  const std::int64_t wanted = exhaustive() ? 50'000'000 / std::ssize(float_dtypes) : 1;
  std::int64_t elements = 0;
  for (std::uint64_t round = 0; elements < wanted; ++round) {
    elements = 0;
    std::size_t turn = 0;
    for (const Regime& regime : regimes()) judge_regime(cases_of(regime, dtype, round), turn++, own, stable);
    for (const Counts& counts : own) elements += counts.elements;
  }
  for (std::size_t r = 0; r < table().size(); ++r) {
    if (!offers(table()[r], dtype)) continue;
    EXPECT_GT(own[r].judged, 0) << table()[r].name;
    fmt::print("{:26}{:5} own: {} judged, {} proved, {} not, error/bound {:.3f}", table()[r].name,
               dtype_name(dtype), own[r].judged, own[r].proved, own[r].unproved, own[r].share);
    if (is_right(table()[r]))
      fmt::print("; stable: {} proved, {} not, {:.3f}", stable[r].proved, stable[r].unproved,
                 stable[r].share);
    fmt::print("\n");
  }
  fmt::print("{}: {} elements judged under own\n", dtype_name(dtype), elements);
}

INSTANTIATE_TEST_SUITE_P(Every, AccuracyOf, testing::ValuesIn(float_dtypes),
                         [](const auto& param) { return std::string(dtype_name(param.param)); });

std::string first_complaint(const Case& c) {
  for (const Row& row : table()) {
    if (!offers(row, c.x.dtype)) continue;
    std::string why = complaint(row, c, own_contract(row), true);
    if (why.empty() && is_right(row)) why = complaint(row, c, stable_contract(), true);
    if (!why.empty()) return why;
  }
  return {};
}

TEST(Accuracy, HoldsOnWhateverIsDrawn) {
  constexpr int cases = 400;
  check_cases("every row keeps its bounds", {}, cases, first_complaint);
  fmt::print("{} cases, every row that offers the dtype\n", cases);
}

// The check can fail: one-pass moments that claim the bound of two passes break it, and the case that is left
// after shrinking is small.
TEST(Accuracy, ABoundThatIsNotTheAlgorithmsOwnIsBroken) {
  Row impostor = *find_row("naive/f32");
  impostor.moments = find_row("two_pass/f32")->moments;
  const auto fails = [&](const Case& c) { return !complaint(impostor, c, own_contract(impostor)).empty(); };
  std::int64_t broken = 0;
  std::int64_t smallest = 0;
  for (std::uint64_t index = 0; index < 20; ++index) {
    const GenRequest request = {.dtype = DType::f32, .rows = 2, .n = 24};
    const Case c = make_case(*find_regime("large_mean"), request, promise_seed(), index);
    if (!fails(c)) continue;
    ++broken;
    const std::int64_t left = minimise(c, fails, 300).x.size();
    smallest = smallest == 0 ? left : std::min(smallest, left);
  }
  EXPECT_GT(broken, 0);
  EXPECT_LE(smallest, 4);
  fmt::print("{} of 20 cases break the borrowed bound; the smallest has {} elements\n", broken, smallest);
}

}  // namespace
}  // namespace normcheck

// Promises of the search: a mutation is a valid case with one thing changed, what comes nearer to a bound is
// seen by the engine, one defect is one small file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "fuzz/decode.h"
#include "fuzz/feedback.h"
#include "fuzz/finding.h"
#include "fuzz/minimal.h"
#include "fuzz/mutate.h"
#include "fuzz/subjects.h"
#include "impl/semantics.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

Case drawn(CounterRng& rng, std::uint64_t index) {
  const auto all = regimes();
  for (std::uint64_t turn = index;; ++turn) {
    const GenRequest request = {.dtype = float_dtypes[turn % float_dtypes.size()],
                                .rows = rng.between(1, 4),
                                .n = rng.between(1, 24),
                                .norm_ndim = rng.between(1, 2)};
    Case c = make_case(all[turn % all.size()], request, promise_seed(), index);
    if (encode(c) && c.x.size() > 0) return c;
  }
}

/// What an encoding loses is not of the problem.
Case decoded(const Case& c) { return decode(*encode(c)).c; }

TEST(Mutate, MakesAnotherValidCaseWithinTheCaps) {
  CounterRng rng(promise_seed(), 61);
  std::int64_t mutated = 0, kept = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Case c = decoded(drawn(rng, i));
    for (int generation = 0; generation < 12; ++generation) {
      const Case before = c;
      CounterRng a(i, static_cast<std::uint64_t>(generation)), b = a;
      Case again = c;
      if (!mutate(c, a)) {
        ++kept;
        continue;
      }
      ASSERT_TRUE(mutate(again, b));
      ASSERT_TRUE(same_problem(c, again)) << "the same seed made two cases";
      ASSERT_FALSE(same_problem(c, before));
      ASSERT_FALSE(refusal(c)) << *refusal(c) << "\n" << format_case(c);
      const auto bytes = encode(c);
      ASSERT_TRUE(bytes) << format_case(c);
      ASSERT_TRUE(same_problem(decode(*bytes).c, c)) << format_case(c);
      ++mutated;
    }
  }
  EXPECT_GT(mutated, 100 * kept);
  fmt::print("{} mutations, {} without one\n", mutated, kept);
}

/// The parts of a case: which of them a change may touch.
std::string touched(const Case& a, const Case& b) {
  std::string out;
  if (a.x.dtype != b.x.dtype) out += "dtype ";
  if (a.x.shape != b.x.shape || a.norm_ndim != b.norm_ndim) out += "shape ";
  if (a.x.data != b.x.data) out += "x ";
  if (a.gamma != b.gamma) out += "gamma ";
  if (a.beta != b.beta) out += "beta ";
  if (std::bit_cast<std::uint64_t>(a.eps) != std::bit_cast<std::uint64_t>(b.eps)) out += "eps ";
  return out;
}

TEST(Mutate, ChangesOneThing) {
  const std::map<Change, std::set<std::string>> allowed = {
      {Change::step_element, {"", "x ", "gamma ", "beta "}},
      {Change::step_run, {"", "x ", "gamma ", "beta "}},
      {Change::copy_value, {"", "x ", "gamma ", "beta "}},
      {Change::offset, {"", "x "}},
      {Change::scale, {"", "x ", "gamma ", "beta "}},
      {Change::swap_rows, {"", "x "}},
      {Change::order, {"", "x "}},
      {Change::eps, {"", "eps "}},
      {Change::gamma_or_beta, {"", "gamma ", "beta "}}};
  CounterRng rng(promise_seed(), 62);
  std::map<Change, std::int64_t> made;
  for (std::uint64_t i = 0; i < 6500; ++i) {
    const auto change = static_cast<Change>(i % changes);
    const Case before = drawn(rng, i);
    Case c = before;
    apply(change, c, rng);
    const std::string parts = touched(before, c);
    if (const auto known = allowed.find(change); known != allowed.end()) {
      ASSERT_EQ(known->second.count(parts), 1U) << change_name(change) << " touched " << parts;
    } else {
      ASSERT_EQ(parts.find("eps"), std::string::npos) << change_name(change);
    }
    if (change == Change::step_element) {
      std::int64_t elements = 0;
      for (std::int64_t k = 0; k < c.x.size(); ++k) elements += c.x.bits(k) != before.x.bits(k) ? 1 : 0;
      ASSERT_LE(elements, 1);
    }
    if (change == Change::dims) {
      ASSERT_EQ(c.x.data, before.x.data);
    }
    if (!parts.empty()) ++made[change];
  }
  std::string text;
  for (int i = 0; i < changes; ++i) {
    const auto change = static_cast<Change>(i);
    EXPECT_GT(made[change], 20) << change_name(change) << " never does anything";
    text += fmt::format(" {} {}", change_name(change), made[change]);
  }
  fmt::print("changes made:{}\n", text);
}

TEST(Mutate, StepsEndAtInfinity) {
  CounterRng rng(promise_seed(), 63);
  std::int64_t ended = 0, steps = 0;
  for (const DType dtype : float_dtypes) {
    Case c;
    c.x = Tensor(dtype, {1, 1});
    for (int i = 0; i < 2000; ++i, ++steps) {
      c.x.set_value(0, i % 2 == 0 ? largest_finite(dtype) : -largest_finite(dtype));
      apply(Change::step_element, c, rng);
      ASSERT_FALSE(std::isnan(c.x.value(0))) << dtype_name(dtype);
      ended += std::isinf(c.x.value(0)) ? 1 : 0;
    }
  }
  EXPECT_GT(ended, steps / 4);
  fmt::print("{} steps from the largest numbers, {} to infinity\n", steps, ended);
}

TEST(Feedback, SeesMoreWhereMoreWasReached) {
  int last = -1;
  for (int e = -80; e <= 16; ++e) {
    const int step = share_step(std::exp2(e / 8.0) * (1 + 0x1p-40));
    EXPECT_EQ(step, std::clamp(e + 64, -1, static_cast<int>(share_steps) - 1)) << e;
    EXPECT_GE(step, last);
    last = step;
  }
  EXPECT_EQ(share_step(0), -1);
  EXPECT_EQ(share_step(std::nan("")), -1);
  EXPECT_EQ(share_step(INFINITY), static_cast<int>(share_steps) - 1);
  EXPECT_EQ(kappa_step(1), 0);
  EXPECT_EQ(kappa_step(1e3), 9);
  EXPECT_EQ(kappa_step(1e300), static_cast<int>(kappa_steps) - 2);
  EXPECT_EQ(kappa_step(INFINITY), static_cast<int>(kappa_steps) - 1);
  EXPECT_EQ(kappa_step(0), -1);
}

TEST(Feedback, HasASetForEveryRowAndDtype) {
  std::set<std::size_t> sets;
  for (const DType dtype : float_dtypes) {
    for (const Subject& s : subjects(dtype)) {
      EXPECT_LT(s.set, most_sets) << s.row->name << ": raise most_sets in fuzz/feedback.h";
      if (s.contract.kind == ContractKind::own) {
        EXPECT_TRUE(sets.insert(s.set).second) << s.row->name << " shares its set";
      }
    }
  }
  fmt::print("{} of {} sets are used\n", sets.size(), most_sets);
}

Case far_from_zero() {
  Case c;
  c.id = "far";
  c.x = Tensor(DType::f32, {5, 3, 10});
  c.norm_ndim = 2;
  CounterRng rng(promise_seed(), 63);
  for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_value(i, 1e4 + rng.normal());
  c.gamma = Tensor(DType::f32, {3, 10});
  for (std::int64_t i = 0; i < 30; ++i) c.gamma->set_value(i, rng.normal());
  return c;
}

TEST(Minimal, KeepsRowContractAndPromise) {
  const Row& row = *find_row("naive/f32");
  const Contract stable = {ContractKind::stable, &row};
  const Case c = far_from_zero();
  ASSERT_TRUE(breach(row, c, stable, {}));
  const Case small = minimal_breach(row, c, stable, {}, "stable");
  const auto again = breach(row, small, stable, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->promise, "stable");
  EXPECT_LE(small.x.size(), 3) << format_case(small);
  EXPECT_FALSE(small.gamma);
  EXPECT_FALSE(breach(row, c, {ContractKind::own, &row}, {})) << "its own bound holds";
  fmt::print("[5,3,10] became {}\n", shape_text(small.x.shape));
}

TEST(Minimal, StopsWhereTheWorkIsUsedUp) {
  std::int64_t calls = 0, elements = 0;
  const Case c = far_from_zero();
  const auto count = [&](const Case& k) {
    ++calls;
    elements += k.x.size();
    return false;
  };
  minimal(c, count, 64 * 40);
  EXPECT_GT(calls, 5);
  EXPECT_LE(64 * calls + elements, 64 * 40);
}

TEST(Finding, IsOneFileForOneDefectAndTheSimplerCaseStays) {
  const auto folder = found_folder() / "search_test";
  std::filesystem::remove_all(folder);
  ASSERT_EQ(setenv("NORMCHECK_FINDINGS", folder.c_str(), 1), 0);
  Finding finding;
  finding.who = "some/row";
  finding.promise = "own";
  finding.words = [](const Case& k) { return finding_head("FAIL", "some/row", k, "own"); };
  finding.replay = [](const std::string& file) { return "replay " + file; };
  std::int64_t least = 9;  // elements that a failure needs
  finding.again = [&least](const Case& k) { return k.x.size() >= least; };
  const auto files = [&] {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      out.push_back(entry.path().filename());
    return out;
  };
  Case c = far_from_zero();
  for (const std::int64_t needed : {9, 30, 4}) {
    least = needed;
    keep_finding(c, finding);
    ASSERT_EQ(files(), std::vector<std::string>{"some-row.own.f32.row.case"});
    EXPECT_EQ(read_case(folder / files()[0]).x.size(), std::min<std::int64_t>(needed, 9));
  }
  finding.promise = "heap-buffer-overflow";
  keep_finding(c, finding);
  c.x.dtype = DType::i32;
  EXPECT_EQ(files().size(), 2U);
  EXPECT_EQ(finding_name("a/b c", "x", c), "a-b-c.x.i32.rows");
}

}  // namespace
}  // namespace normcheck

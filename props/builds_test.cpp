// Builds with flags of their own differ from the plain row in bits, and change nothing outside of themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/error.h"
#include "impl/trace.h"
#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

std::vector<const Row*> rows_of(Build build) {
  std::vector<const Row*> rows;
  for (const Row& row : table()) {
    if (row.variant.build == build) rows.push_back(&row);
  }
  return rows;
}

/// The row of the same source without the build's flags: its name up to the '+'.
const Row& plain_row(const Row& row) {
  const Row* plain = find_row(row.name.substr(0, row.name.find('+')));
  if (plain == nullptr) throw InputError(fmt::format("{} has no plain row beside it", row.name));
  return *plain;
}

std::string_view missing(Build build) {
  for (const Row* row : rows_of(build)) {
    if (row->missing != nullptr) return row->missing();
  }
  return "";
}

/// Rows of length 1 to 64, then some more, from a fixed stream: which one parts two builds does not change.
std::vector<Case> fixed_cases(DType dtype) {
  std::vector<Case> cases;
  CounterRng rng(1, 77);
  const auto add = [&](std::int64_t n) {
    Case c = case_of(normal_tensor(rng, dtype, {4, n}, static_cast<double>(n % 5), 3));
    c.gamma = normal_tensor(rng, dtype, {n}, 1, 0.5);
    c.beta = normal_tensor(rng, dtype, {n});
    c.id = fmt::format("n {}", n);
    cases.push_back(std::move(c));
  };
  for (std::int64_t n = 1; n <= 64; ++n) add(n);
  for (const std::int64_t n : {100, 255, 256, 1000, 4096}) add(n);
  return cases;
}

struct Parting {
  int cases = 0, parted = 0;
  std::string first;  ///< the shortest row that parts them: where, and both values
};

Parting part(const Layer& a, const Layer& b, DType dtype) {
  Parting p;
  for (const Case& c : fixed_cases(dtype)) {
    const Tensor ya = a(c).y, yb = b(c).y;
    ++p.cases;
    if (same_values(ya, yb)) continue;
    if (p.parted++ > 0) continue;
    for (std::int64_t i = 0; i < ya.size() && p.first.empty(); ++i) {
      if (ya.bits(i) == yb.bits(i)) continue;
      p.first = fmt::format("{}, element {}: {:a} and {:a}", c.id, i, ya.value(i), yb.value(i));
    }
  }
  return p;
}

void expect_parts_from_plain(Build build) {
  for (const Row* row : rows_of(build)) {
    const Parting p = part(layer_of(*row), layer_of(plain_row(*row)), row->accumulate);
    fmt::print("{:<30} parts from plain in {} of {} cases{}{}\n", row->name, p.parted, p.cases,
               p.parted > 0 ? "; " : "", p.first);
    if (row->algorithm == "welford" && build == Build::fast) continue;  // each step waits for the one before
    EXPECT_GT(p.parted, 0) << row->name << " has the bits of " << plain_row(*row).name;
    // Planted: a build that was compiled without its flags is the plain row.
    const Parting none = part(layer_of(plain_row(*row)), layer_of(plain_row(*row)), row->accumulate);
    EXPECT_EQ(none.parted, 0) << none.first;
  }
}

TEST(BuildFma, PartsFromThePlainRow) {
  if (!missing(Build::fma).empty()) GTEST_SKIP() << "this CPU lacks " << missing(Build::fma);
  expect_parts_from_plain(Build::fma);
}
TEST(BuildFast, PartsFromThePlainRow) { expect_parts_from_plain(Build::fast); }

/// Means that are those of a row in double, rounded once.
int right_means(const Row& row) {
  int right = 0;
  for (const Case& c : fixed_cases(DType::f32)) {
    const Tensor mean = *run_case(row, c, {true, false}).mean;
    const Observation wide = run_case(*find_row("two_pass/f64"), as_dtype(c, DType::f64), {true, false});
    const Tensor want = as_dtype(*wide.mean, DType::f32);
    for (std::int64_t i = 0; i < want.size(); ++i) right += mean.bits(i) == want.bits(i) ? 1 : 0;
  }
  return right;
}

/// (t - s) - y is 0 to a compiler that may treat sums as exact.
TEST(BuildFast, LosesWhatACompensatedSumKeeps) {
  for (const std::string_view name : {"kahan/f32+fast", "neumaier/f32+fast"}) {
    const Row& fast = *find_row(name);
    const int kept = right_means(plain_row(fast)), lost = right_means(fast);
    EXPECT_LT(lost, kept) << name;
    EXPECT_LE(lost, right_means(*find_row("two_pass/f32+fast"))) << name << " is better than a plain sum";
    fmt::print("{:<20} correctly rounded means: {} without the flag, {} with it\n", name, kept, lost);
  }
}

/// What the trace shows against what the run returned; empty if they agree.
std::string trace_differs(const Row& row, const Case& c) {
  const Observation out = run_case(row, c, {true, true});
  const auto steps = trace_case(row, c);
  const auto differs = [&](Step step, const Tensor& got) {
    const std::vector<double>& values = steps[static_cast<std::size_t>(step)].values;
    return !same_values(tensor_of(got.dtype, got.shape, values), got);
  };
  if (differs(Step::mean, *out.mean)) return "mean";
  if (differs(Step::rstd, *out.rstd)) return "rstd";
  if (differs(Step::scale_shift, out.y)) return "y";
  return "";
}

/// A compiler with leave to reorder may do so in one copy of a function and not in the other.
TEST(Builds, TracesEqualRuns) {
  int traced = 0, skipped = 0, planted = 0;
  for (const Build build : {Build::fma, Build::fast}) {
    for (const Row* row : rows_of(build)) {
      if (!missing(build).empty()) {
        ++skipped;
        continue;
      }
      for (const Case& c : fixed_cases(row->accumulate)) {
        ASSERT_EQ(trace_differs(*row, c), "") << row->name << ", " << c.id;
        ++traced;
        Row other = *row;  // planted: the trace of a build that computes other bits
        other.trace = plain_row(*row).trace;
        planted += trace_differs(other, c).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(planted, 0);
  fmt::print("{} cases traced, {} rows skipped for want of instructions; planted: {} traces of a plain row\n",
             traced, skipped, planted);
}

/// What a function compiled with -ffast-math, or a program linked with it, could change for all others.
struct Environment {
  int rounding = 0;
  unsigned control = 0;         ///< x86: MXCSR without the sticky exception flags
  bool keeps_results = false;   ///< a normal number halved becomes the subnormal that it is
  bool keeps_operands = false;  ///< a subnormal doubled becomes the normal number that it is
  bool operator==(const Environment&) const = default;
};

template <class Real>
bool keeps_subnormal_results() {
  volatile Real smallest_normal = std::numeric_limits<Real>::min();
  volatile Real halved = smallest_normal / 2;
  return halved != 0;
}
template <class Real>
bool keeps_subnormal_operands() {
  volatile Real subnormal = std::numeric_limits<Real>::denorm_min();
  volatile Real scaled = subnormal * static_cast<Real>(0x1p40);
  return scaled != 0;
}

Environment environment() {
  Environment e;
  e.rounding = std::fegetround();
#if defined(__x86_64__)
  constexpr unsigned exception_flags = 0x3f;
  e.control = __builtin_ia32_stmxcsr() & ~exception_flags;
#endif
  e.keeps_results = keeps_subnormal_results<float>() && keeps_subnormal_results<double>();
  e.keeps_operands = keeps_subnormal_operands<float>() && keeps_subnormal_operands<double>();
  return e;
}

const Environment as_it_should_be = [] {
  Environment e;
  e.rounding = FE_TONEAREST;
#if defined(__x86_64__)
  e.control = 0x1f80;  // all exceptions masked, to nearest, no flush to zero, subnormal operands read
#endif
  e.keeps_results = e.keeps_operands = true;
  return e;
}();

TEST(Builds, LeaveTheFloatingPointEnvironmentAlone) {
  EXPECT_TRUE(environment() == as_it_should_be) << "before any row was run: is it linked with -ffast-math?";
  int runs = 0;
  for (const Build build : {Build::fma, Build::fast}) {
    if (!missing(build).empty()) continue;
    for (const Row* row : rows_of(build)) {
      for (const Case& c : fixed_cases(row->accumulate)) {
        run_case(*row, c, {true, true});
        trace_case(*row, c);
        ASSERT_TRUE(environment() == as_it_should_be) << row->name << ", " << c.id;
        ++runs;
      }
    }
  }
  fmt::print("{} runs and traces\n", runs);
}

TEST(Builds, AChangedEnvironmentIsNoticed) {
  int noticed = 0;
  std::fesetround(FE_UPWARD);
  const Environment upward = environment();
  std::fesetround(FE_TONEAREST);
  EXPECT_FALSE(upward == as_it_should_be);
  ++noticed;
#if defined(__x86_64__)
  for (const unsigned flag : {0x8000U, 0x0040U}) {  // flush to zero; subnormal operands are 0
    const unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | flag);
    const Environment flushing = environment();
    __builtin_ia32_ldmxcsr(before);
    EXPECT_NE(flushing.control, as_it_should_be.control);
    EXPECT_FALSE(flag == 0x8000U ? flushing.keeps_results : flushing.keeps_operands);
    ++noticed;
  }
#endif
  EXPECT_TRUE(environment() == as_it_should_be);
  fmt::print("{} changes noticed\n", noticed);
}

/// The outputs of every plain row; `instead` is run for the row of its name, if it is given.
std::vector<Observation> run_plain_rows(const Row* instead = nullptr) {
  std::vector<Observation> out;
  for (const Row* row : rows_of(Build::plain)) {
    const bool replaced = instead != nullptr && row == &plain_row(*instead);
    const std::vector<Case> cases = fixed_cases(row->storages.back());
    for (std::size_t i = 0; i < cases.size(); i += 7) {
      out.push_back(run_case(replaced ? *instead : *row, cases[i], {true, true}));
    }
  }
  return out;
}

std::size_t count_changed(const std::vector<Observation>& before, const std::vector<Observation>& after) {
  if (before.size() != after.size()) return std::max(before.size(), after.size());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Observation &a = before[i], &b = after[i];
    const bool ok = a.status == Status::ok && b.status == Status::ok;
    if (ok && same_values(a.y, b.y) && same_values(*a.mean, *b.mean) && same_values(*a.rstd, *b.rstd))
      continue;
    ++changed;
  }
  return changed;
}

TEST(Builds, PlainRowsGiveTheSameBitsBeforeAndAfter) {
  const std::vector<Observation> before = run_plain_rows();
  for (const Build build : {Build::fma, Build::fast}) {
    for (const Row* row : rows_of(build)) {
      for (const Case& c : fixed_cases(row->accumulate)) run_case(*row, c, {true, true});
    }
  }
  EXPECT_EQ(count_changed(before, run_plain_rows()), 0U);
  // Planted: the linker took the body of one fast kernel for the plain one.
  const std::size_t planted = count_changed(before, run_plain_rows(find_row("two_pass/f32+fast")));
  EXPECT_GT(planted, 0U);
  fmt::print("{} runs of plain rows, twice; planted: {} from a fast kernel\n", before.size(), planted);
}

TEST(Builds, ARowWhoseInstructionsTheCpuLacksIsUnsupportedAndSaysSo) {
  const Case c = fixed_cases(DType::f32).front();
  int rows = 0;
  for (const Row* row : rows_of(Build::fma)) {
    Row lacking = *row;
    lacking.missing = [] { return std::string_view("FMA instructions"); };
    EXPECT_FALSE(offers(lacking, DType::f32));
    const Observation out = run_case(lacking, c);
    EXPECT_EQ(out.status, Status::unsupported);
    EXPECT_NE(out.message.find("needs FMA instructions"), std::string::npos) << out.message;
    EXPECT_THROW(trace_case(lacking, c), InputError);
    EXPECT_NE(row->missing, nullptr) << row->name << " dies of its first instruction elsewhere";
    ++rows;
  }
  fmt::print("{} rows\n", rows);
}

}  // namespace
}  // namespace normcheck

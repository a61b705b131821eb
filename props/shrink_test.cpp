// Promise: whatever fails is shrunk to what a person can read and is kept; RapidCheck's draws reach every
// class.
#include "props/shrink.h"

#include <fmt/format.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "impl/semantics.h"
#include "props/gen.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

Case sample(std::string_view regime, DType dtype, std::int64_t rows, std::int64_t n, std::int64_t norm_ndim) {
  const GenRequest request = {.dtype = dtype, .rows = rows, .n = n, .norm_ndim = norm_ndim};
  return make_case(*find_regime(regime), request, promise_seed(), 0);
}

bool has_large_element(const Case& c) {
  for (std::int64_t i = 0; i < c.x.size(); ++i)
    if (c.x.value(i) > 2.5) return true;
  return false;
}

TEST(Shrink, FindsOneRowOneColumnOneBit) {
  Case c = sample("gamma_beta_random", DType::f32, 6, 60, 3);
  c.x.set_value(217, 0x1.23456p+1);
  c.x.set_value(218, 0x1.abcdep+7);
  const Case simplest = minimise(c, has_large_element, 100000);
  EXPECT_EQ(simplest.x.shape, (std::vector<std::int64_t>{1, 1}));
  EXPECT_TRUE(has_large_element(simplest));
  EXPECT_FALSE(simplest.gamma || simplest.beta);
  EXPECT_EQ(simplest.eps, 1.0);
  EXPECT_LE(weight(simplest)[4], 3 + 1 + 7) << format_case(simplest);
  fmt::print("6x60 with gamma and beta: x = {}\n", simplest.x.value(0));
}

// A failure that needs two rows, and the second's NaN.
TEST(Shrink, KeepsWhatAFailureNeeds) {
  Case c = sample("unit_normal", DType::f64, 7, 12, 1);
  c.x.set_value(5 * 12 + 7, std::nan(""));
  c.expect = Expect::nan_rows;
  c.nan_rows = {5};
  const auto fails = [](const Case& k) {
    return row_count(k) >= 2 && k.expect == Expect::nan_rows && k.nan_rows[0] > 0;
  };
  ASSERT_TRUE(fails(c));
  const Case simplest = minimise(c, fails, 100000);
  EXPECT_EQ(simplest.x.shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(simplest.nan_rows, (std::vector<std::int64_t>{1}));
  fmt::print("7x12 with a NaN: {}\n", shape_text(simplest.x.shape));
}

// Every step of every case is valid and strictly simpler, so shrinking ends.
TEST(Shrink, EveryStepIsAValidSimplerCase) {
  std::int64_t steps = 0;
  for (const Regime& regime : regimes())
    for (const DType dtype : float_dtypes) {
      const Case c = sample(regime.name, dtype, 2, 6, 2);
      for (const Edit& edit : edits(c))
        if (const auto simpler = simplified(c, edit)) {
          EXPECT_LT(weight(*simpler), weight(c)) << c.id;
          const auto why = refusal(*simpler);
          EXPECT_FALSE(why.has_value()) << c.id << ": " << why.value_or("");
          EXPECT_TRUE(same_case(parse_case(format_case(*simpler), "shrunk"), *simpler)) << c.id;
          ++steps;
        }
    }
  EXPECT_GT(steps, 10000);
  fmt::print("{} steps\n", steps);
}

TEST(Draws, ReachEveryClassOfEveryDtype) {
  for (const DType dtype : float_dtypes) {
    std::set<std::string> classes;
    std::set<int> exponents;
    const auto gen = any_bits(dtype);
    for (std::uint64_t i = 0; i < 4000; ++i) {
      const double v = to_double(dtype, gen(rc::Random(promise_seed() * 100003 + i)).value());
      const bool subnormal = v != 0 && std::fabs(v) < std::ldexp(1.0, format_of(dtype).emin);
      const std::string kind = std::isnan(v)   ? "nan"
                               : std::isinf(v) ? "inf"
                               : v == 0        ? "zero"
                               : subnormal     ? "subnormal"
                                               : "normal";
      classes.insert((std::signbit(v) && kind != "nan" ? "-" : "") + kind);
      if (std::isfinite(v) && v != 0) exponents.insert(std::ilogb(v));
    }
    EXPECT_EQ(classes.size(), 9U) << dtype_name(dtype);
    EXPECT_GT(exponents.size(), 30U) << dtype_name(dtype);
    fmt::print("{}: {} classes, {} exponents in 4000 draws\n", dtype_name(dtype), classes.size(),
               exponents.size());
  }
}

TEST(Draws, OfFiniteBitsAreFinite) {
  for (const DType dtype : float_dtypes) {
    const auto gen = finite_bits(dtype);
    for (std::uint64_t i = 0; i < 2000; ++i)
      EXPECT_TRUE(std::isfinite(to_double(dtype, gen(rc::Random(promise_seed() * 7919 + i)).value())));
  }
  fmt::print("2000 draws of each dtype\n");
}

TEST(Draws, OfBitsShrinkTowardsOneAndZero) {
  const auto gen = finite_bits(DType::f32);
  rc::Shrinkable<std::uint64_t> now = gen(rc::Random(promise_seed()));
  int steps = 0;
  for (auto next = now.shrinks().next(); next && steps < 1000; next = now.shrinks().next()) {
    now = *next;
    ++steps;
  }
  EXPECT_LT(steps, 1000);
  EXPECT_EQ(now.value(), 0U);
  fmt::print("{} steps to 0\n", steps);
}

TEST(Draws, OfCasesAreValid) {
  std::set<std::string> regimes_met;
  check_cases("cases drawn are valid", {}, 400, [&](const Case& c) {
    regimes_met.insert(c.id.substr(0, c.id.find('-')));
    return refusal(c).value_or("");
  });
  EXPECT_GT(regimes_met.size(), regimes().size() / 2);
  fmt::print("400 cases of {} regimes\n", regimes_met.size());
}

// Points NORMCHECK_OUT at a folder of its own for one test.
class Record : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* out = std::getenv("NORMCHECK_OUT")) before_ = out;
    folder_ = testing::TempDir() + "normcheck-record-" + std::to_string(::getpid());
    setenv("NORMCHECK_OUT", folder_.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    before_ ? setenv("NORMCHECK_OUT", before_->c_str(), 1) : unsetenv("NORMCHECK_OUT");
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    if (!std::filesystem::exists(found_folder())) return out;
    for (const auto& entry : std::filesystem::directory_iterator(found_folder())) out.push_back(entry.path());
    return out;
  }

 private:
  std::optional<std::string> before_;
  std::string folder_;
};

TEST_F(Record, AFailurePrintsItsSeedAndIsWrittenAsACaseThatStillFails) {
  const Row& naive = *find_row("naive/f32");
  const auto fails = [&](const Case& c) { return !complaint(naive, c, stable_contract()).empty(); };
  Case c = sample("unit_normal", DType::f32, 3, 20, 1);
  for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_value(i, 40000.0 + static_cast<double>(i));
  ASSERT_TRUE(fails(c));
  const std::string said = record_failure(c, naive.name, fails);
  ASSERT_EQ(files().size(), 1U);
  const Case written = read_case(files()[0]);
  EXPECT_TRUE(fails(written));
  EXPECT_LT(weight(written), weight(c));
  EXPECT_NE(said.find("seed     " + std::to_string(promise_seed())), std::string::npos) << said;
  EXPECT_NE(said.find(files()[0].string() + " --impl naive/f32"), std::string::npos) << said;
  fmt::print("3x20 became {}\n{}", shape_text(written.x.shape), said);
}

TEST_F(Record, APropertyThatFailsFailsItsTestAndLeavesACase) {
  const CaseSpace space = {.dtypes = {DType::f32}, .regimes = {"unit_normal"}};
  const auto never_large = [](const Case& c) { return has_large_element(c) ? "an element above 2.5" : ""; };
  EXPECT_NONFATAL_FAILURE(check_cases("no element is large", space, 200, never_large),
                          "an element above 2.5");
  ASSERT_EQ(files().size(), 1U);
  const Case written = read_case(files()[0]);
  EXPECT_TRUE(has_large_element(written));
  EXPECT_EQ(written.x.size(), 1);
  fmt::print("shrunk to x = {}\n", written.x.value(0));
}

TEST(Seed, ThatIsNoNumberIsRefused) {
  const char* set = std::getenv("NORMCHECK_SEED");
  const std::optional<std::string> before = set ? std::optional<std::string>(set) : std::nullopt;
  setenv("NORMCHECK_SEED", "12x", 1);
  EXPECT_THROW(promise_seed(), InputError);
  before ? setenv("NORMCHECK_SEED", before->c_str(), 1) : unsetenv("NORMCHECK_SEED");
  fmt::print("'12x' refused\n");
}

}  // namespace
}  // namespace normcheck

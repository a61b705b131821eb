// A tolerance that is called safe fails no right row, and what it lets through is told: both with faults
// planted.
#include "reports/advice/tolerance.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "corpus/generate.h"
#include "corpus/npy.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

Weighed weighed(DType dtype, std::int64_t n, double kappa, std::optional<double> atol = {}) {
  TolerancePlan plan;
  plan.setting = {dtype, n, kappa, 1e-5};
  plan.atol = atol;
  return weigh_tolerance(std::move(plan));
}

TEST(Tolerance, TheProvenOneFailsNoRightRowAndATenthOfTheKnownOneDoes) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const double kappa : {1.0, 30.0}) {
      const Weighed w = weighed(dtype, 64, kappa);
      ASSERT_EQ(w.lines.size(), 4u);
      for (const Verdicts& v : w.lines) EXPECT_TRUE(v.false_alarms.empty()) << v.label;
      EXPECT_TRUE(w.lines[0].unproven.empty());
      EXPECT_LE(w.lines[2].tolerance.atol, w.lines[0].tolerance.atol);
      for (const Compared& kernel : w.kernels) {
        if (kernel.right && kernel.void_rows == 0) {
          EXPECT_LE(kernel.needed[0], kernel.proven[0]) << kernel.name;
        }
      }
      // Against the tightest that passes, a tighter one is a false alarm.
      const Weighed tight = weighed(dtype, 64, kappa, w.lines[2].tolerance.atol / 10);
      EXPECT_FALSE(tight.lines[4].false_alarms.empty());
      fmt::print("{} kappa {}: {} right rows, {} mistakes show, {} pass the proven tolerance\n",
                 dtype_name(dtype), kappa, w.right, w.off, w.lines[0].let_through.size());
    }
  }
}

TEST(Tolerance, AWideOneIsBlindAndNoneLetsEverythingThrough) {
  const Weighed w = weighed(DType::f32, 64, 3, 100);
  EXPECT_GT(w.off, 20);
  const Verdicts& wide = w.lines[4];
  EXPECT_TRUE(wide.false_alarms.empty());
  EXPECT_GT(wide.let_through.size() * 4, static_cast<std::size_t>(w.off) * 3) << "but for NaN and inf";
  const Weighed zero = weighed(DType::f32, 64, 3, 0);
  EXPECT_TRUE(zero.lines[4].let_through.empty());
  EXPECT_EQ(zero.lines[4].false_alarms.size(), static_cast<std::size_t>(zero.right));
  EXPECT_LT(w.lines[2].let_through.size(), wide.let_through.size());
  fmt::print("{} of {} pass 100\n", wide.let_through.size(), w.off);
}

TEST(Tolerance, ToldAtolIsNotBelowWhatItStandsFor) {
  int values = 0;
  for (double v = 3e-17; v < 1e5; v *= 1.00731, ++values) {
    const double up = round_up(v);
    EXPECT_GE(up, v);
    EXPECT_LE(up, v * 1.11);
    EXPECT_LE(fmt::format("{}", up).size(), 8u) << up;
  }
  fmt::print("{} values\n", values);
}

std::string sentence_of(const std::string& text) {
  const auto at = text.rfind("\n\n");
  std::string last = at == std::string::npos ? "" : text.substr(at + 2);
  std::replace(last.begin(), last.end(), '\n', ' ');
  return last;
}

TEST(Tolerance, TheCommandSaysWhatATolerancesIsWorth) {
  const std::string line = "tolerance --dtype f32 --n 256 --kappa 100 --atol 1e-5";
  const Told r = run(line);
  EXPECT_EQ(r.code, 1) << "too tight: " << r.err;
  EXPECT_NE(sentence_of(r.out).find("atol 1e-5, rtol 0: too tight."), std::string::npos) << r.out;
  EXPECT_EQ(r.out, run(line).out) << "the same every time";
  const Told wide = run("tolerance --dtype f32 --n 256 --kappa 1 --atol 0.5 --rtol 1e-3");
  EXPECT_EQ(wide.code, 0) << wide.err;
  EXPECT_NE(sentence_of(wide.out).find("every right row is proven to pass it"), std::string::npos)
      << wide.out;
  EXPECT_TRUE(std::regex_search(wide.out, std::regex("yours \\(atol 0.5, rtol 0.001\\) lets through: .*B0")))
      << wide.out;
  for (const Told* told : {&r, &wide}) {
    std::istringstream text(told->out);
    for (std::string each; std::getline(text, each);) EXPECT_LE(each.size(), 100u) << each;
  }
  // Against naive, whose output is no reference there: right rows fail what they pass against the truth.
  const Told ref = run("tolerance --dtype f32 --n 256 --kappa 1e4 --ref naive/f32 --atol 1");
  EXPECT_EQ(ref.code, 1) << ref.err;
  EXPECT_NE(ref.out.find("No tolerance against naive/f32 is proven"), std::string::npos) << ref.out;
  const Told good = run("tolerance --dtype f32 --n 256 --kappa 10 --ref two_pass/f64");
  EXPECT_NE(good.out.find("The smallest tolerance against two_pass/f64"), std::string::npos) << good.out;
  fmt::print("{}\n", sentence_of(r.out));
}

TEST(Tolerance, TheTradeOffIsMonotoneAndGoesFromAllAlarmsToNone) {
  for (const DType dtype : {DType::f16, DType::f32}) {
    const Weighed w = weighed(dtype, 64, 3);
    ASSERT_GT(w.curve.size(), 3u);
    EXPECT_EQ(w.curve.front().false_alarms.size(), static_cast<std::size_t>(w.right));
    EXPECT_TRUE(w.curve.front().let_through.empty());
    EXPECT_TRUE(w.curve.back().false_alarms.empty());
    EXPECT_GT(w.curve.back().let_through.size(), static_cast<std::size_t>(w.off) / 2);
    for (std::size_t i = 1; i < w.curve.size(); ++i) {
      EXPECT_GT(w.curve[i].tolerance.atol, w.curve[i - 1].tolerance.atol);
      EXPECT_LE(w.curve[i].false_alarms.size(), w.curve[i - 1].false_alarms.size());
      EXPECT_GE(w.curve[i].let_through.size(), w.curve[i - 1].let_through.size());
    }
    fmt::print("{}: {} decades, to {} of {} mistakes let through\n", dtype_name(dtype), w.curve.size(),
               w.curve.back().let_through.size(), w.off);
  }
}

// On the user's rows: what is too tight where the mean is large is enough where it is not.
TEST(Tolerance, WeighsATolerancesOnAUsersOwnData) {
  const auto folder = fresh_folder("tolerance_data");
  const auto write = [&](const std::string& name, double mean) {
    Tensor x(DType::f32, {4, 64});
    CounterRng rng(7, 1);
    for (std::int64_t i = 0; i < x.size(); ++i) x.set_value(i, mean + rng.normal());
    write_npy(folder / (name + ".npy"), x);
    return (folder / (name + ".npy")).string();
  };
  const std::string near = write("near", 0), far = write("far", 3000);
  const Told enough = run("tolerance --atol 1e-4 --map x=near --data " + near),
             tight = run("tolerance --atol 1e-4 --map x=far --data " + far);
  EXPECT_EQ(enough.code, 0) << enough.out << enough.err;
  EXPECT_EQ(tight.code, 1) << tight.out << tight.err;
  EXPECT_NE(enough.out.find("4 rows of your own"), std::string::npos) << enough.out;
  const Told none = run("tolerance --map x=a --dtype f32 --n 4 --kappa 2");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(is_one_line(none.err)) << none.err;
  fmt::print("{}", sentence_of(tight.out));
}

TEST(Tolerance, BadInputIsOneLineAndExit2) {
  const std::string lines[] = {"",
                               "--dtype f32 --n 64",
                               "--dtype f32 --n 64 --kappa 2 --atol -1",
                               "--dtype f32 --n 64 --kappa 2 --atol x",
                               "--dtype f32 --n 64 --kappa 2 --rtol inf",
                               "--dtype f16 --n 64 --kappa 1e9",
                               "--dtype f32 --n 64 --kappa 2 --ref nothing/f32",
                               "--dtype f32 --n 64 --kappa 2 --ref two_pass/f16",
                               "--dtype f32 --n 64 --kappa 2 extra"};
  for (const std::string& line : lines) {
    const Told r = run("tolerance " + line);
    EXPECT_EQ(r.code, 2) << line << r.out;
    EXPECT_TRUE(is_one_line(r.err)) << line << "\n" << r.err;
    EXPECT_EQ(r.out, "") << line;
  }
  fmt::print("{} lines\n", std::size(lines));
}

}  // namespace
}  // namespace normcheck

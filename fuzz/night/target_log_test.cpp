// What a target said is read right, whole or cut short, and a finding's name says what it is and nothing
// else.
#include "fuzz/night/target_log.h"

#include <gtest/gtest.h>

#include "fuzz/night/merge.h"

namespace normcheck {
namespace {

TEST(TargetLog, AFindingsNameHoldsNoValueAndNoLineNumber) {
  const auto key = [](const char* log) { return read_finding(log, "fuzz_a", "signal 11").key(); };
  EXPECT_EQ(key("#1 x\nFAIL  two_pass/f32/folded  f16 [2,3,4] over [4]  eps 1  contract stable\n  y wrong\n"),
            "two_pass-f32-folded.stable.f16.rows");
  EXPECT_EQ(key("FAIL  fuzz_npy  line 12: the same 3 bytes\n"), "fuzz_npy.line-the-same-bytes.any.any");
  EXPECT_EQ(key("SUMMARY: AddressSanitizer: heap-buffer-overflow /a/b.cpp:12:3 in normcheck::f(int)\n"),
            "normcheck--f.heap-buffer-overflow.any.any");
  EXPECT_EQ(key("SUMMARY: AddressSanitizer: heap-buffer-overflow (/a/b+0x12)\n"),
            "fuzz_a.heap-buffer-overflow.any.any");
  EXPECT_EQ(key("/a/b.cpp:7:9: runtime error: signed integer overflow: 5 + 6\nSUMMARY: "
                "UndefinedBehaviorSanitizer: x\n"),
            "b.cpp.signed-integer-overflow.any.any");
  EXPECT_EQ(key("SUMMARY: libFuzzer: timeout\n"), "fuzz_a.timeout.any.any");
  EXPECT_EQ(key("nothing of use\n"), "fuzz_a.signal-11.any.any");
  EXPECT_EQ(key((std::string(200000, 'F') + "\n").c_str()), "fuzz_a.signal-11.any.any");
}

TEST(TargetLog, TheShapeClassSaysHowManyRowsAndWhetherThereIsAnything) {
  EXPECT_EQ(shape_class("[0,4]", "[4]"), "empty");
  EXPECT_EQ(shape_class("[3,1]", "[1]"), "n1");
  EXPECT_EQ(shape_class("[1,1,4]", "[1,4]"), "row");
  EXPECT_EQ(shape_class("[2,2,4]", "[4]"), "rows");
}

TEST(TargetLog, FiguresAreReadAlsoFromALogThatIsCutShort) {
  const RunFigures whole = read_figures(
      "#2\tINITED cov: 5 ft: 6 corp\n#900\tDONE   cov: 15 ft: 16\nstat::number_of_executed_units: 901\n");
  EXPECT_EQ(whole.executions, 901);
  EXPECT_EQ(whole.coverage, 15);
  EXPECT_EQ(whole.features, 16);
  EXPECT_TRUE(whole.loaded);
  const RunFigures cut = read_figures("INFO: x\n#512\tpulse  cov: 5 ft: 6 corp\n#10");
  EXPECT_EQ(cut.executions, 512);
  EXPECT_FALSE(cut.loaded);
}

TEST(TargetLog, AControlFileIsReadUpToWhereAKillLeftIt) {
  const ControlFile told = read_control_file("3\n0\na\nb\nc\nSTARTED 0 5\nFT 0 7 8\nSTARTED 1 6\nFT 1 9", 3);
  EXPECT_EQ(told.started, 2);
  EXPECT_EQ(told.features[0], (std::vector<std::uint32_t>{7, 8}));
  EXPECT_TRUE(told.finished[0]);
  EXPECT_FALSE(told.finished[1]) << "its line may be cut short";
  EXPECT_EQ(read_control_file("FT 99999 1\nFT\nSTARTED x\n", 2).started, 0);
}

}  // namespace
}  // namespace normcheck

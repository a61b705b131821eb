// Runs the tests of one promise, and says with which seed a failed one drew its inputs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "corpus/error.h"
#include "props/promise.h"

namespace {

class SaysSeed : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed())
      fmt::print("  seed     {} (NORMCHECK_SEED): {}.{} failed\n", normcheck::promise_seed(),
                 test.test_suite_name(), test.name());
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    normcheck::promise_seed();
  } catch (const normcheck::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new SaysSeed);  // which owns it
  return RUN_ALL_TESTS();
}

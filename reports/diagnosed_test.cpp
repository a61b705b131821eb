// Diagnosis of the known mistakes: what `check` calls each, over the findings that it kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "impl/defects/defect.h"
#include "impl/plugin/worker_main.h"
#include "reports/diagnosis.h"
#include "reports/plugins.h"
#include "reports/sweep.h"

namespace normcheck {
namespace {

constexpr std::string_view one_pass = "one-pass variance E[x^2]-E[x]^2";
constexpr std::string_view outside = "eps outside the root";
constexpr std::string_view unbiased = "divisor n-1";
constexpr std::string_view x_hat = "x_hat, its product with gamma, and y rounded to";
constexpr std::string_view first_elements = "statistics of the first elements alone";
constexpr std::string_view first_squares = "squares of the first elements alone";
constexpr std::string_view zeros = "zeros counted in the variance";
constexpr std::string_view constant = "the mean of a constant row is not its value";
constexpr std::string_view folded = "x*rstd and mean*rstd rounded apart (folded)";

/// What each is to be called, by how it begins; of a mistake that a probe alone shows, or a process of its
/// own, there is nothing to be explained.
const std::map<std::string_view, std::string_view>& names() {
  static const std::map<std::string_view, std::string_view> all = {
      {"B001", one_pass},
      {"B002", one_pass},
      {"B004", one_pass},
      {"B005", one_pass},
      {"B007", one_pass},
      {"B008", one_pass},
      {"B010", "no sums at all"},
      {"B011", "E[x^2] and E[x]^2 rounded to bf16"},
      {"B013", one_pass},
      {"B014", one_pass},
      {"B015", one_pass},
      {"B016", "max(var, eps)"},
      {"B018", folded},
      {"B019", folded},
      {"B020", outside},
      {"B021", outside},
      {"B023", outside},
      {"B024", "eps added to the reciprocal root"},
      {"B026", outside},
      {"B027", "max(var, eps)"},
      {"B028", "no eps"},
      {"B029", "eps fixed at 0.001"},
      {"B031", "no eps"},
      {"B032", "no eps"},
      {"B034", "eps fixed at 1e-06"},
      {"B035", "eps fixed at 1e-05"},
      {"B037", "eps fixed at the spacing of x's type"},
      {"B038", "eps rounded to f16"},
      {"B039", "var + eps rounded to f16"},
      {"B041", "eps rounded to f16"},
      {"B042", "no eps"},
      {"B045", unbiased},
      {"B046", unbiased},
      {"B048", unbiased},
      {"B049", "rstd holds rstd of the divisor n-1"},
      {"B050", "squared, not rooted"},
      {"B051", "squared, not rooted"},
      {"B053", "squares over n accumulated in f16"},
      {"B054", "every step rounded to f16"},
      {"B056", "squares rounded to f16"},
      {"B057", "the variance rounded to f16"},
      {"B060", "squares of deviations over sqrt(n) accumulated in f16"},
      {"B061", "the sum of squares accumulated in f16"},
      {"B062", "the sum of x accumulated in f16"},
      {"B064", "the sum of x accumulated in bf16"},
      {"B065", "n rounded to f16"},
      {"B067", "the squares overflow"},
      {"B068", "the squares overflow"},
      {"B070", "the sum overflows"},
      {"B072", x_hat},
      {"B073", x_hat},
      {"B075", "y rounded toward zero"},
      {"B076", "gamma formed as 1 + w in bf16"},
      {"B077", "a reciprocal root good to 12 bits"},
      {"B080", "a reciprocal root good to 9 bits"},
      {"B081", "the means of 4 chunks not told apart"},
      {"B082", "of all but the first of 4 chunks the variance"},
      {"B084", "the moments of 4 chunks averaged without weights"},
      {"B085", "an empty chunk"},
      {"B088", "zeros of the padding to 4 counted in mean and variance"},
      {"B090", "of 4 chunks the squares of the first alone"},
      {"B091", first_elements},
      {"B093", zeros},
      {"B094", zeros},
      {"B096", "the sums divided by the width padded to 32"},
      {"B100", "the first elements overwritten by vectors of 4"},
      {"B101", first_elements},
      {"B107", first_squares},
      {"B114", "statistics over the other axis"},
      {"B117", "statistics over the last dim alone"},
      {"B118", "statistics over all rows together"},
      {"B130", "gamma left out"},
      {"B131", "gamma read as f32"},
      {"B132", "gamma read as f16"},
      {"B134", "y written as f32"},
      {"B135", "computed in f32"},
      {"B156", constant},
      {"B157", constant},
      {"B162", "subnormal x taken as 0"},
      {"B184", "rstd rounded to bf16"},
      {"B192", first_squares},
      {"B200", "the sums in another order"},
      {"B207", "the mean not subtracted"},
      {"B210", "the layer norm applied twice"},
      {"B211", "the root mean square in place of the deviation"},
  };
  return all;
}

SweepPlan short_plan() {
  Options options;
  options.command = "check";
  options.budget = Budget{.evaluations = 120};
  options.lengths.lo = 2;
  options.lengths.hi = 300;
  options.lengths.given = true;
  SweepPlan plan = make_plan(options, 120);
  plan.probes.run = false;
  plan.evidence = {};
  plan.long_rows = 0;
  return plan;
}

const OpenedPlugin& kernels() {
  static const OpenedPlugin opened = [] {
    Options options;
    options.in_process = true;
    OpenedPlugin out;
    open_into(out, std::string(defect_prefix), options);
    return out;
  }();
  return opened;
}

/// What it is called, and by how many findings; of a single finding, what that is called.
CommonCause called(const Row& row, DType dtype, SweepPlan& plan) {
  plan.contracts = {{&row, contract_of(row, "stable")}};
  SweepEntry entry = sweep(row, dtype, plan);
  CommonCause cause = common_cause(entry);
  if (cause.findings == 1) {
    for (const Finding& f : entry.findings) {
      if (!f.explanations.empty()) cause.name = f.explanations.front().name;
    }
  }
  return cause;
}

TEST(Diagnosed, NineInTenOfTheKnownMistakesThatYShowsAreCalledByTheirNameFirst) {
  SweepPlan plan = short_plan();
  int right = 0, all = 0;
  std::vector<std::string> others;
  for (const Row& row : kernels().rows) {
    const std::string id(row.name.substr(defect_prefix.size()));
    const Defect* defect = find_defect(id);
    if (defect == nullptr || defect->own_process) continue;
    for (const DType dtype : row.storages) {
      const CommonCause cause = called(row, dtype, plan);
      if (cause.findings == 0) continue;
      ++all;
      const auto name = names().find(id);
      const bool named = name != names().end() && cause.name.starts_with(name->second);
      right += named;
      if (!named)
        others.push_back(
            fmt::format("{} {}: {}", id, dtype_name(dtype), cause.name.empty() ? "nothing" : cause.name));
    }
  }
  fmt::print("{} of {} pairs of mistake and dtype named rightly, in first place\n", right, all);
  for (const std::string& other : others) fmt::print("  {}\n", other);
  EXPECT_GE(all, 90);
  EXPECT_GE(10 * right, 9 * all);
}

TEST(Diagnosed, TheRightTwinsAreCalledNothing) {
  SweepPlan plan = short_plan();
  int twins = 0;
  for (const Row& row : kernels().rows) {
    const std::string_view name = row.name.substr(defect_prefix.size());
    for (const DType dtype : row.storages) {
      // A twin keeps what is claimed in the dtypes of its mistakes.
      if (std::none_of(defects().begin(), defects().end(), [&](const Defect& d) {
            return twin_name(d) == name &&
                   std::find(d.dtypes.begin(), d.dtypes.end(), dtype) != d.dtypes.end();
          }))
        continue;
      const CommonCause cause = called(row, dtype, plan);
      EXPECT_EQ(cause.findings, 0) << row.name << " in " << dtype_name(dtype);
      EXPECT_EQ(cause.name, "") << row.name << " in " << dtype_name(dtype);
      ++twins;
    }
  }
  fmt::print("{} pairs of right twin and dtype, none of them explained\n", twins);
  EXPECT_GT(twins, 0);
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) {
  // A worker around a kernel is this program too.
  if (argc > 1 && std::string_view(argv[1]) == normcheck::plugin_worker_word)
    return normcheck::plugin_worker_main(argc - 2, argv + 2, normcheck::defects_plugin);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// The list of accepted findings: each way in which it can be wrong turns the night red, and nothing else
// does.
#include "fuzz/night/baseline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "corpus/error.h"

namespace normcheck {
namespace {

constexpr const char* good =
    "# what we live with\n"
    "finding  fuzz_a-naive-f32.own.f32.row\n"
    "input    known/a.case\n"
    "says     y[0,0] is nan\n"
    "reason   the fix is under review\n"
    "owner    ada\n"
    "expires  2026-03-31\n";

std::vector<BaselineEntry> parsed(const std::string& text) { return parse_baseline(text, "list", "folder"); }

Replayed fails_as_listed() {
  return {"fuzz_a-naive-f32.own.f32.row", true, true, "fuzz_a-naive-f32.own.f32.row", "y[0,0] is nan"};
}

std::string complaint(const Replayed& replayed, const char* today = "2026-03-31") {
  const auto lines = baseline_complaints(parsed(good), {replayed}, today);
  EXPECT_LE(lines.size(), 1u);
  return lines.empty() ? "" : lines[0];
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Baseline, IsReadAsItIsDocumented) {
  const auto entries =
      parsed(std::string(good) + "\n\n# another\n" + "finding  fuzz_b-x\ninput /abs/b.input\nsays s\n" +
             "reason\tr\nowner o\nexpires 2024-02-29\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].target(), "fuzz_a");
  EXPECT_EQ(entries[0].input, "folder/known/a.case");
  EXPECT_EQ(entries[0].reason, "the fix is under review");
  EXPECT_EQ(entries[1].input, "/abs/b.input");
  EXPECT_EQ(entries[1].owner, "o");
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed("# nothing\n\n\n").empty());
}

TEST(Baseline, AnEntryThatFailsAsListedIsAcceptedToItsLastDay) {
  EXPECT_EQ(complaint(fails_as_listed(), "2026-03-31"), "");
  EXPECT_TRUE(accepts(parsed(good), "fuzz_a-naive-f32.own.f32.row"));
}

TEST(Baseline, ANewFindingIsNotAccepted) {
  EXPECT_FALSE(accepts(parsed(good), "fuzz_a-naive-f32.own.f32.rows"));
  EXPECT_FALSE(accepts({}, "fuzz_a-naive-f32.own.f32.row"));
}

TEST(Baseline, ExpiresTheDayAfter) {
  EXPECT_TRUE(holds(complaint(fails_as_listed(), "2026-04-01"), "expired on 2026-03-31"));
  EXPECT_TRUE(holds(complaint(fails_as_listed(), "2027-01-01"), "expired"));
}

TEST(Baseline, IsRedWhereTheFindingChanged) {
  Replayed other_words = fails_as_listed(), other_name = fails_as_listed();
  other_words.says = "y[0,0] is inf";
  other_name.now = "fuzz_a-naive-f32.stable.f32.row";
  EXPECT_TRUE(holds(complaint(other_words), "changed: it now says 'y[0,0] is inf'"));
  EXPECT_TRUE(holds(complaint(other_name), "changed: it is now fuzz_a-naive-f32.stable.f32.row"));
}

TEST(Baseline, IsRedWhereTheFindingPasses) {
  Replayed passes = fails_as_listed();
  passes.failed = false;
  EXPECT_TRUE(holds(complaint(passes), "unexpectedly passing"));
}

TEST(Baseline, IsRedWhereNothingRanIt) {
  Replayed not_run = fails_as_listed();
  not_run.ran = false;
  EXPECT_TRUE(holds(complaint(not_run), "stopped running"));
  const auto lines = baseline_complaints(parsed(good), {}, "2026-01-01");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(holds(lines[0], "stopped running")) << lines[0];
  EXPECT_TRUE(holds(lines[0], "ada") && holds(lines[0], "under review")) << "says whom to ask: " << lines[0];
}

TEST(Baseline, ABadListIsOneLineThatSaysWhere) {
  struct Bad {
    std::string text;
    const char* says;
  };
  std::string no_owner = good, twice = good;
  no_owner.erase(no_owner.find("owner"), no_owner.find("expires") - no_owner.find("owner"));
  const std::string day = "expires  2026-03-31";
  const auto with_day = [&](const char* other) {
    std::string out = good;
    return out.replace(out.find(day), day.size(), std::string("expires  ") + other);
  };
  int covered = 0;
  for (const Bad& bad :
       {Bad{no_owner, "list:2: no owner"}, Bad{twice + "\n" + good, "a second time"},
        Bad{twice + "owner eve\n", "list:8: a second owner"}, Bad{"colour red\n", "list:1: 'colour'"},
        Bad{"finding nodash\n", "TARGET-KEY"}, Bad{"says\n", "says nothing"},
        Bad{with_day("2026-02-30"), "2026-02-30"}, Bad{with_day("2026-13-01"), "YYYY-MM-DD"},
        Bad{with_day("31.03.2026"), "YYYY-MM-DD"}, Bad{with_day("2026-3-31"), "YYYY-MM-DD"}}) {
    try {
      parsed(bad.text);
      ADD_FAILURE() << "accepted:\n" << bad.text;
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_TRUE(holds(line, bad.says)) << line;
      EXPECT_FALSE(holds(line, "\n")) << line;
      ++covered;
    }
  }
  fmt::print("{} bad lists refused\n", covered);
}

TEST(Baseline, TheBlockOfASummaryIsAnEntryOnceAPersonHasCompletedIt) {
  const std::string block = baseline_block("fuzz_a-k", "found/a.case", "y is wrong");
  EXPECT_THROW(parsed(block), InputError) << "reason, owner and date are for a person to say";
  std::string complete = block;
  for (const auto& [field, value] :
       {std::pair("reason   \n", "reason r\n"), std::pair("owner    \n", "owner o\n"),
        std::pair("expires  \n", "expires 2026-01-01\n")}) {
    complete.replace(complete.find(field), std::string(field).size(), value);
  }
  ASSERT_EQ(parsed(complete).size(), 1u);
  EXPECT_EQ(parsed(complete)[0].says, "y is wrong");
}

}  // namespace
}  // namespace normcheck

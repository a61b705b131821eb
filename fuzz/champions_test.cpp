// The largest errors that are known hold: no bound is exceeded, no right row got worse, a seed repeats.
#include "fuzz/attack/champions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/attack/repeats.h"
#include "oracles/filter/filter.h"
#include "props/gen.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

fs::path found() { return fs::path(NORMCHECK_SOURCE_DIR) / "corpus" / "found"; }

/// Empty, of this test alone.
fs::path scratch(const char* name) {
  const char* out = std::getenv("NORMCHECK_OUT");
  const fs::path folder = (out == nullptr ? fs::temp_directory_path() : fs::path(out)) / "champions" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

bool runs_here(const Row* row) {
  return row != nullptr && (row->missing == nullptr || row->missing().empty());
}

/// A right row of the name of `name` that computes as `as` does.
Row disguised(const char* name, const char* as) {
  Row out = *find_row(name);
  out.run = find_row(as)->run;
  return out;
}

Case one_row(const char* regime, std::uint64_t index, std::int64_t n = 32) {
  Case c = make_case(*find_regime(regime), {.dtype = DType::f32, .rows = 1, .n = n}, 1, index);
  c.gamma.reset();
  c.beta.reset();
  return c;
}

/// A record of two_pass/f32 on the case, as keep_record writes it.
Champion recorded(const fs::path& folder, const Case& c) {
  const Row& row = *find_row("two_pass/f32");
  ChampionKey key;
  key.impl = "two_pass/f32";
  key.length = length_class(row_length(c));
  key.contract = "own";
  AttackResult result;
  result.records.push_back(measured(row, parse_contract("own", &row), AttackPlan{}, c));
  result.evaluations = 10;
  keep_record(folder, key, result, AttackPlan{}, "");
  return read_champions(folder).front();
}

TEST(Champions, EachRecordHoldsOnItsOwnInput) {
  int held = 0, elsewhere = 0;
  std::set<std::string> files;
  for (const Champion& c : read_champions(found())) {
    files.insert(c.file);
    EXPECT_EQ(c.file, champion_stem(c.key) + ".case");
    const Row* row = find_row(c.key.impl);
    if (!runs_here(row)) {
      // Of a library, which is not part of this build: its case must be one.
      EXPECT_EQ(read_case(found() / c.file).x.dtype, c.key.dtype) << c.file;
      EXPECT_TRUE(row != nullptr || !c.version.empty()) << c.file << ": of which version?";
      ++elsewhere;
      continue;
    }
    EXPECT_EQ(champion_complaint(found(), c, *row), "");
    ++held;
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(found())) {
    bytes += entry.file_size();
    if (entry.path().extension() == ".case") {
      EXPECT_EQ(files.count(entry.path().filename().string()), 1)
          << entry.path().filename() << " is in no line of records.tsv";
    }
  }
  EXPECT_GT(held, 100);
  EXPECT_LT(bytes, std::uintmax_t{3} << 20);
  fmt::print("{} records hold on their own inputs, {} are of libraries; {} files of {} KiB\n", held,
             elsewhere, files.size(), bytes >> 10);
}

TEST(Champions, ARightRowThatGotWorseIsSeenOnTheInputOfItsRecord) {
  const fs::path folder = scratch("worse");
  int seen = 0, tried = 0;
  const Row welford = disguised("two_pass/f32", "welford/f32");
  for (std::uint64_t index = 0; index < 20; ++index) {
    const Champion record = recorded(folder, one_row("unit_normal", index));
    ASSERT_EQ(champion_complaint(folder, record, *find_row("two_pass/f32")), "");
    const std::string complaint = champion_complaint(folder, record, welford);
    ++tried;
    seen += complaint.find("got worse on the input of its record") != std::string::npos ? 1 : 0;
    fs::remove(folder / "records.tsv");
  }
  // On some rows the other algorithm happens to be better.
  EXPECT_GE(seen, 5);
  fmt::print("a two_pass that computes as welford does is worse, within its bound, on {} of {} rows\n", seen,
             tried);
}

TEST(Champions, ABoundThatIsExceededIsSeen) {
  const fs::path folder = scratch("exceeded");
  Case c = one_row("unit_normal", 1);
  for (std::int64_t i = 0; i < 32; ++i) c.x.set_value(i, 4096.0 + 0.25 * static_cast<double>(i));
  const Champion record = recorded(folder, c);
  const std::string complaint = champion_complaint(folder, record, disguised("two_pass/f32", "naive/f32"));
  EXPECT_NE(complaint.find("FAIL by two_pass/f32"), std::string::npos) << complaint;
  // A wrong row is not held to it, and does not pass for a right one.
  EXPECT_FALSE(is_right(*find_row("naive/f32")));
  fmt::print("{}\n", complaint);
}

TEST(Champions, ACaseThatIsNotWhatItsLineSaysIsSeen) {
  const fs::path folder = scratch("other_case");
  const Champion record = recorded(folder, one_row("unit_normal", 1));
  Case longer = one_row("unit_normal", 1, 80);
  longer.id = champion_stem(record.key);
  write_case(folder / record.file, longer);
  EXPECT_NE(champion_complaint(folder, record, *find_row("two_pass/f32")).find("is no case of"),
            std::string::npos);
}

TEST(Champions, ANewRecordTakesThePlaceOfTheOldAndTheNextAttackBeginsThere) {
  const fs::path folder = scratch("kept");
  const Row& row = *find_row("welford/f32");
  const Contract own = parse_contract("own", &row);
  AttackPlan plan;
  plan.budget = 4000;
  plan.freedom = {.eps = false, .affine = false};
  plan.objective = Objective::normwise;
  plan.limits.kappa = 4;
  ChampionKey key;
  key.impl = "welford/f32";
  key.objective = plan.objective;
  key.kappa_most = 4;
  key.contract = "own";
  EXPECT_TRUE(keep_record(folder, key, attack(row, own, plan), plan, ""));
  const double first = value_of(read_champions(folder).front());
  EXPECT_FALSE(keep_record(folder, key, attack(row, own, plan), plan, ""));  // the same again
  EXPECT_EQ(value_of(read_champions(folder).front()), first);
  EXPECT_EQ(read_champions(folder).front().evaluations, 8000);
  plan.seed = 2;
  plan.seeds = champion_cases(folder);
  ASSERT_EQ(plan.seeds.size(), 1U);
  const AttackResult next = attack(row, own, plan);
  EXPECT_GE(next.records.back().value, first);
  keep_record(folder, key, next, plan, "");
  const Champion last = read_champions(folder).front();
  EXPECT_GE(value_of(last), first);
  EXPECT_EQ(last.evaluations, 12000);
  EXPECT_EQ(champion_complaint(folder, last, row), "");
  for (std::size_t i = 1; i < last.curve.size(); ++i) {
    EXPECT_LT(last.curve[i - 1].first, last.curve[i].first);
    EXPECT_LT(last.curve[i - 1].second, last.curve[i].second);
  }
  // The table is read back as it was written.
  const std::string text = read_file(folder / "records.tsv");
  write_champions(folder, read_champions(folder));
  EXPECT_EQ(read_file(folder / "records.tsv"), text);
  fmt::print("{:.3g} u, then {:.3g} u from there\n", first, value_of(last));
}

TEST(Champions, ATableThatIsNoneSaysWhichLineAndWhy) {
  const fs::path folder = scratch("malformed");
  recorded(folder, one_row("unit_normal", 1));
  const std::string good = read_file(folder / "records.tsv");
  int refused = 0;
  const auto refuses = [&](const std::string& text, const std::string& word) {
    write_file_atomically(folder / "records.tsv", text);
    try {
      read_champions(folder);
      ADD_FAILURE() << "taken: " << text;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
      ++refused;
    }
  };
  const auto with = [&](const char* from, const char* to) {
    std::string text = good;
    const auto at = text.find(from, text.find('\n'));
    return text.replace(at, std::string_view(from).size(), to);
  };
  refuses("impl\n", "records.tsv:1: expected the names of the columns");
  refuses(good + "two_pass/f32\tf32\n", "records.tsv:3: 2 columns; expected 19");
  refuses(good + good.substr(good.find('\n') + 1), "records.tsv:3: a second line for");
  refuses(with("\tf32\t", "\tf31\t"), "records.tsv:2: 'f31'; expected a dtype");
  refuses(with("\t32\t", "\t33\t"), "a power of two");
  refuses(with("\tshare\t", "\tdistance2\t"), "expected an objective");
  refuses(with("\tany\t", "\tmany\t"), "expected a condition number, or any");
  refuses(with("\t1\t", "\t-1x\t"), "expected a seed");
  fmt::print("{} tables refused\n", refused);
}

TEST(Champions, AFixedSeedGivesTheSameBytes) {
  const std::string here = filter::instruction_set_name(filter::widest());
  int same = 0, other_set = 0;
  const auto repeats = read_repeats(found());
  EXPECT_GE(repeats.size(), 6U);
  for (const RepeatedAttack& r : repeats) {
    const Row* row = find_row(r.impl);
    ASSERT_NE(row, nullptr) << r.impl;
    if (r.instruction_set != here || !runs_here(row)) {
      ++other_set;
      continue;
    }
    RepeatedAttack now = r;
    now.digest = attack_again(r, *row);
    EXPECT_EQ(now.digest, r.digest) << "the line as it is now, if that is meant:\n" << repeat_line(now);
    ++same;
  }
  if (!repeats.empty() && same > 0) {  // what is planted: another seed, another kernel
    RepeatedAttack r = repeats.front();
    ++r.seed;
    EXPECT_NE(attack_again(r, *find_row(r.impl)), r.digest);
    --r.seed;
    EXPECT_NE(attack_again(r, *find_row("welford/f32/folded")), r.digest);
  }
  fmt::print("{} attacks repeat to the byte on {}; {} lines are of other instruction sets\n", same, here,
             other_set);
}

}  // namespace
}  // namespace normcheck

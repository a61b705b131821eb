// `normcheck attack`: what it records, how many it attacks at once, and what it refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "corpus/case_file.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// A corpus of one case, so that records go to a folder of the test.
fs::path small_corpus(const std::string& name) {
  const fs::path folder = fresh_folder(name) / "corpus";
  fs::create_directories(folder / "public");
  fs::create_directories(folder / "cases");
  write_case(folder / "cases" / "drawn.case", drawn_case(DType::f32, 1, 32, 1));
  return folder;
}

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::int64_t cases_in(const fs::path& folder) {
  std::int64_t out = 0;
  for (const auto& entry : fs::directory_iterator(folder)) out += entry.path().extension() == ".case" ? 1 : 0;
  return out;
}

TEST(Attack, ARecordIsKeptOnceAndItsCaseReplays) {
  const fs::path corpus = small_corpus("attack_record"), out = fresh_folder("attack_out");
  const std::string words = fmt::format(
      "attack two_pass/f32 --contract own --budget 3000 --objective normwise --kappa 4 --record --no-timing "
      "--corpus {} --out {}",
      corpus.string(), out.string());
  const Told first = run(words);
  ASSERT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_NE(first.out.find("a new record, kept in "), std::string::npos) << first.out;
  EXPECT_EQ(lines_of(read_file(corpus / "found" / "records.tsv")), 2);
  const fs::path kept = corpus / "found" / "two_pass-f32.f32.n32.normwise-kappa4.case";
  const std::string bytes = read_file(kept);
  const Told again = run(words + " --fresh");
  EXPECT_NE(again.out.find("no new record"), std::string::npos) << again.out;
  EXPECT_EQ(read_file(kept), bytes);
  const Told replayed = run(fmt::format("replay {} --impl two_pass/f32 --contract own", kept.string()));
  EXPECT_EQ(replayed.code, 0) << replayed.out;
  fmt::print("{}", read_file(corpus / "found" / "records.tsv"));
}

TEST(Attack, SeveralAreALineEachAndTheSameEachTime) {
  const fs::path corpus = small_corpus("attack_several"), out = fresh_folder("attack_out");
  const std::string words = fmt::format(
      "attack two_pass/f32 welford/f64 --n 8,32 --budget 500 --record --fresh --corpus {} --out {}",
      corpus.string(), out.string());
  const Told r = run(words);
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  // In f32, f16 and bf16, and f64: at two lengths, by share and normwise.
  EXPECT_EQ(cases_in(corpus / "found"), 4 * 2 * 2) << r.out;
  const std::string table = read_file(corpus / "found" / "records.tsv");
  fs::remove_all(corpus / "found");
  EXPECT_EQ(run(words).code, 0);
  EXPECT_EQ(read_file(corpus / "found" / "records.tsv"), table);
  fmt::print("{} records, twice the same\n", lines_of(table) - 1);
}

TEST(Attack, WhatWasSoughtBeforeIsMeasuredAgainAndSoughtNoMore) {
  const fs::path corpus = small_corpus("attack_before"), out = fresh_folder("attack_out");
  const auto words = [&](int seed) {
    return fmt::format(
        "attack two_pass/f32 welford/f64 --n 8 --budget 500 --seed {} --record --corpus {} --out {}", seed,
        corpus.string(), out.string());
  };
  const fs::path table = corpus / "found" / "records.tsv";
  const Told first = run(words(1));
  ASSERT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_EQ(first.out.find("before\n"), std::string::npos) << first.out;
  const std::string known = read_file(table);
  const Told again = run(words(1));
  EXPECT_EQ(read_file(table), known);
  std::int64_t before = 0;
  for (std::size_t at = again.out.find("before\n"); at != std::string::npos;
       at = again.out.find("before\n", at + 1))
    ++before;
  EXPECT_EQ(before, lines_of(known) - 1) << again.out;
  EXPECT_EQ(run(words(2)).code, 0);
  EXPECT_NE(read_file(table), known) << "another seed is another attack";
  fmt::print("{} attacks, said again: none is made again; by another seed all are\n", before);
}

TEST(Attack, WhatIsWrongIsOneLineAndExitTwo) {
  const fs::path corpus = small_corpus("attack_bad");
  fs::create_directories(corpus / "found");
  write_file_atomically(corpus / "found" / "records.tsv", "impl\n");
  const std::pair<std::string, std::string> bad[] = {
      {"attack", "expected an implementation"},
      {"attack two_pass/f33", "unknown implementation 'two_pass/f33'"},
      {"attack two_pass/f32 --n 1", "expected a number from 2 to 65536"},
      {"attack two_pass/f32 welford/f32 --n 1..70", "expected a number from 2 to 65536"},
      {"attack two_pass/f32 --n 70000", "expected a number from 2 to 65536"},
      {"attack two_pass/f32 --kappa 0.5", "--kappa"},
      {"attack two_pass/f32 --kappa nan", "--kappa"},
      {"attack two_pass/f32 --eps -1", "--eps"},
      {"attack two_pass/f32 --seed x", "--seed: 'x'"},
      {"attack two_pass/f32 --budget 3s", "repeated bit for bit"},
      {"attack two_pass/f32 --objective worst", "expected share, ulp, normwise or distance"},
      {"attack two_pass/f32 --objective distance", "expected --against IMPL"},
      {"attack two_pass/f32 --against welford/f32 --objective ulp", "no other --objective"},
      {"attack two_pass/f32 --against welford/f32 --record", "expected no --against"},
      {"attack two_pass/f32 welford/f32 --against welford/f64", "--against"},
      {"attack two_pass/f32 welford/f32 --objective distance", "expected share, ulp or normwise"},
      {"attack two_pass/f64 --dtype f8", "f8"},
      {fmt::format("attack two_pass/f32 --record --budget 50 --fresh --out {} --corpus {}",
                   fresh_folder("attack_out").string(), corpus.string()),
       "records.tsv:1: expected the names of the columns"},
  };
  for (const auto& [words, said] : bad) {
    const Told r = run(words);
    EXPECT_EQ(r.code, 2) << words << '\n' << r.out << r.err;
    EXPECT_TRUE(is_one_line(r.err)) << words << '\n' << r.err;
    EXPECT_NE(r.err.find(said), std::string::npos) << words << '\n' << r.err;
  }
  fmt::print("{} calls refused\n", std::size(bad));
}

}  // namespace
}  // namespace normcheck

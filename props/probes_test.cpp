// Promise: each probe sees the fault that it is for, names itself, and repeats it; no probe flags a right
// kernel, nor one that honestly refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "props/command_run.h"

namespace normcheck {
namespace {

std::string object(const std::string& name) {
  return fmt::format("{}/plugin_probed.so:{}", NORMCHECK_PLUGINS, name);
}

Told check(const std::string& name, const std::string& more = "--dtype f32") {
  return run("check " + object(name) + " --regime unit_normal --n 2..64 --budget 20 --no-timing " + more);
}

/// The line of the block of probes that begins so; empty where there is none.
std::string line_of(const Told& told, const std::string& head) {
  const auto from = told.out.find("    " + head);
  if (from == std::string::npos) return {};
  auto to = told.out.find('\n', from);
  while (told.out.compare(to + 1, 6, "      ") == 0) to = told.out.find('\n', to + 1);
  return told.out.substr(from, to - from);
}

/// The arguments of the first replay line that has `words`; empty where there is none.
std::string replay_of(const Told& told, const std::string& words) {
  const std::string head = "\n  replay   ";
  for (auto at = told.out.find(head); at != std::string::npos; at = told.out.find(head, at + 1)) {
    const auto from = at + head.size();
    const std::string line = told.out.substr(from, told.out.find('\n', from) - from);
    const auto arguments = line.find(" replay ");
    if (arguments != std::string::npos && line.find(words) != std::string::npos)
      return line.substr(arguments + 1);
  }
  return {};
}

TEST(Probes, ARightKernelPassesEach) {
  const Told told = check("right", "");
  EXPECT_EQ(told.code, 0) << told.out << told.err;
  EXPECT_EQ(line_of(told, "finding"), "") << told.out;
  EXPECT_EQ(line_of(told, "NOTE"), "") << told.out;
  EXPECT_EQ(line_of(told, "UNSUPPORTED"), "") << told.out;
  const Told list = run("list --probes");
  std::size_t names = 0;
  for (auto at = list.out.find('\n'); at + 1 < list.out.size(); at = list.out.find('\n', at + 1))
    names += list.out[at + 1] != ' ' ? 1 : 0;
  fmt::print("{} probes listed; a right kernel in f32 and bf16\n", names);
}

TEST(Probes, AnHonestRefusalIsNoFinding) {
  const Told told = check("plain_layouts");
  EXPECT_EQ(told.code, 0) << told.out << told.err;
  for (const char* layout : {"padded_rows", "sliced", "inner_stride_2", "transposed"})
    EXPECT_NE(line_of(told, "UNSUPPORTED").find(layout), std::string::npos) << layout << '\n' << told.out;
}

struct Planted {
  std::string fault, probe, dtype = "f32";
};

TEST(Probes, EachSeesTheFaultThatItIsFor) {
  const std::vector<Planted> all = {{"beta_needs_gamma", "affine"},
                                    {"mean_needs_rstd", "statistics"},
                                    {"half_parameters", "parameter_dtype", "bf16"},
                                    {"single_is_nan", "one_element"},
                                    {"fails_empty", "zero_rows"},
                                    {"first_dim_is_rows", "rank_one"},
                                    {"last_dim_only", "dims"},
                                    {"rows_in_grid", "row_counts"},
                                    {"wraps_index", "row_counts"},
                                    {"rows_in_blocks", "row_counts"},
                                    {"aligned_loads", "element_aligned"},
                                    {"caches_gamma", "same_addresses"},
                                    {"caches_x", "same_addresses"},
                                    {"caches_eps", "same_addresses"},
                                    {"keeps_mean", "state"},
                                    {"tires", "state"},
                                    {"reads_past", "guard_pages"},
                                    {"reads_before", "guard_pages"},
                                    {"borrows_input", "guard_pages"},
                                    {"hides_now_and_then", "state"},
                                    {"aliases", "in_place"},
                                    {"accepts", "refuse_eps"},
                                    {"accepts", "refuse_shape"},
                                    {"accepts", "refuse_dims"},
                                    {"accepts", "integers"},
                                    {"misconverts", "integers"},
                                    {"claims_repeats", "repeat"},
                                    {"claims_rows_alone", "batch_size"},
                                    {"claims_strides", "inner_stride_2"},
                                    {"claims_statistics", "statistics"},
                                    {"claims_parameters", "parameter_dtype", "bf16"}};
  for (const Planted& p : all) {
    const Told told = check(p.fault, "--verbose --dtype " + p.dtype);
    const std::string found = line_of(told, "finding");
    EXPECT_EQ(told.code, 1) << p.fault << '\n' << told.out << told.err;
    EXPECT_NE(found.find(p.probe + " ("), std::string::npos) << p.fault << '\n' << told.out;
    const std::string again = replay_of(told, "--probe " + p.probe);
    ASSERT_NE(again, "") << p.fault << '\n' << told.out;
    const Told seen = run(again);
    EXPECT_EQ(seen.code, 1) << p.fault << ": " << again << '\n' << seen.out << seen.err;
    EXPECT_NE(seen.out.find("probe " + p.probe), std::string::npos) << seen.out;
  }
  fmt::print("{} planted faults, each found by its probe and again by its replay line\n", all.size());
}

TEST(Probes, ABlameThatIsNotTheirsIsNotLaid) {
  // eps shows in rows of small variance, and so in calls of many rows: nothing was kept, and no count
  // matters.
  const Told plain = check("eps_outside", "--verbose --dtype f32");
  EXPECT_EQ(plain.code, 1);
  const std::string found = line_of(plain, "finding");
  for (const char* probe : {"same_addresses", "state", "row_counts", "repeat", "batch_size"})
    EXPECT_EQ(found.find(probe), std::string::npos) << probe << '\n' << plain.out;
  EXPECT_NE(line_of(plain, "wrong anyway").find("row_counts"), std::string::npos) << plain.out;
  // And where there are both faults, both are said.
  const Told both = check("eps_outside_caches_x", "--verbose --dtype f32");
  EXPECT_NE(line_of(both, "finding").find("same_addresses"), std::string::npos) << both.out;
}

TEST(Probes, OtherBitsAreANoteAndUnderStrictAFinding) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"restless", "repeat"}, {"by_position", "row_position"}, {"by_batch", "batch_size"}};
  for (const auto& [fault, probe] : all) {
    const Told told = check(fault);
    EXPECT_EQ(told.code, 0) << fault << '\n' << told.out << told.err;
    EXPECT_NE(line_of(told, "NOTE").find(probe), std::string::npos) << fault << '\n' << told.out;
    EXPECT_NE(told.out.find("both keep the contract"), std::string::npos) << told.out;
    const Told strict = check(fault, "--dtype f32 --strict --verbose --skip-probes numbers,memory");
    EXPECT_EQ(strict.code, 1) << fault << '\n' << strict.out << strict.err;
    EXPECT_NE(line_of(strict, "finding").find(probe), std::string::npos) << strict.out;
    const std::string again = replay_of(strict, "--probe " + probe);
    EXPECT_EQ(run(again).code, 1) << again;
    EXPECT_NE(again.find("--strict"), std::string::npos) << again;
  }
}

TEST(Probes, WhatIsClaimedRightlyIsNoFinding) {
  const std::vector<std::pair<std::string, std::string>> all = {{"in_place", "in_place"},
                                                                {"refuses", "integers"},
                                                                {"converts", "integers"},
                                                                {"takes_rows", "padded_rows"}};
  for (const auto& [name, probe] : all) {
    const Told told = check(name);
    EXPECT_EQ(told.code, 0) << name << '\n' << told.out << told.err;
    EXPECT_NE(line_of(told, "PASS").find(probe), std::string::npos) << name << '\n' << told.out;
  }
  EXPECT_NE(line_of(check("no_statistics"), "left out").find("stats=none is claimed"), std::string::npos);
  const Told copies = check("copies");
  EXPECT_EQ(copies.code, 0) << copies.out;
  EXPECT_NE(line_of(copies, "VACUOUS").find("guard_pages"), std::string::npos) << copies.out;
}

TEST(Probes, AReadOutsideIsSaidOfItsTensor) {
  EXPECT_NE(check("reads_past").out.find("past the end of x"), std::string::npos);
  EXPECT_NE(check("reads_before").out.find("before the beginning of gamma"), std::string::npos);
  EXPECT_NE(check("borrows_input").out.find("wrote to its input x"), std::string::npos);
  const Told far = check("writes_far");
  EXPECT_EQ(far.code, 1) << far.out;
  EXPECT_NE(far.out.find("far past the end of y"), std::string::npos) << far.out;
  EXPECT_EQ(line_of(check("reads_past", "--dtype f32 --in-process"), "finding"), "")
      << "it would be this process";
}

TEST(Probes, AProgramIsCalledNoOftenerThanItAllows) {
  const Told told = run(fmt::format("check --program '{} few' --no-timing", NORMCHECK_PROGRAM));
  EXPECT_EQ(told.code, 0) << told.out << told.err;
  EXPECT_NE(told.out.find("are used up, of its max_calls"), std::string::npos) << told.out;
  EXPECT_NE(line_of(told, "PASS").find("affine"), std::string::npos)
      << "some of it is kept for probes" << told.out;
}

TEST(Probes, WhatDoesNotComeAgainAloneIsSaidToBeSo) {
  const Told told = run("check " + object("wears_out") +
                        " --dtype f32 --regime unit_normal --n 2..64 --budget 1500 --no-timing");
  EXPECT_EQ(told.code, 1) << told.out << told.err;
  EXPECT_NE(told.out.find("not repeated when run alone"), std::string::npos) << told.out;
  EXPECT_EQ(replay_of(told, "--impl"), "") << "a line that would pass: " << told.out;
  // What wears out sooner is shown again by many calls.
  const Told sooner = run("check " + object("tires") +
                          " --dtype f32 --regime unit_normal --n 2..64 --budget 1500 --no-timing");
  EXPECT_NE(replay_of(sooner, "--probe state"), "") << sooner.out;
}

TEST(Probes, WhatIsSkippedIsSaid) {
  const Told one = check("caches_gamma", "--dtype f32 --skip-probes same_addresses,state,numbers,semantics");
  EXPECT_EQ(one.code, 0) << one.out << one.err;
  EXPECT_NE(line_of(one, "left out").find("same_addresses"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("--skip-probes"), std::string::npos) << one.out;
  const Told wrong = check("right", "--skip-probes stat");
  EXPECT_EQ(wrong.code, 2) << wrong.out;
  EXPECT_NE(wrong.err.find("state"), std::string::npos) << wrong.err;
  EXPECT_EQ(run("replay no.case --impl two_pass/f32 --probe state").code, 2);
}

TEST(Probes, MoreRowsThan23BitsCountAreTriedWhereThatIsAsked) {
  const auto huge = [](const std::string& name) {
    return run("check " + std::string(NORMCHECK_PLUGINS) + "/plugin_" + name +
               ".so --huge --skip-probes memory,semantics,huge_elements --dtype f32 --regime unit_normal "
               "--n 8 --budget 8 --no-timing");
  };
  const Told right = huge("right");
  if (line_of(right, "left out").find("huge_rows (needs") != std::string::npos)
    GTEST_SKIP() << "1.4 GB of memory are not free";
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(line_of(right, "PASS").find("huge_rows"), std::string::npos) << right.out;
  const Told few = huge("few_rows");
  EXPECT_EQ(few.code, 1) << few.out << few.err;
  EXPECT_NE(line_of(few, "finding").find("huge_rows"), std::string::npos) << few.out;
  fmt::print("2^23 + 1 rows of a right kernel, and of one that leaves the last\n");
}

}  // namespace
}  // namespace normcheck

// Promise: what PyTorch gave on the same x, gamma, beta and eps is judged as its record expects, and no more
// passes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "corpus/case_file.h"
#include "corpus/dump.h"
#include "impl/semantics.h"
#include "oracles/judge.h"
#include "props/promise.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kFolder = fs::path(NORMCHECK_SOURCE_DIR) / "corpus/recorded";

struct Recorded {
  std::string label;
  Case problem;
  Observation observed;
  std::string expect;
};

Recorded read(const json& record, const Dump& dump) {
  const std::string name = record.at("case");
  const auto tensor = [&](const char* part) { return dump.read(name + "." + part); };
  Recorded r{dump.file() + " " + name, {}, {}, record.at("expect")};
  r.problem.id = name;
  r.problem.eps = record.at("eps");
  r.problem.norm_ndim = record.at("norm_ndim");
  r.problem.x = tensor("input");
  EXPECT_EQ(dtype_name(r.problem.x.dtype), record.at("dtype").get<std::string>());
  if (record.at("affine")) {
    r.problem.gamma = tensor("weight");
    r.problem.beta = tensor("bias");
  }
  r.observed.y = tensor("output");
  if (record.at("statistics")) {
    r.observed.mean = tensor("mean");
    r.observed.rstd = tensor("rstd");
  }
  return r;
}

std::vector<fs::path> descriptions() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".json") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Recorded> read_all() {
  std::vector<Recorded> out;
  for (const fs::path& path : descriptions()) {
    const json description = json::parse(read_file(path));
    std::map<std::string, std::unique_ptr<Dump>> dumps;
    for (const json& record : description.at("records")) {
      const std::string file = record.at("file");
      if (!dumps.contains(file)) dumps.emplace(file, open_dump(kFolder / file));
      out.push_back(read(record, *dumps.at(file)));
    }
  }
  return out;
}

std::string verdict_word(const Judgement& j) {
  std::string word(verdict_name(j.verdict));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

TEST(Recorded, SaysWithWhatItWasMade) {
  for (const fs::path& path : descriptions()) {
    const json d = json::parse(read_file(path));
    for (const char* key : {"cpu", "architecture", "capability", "capability_used"})
      EXPECT_FALSE(d.at("machine").at(key).get<std::string>().empty()) << path << " " << key;
    EXPECT_GE(d.at("machine").at("threads").get<int>(), 1);
    const std::string capability = d.at("machine").at("capability");
    EXPECT_TRUE(d.at("command").get<std::string>().starts_with("ATEN_CPU_CAPABILITY=" + capability + " "));
    fmt::print("{}: {} {}, {} on {}, {} thread\n", path.stem().string(), d.at("what").get<std::string>(),
               d.at("version").get<std::string>(), capability, d.at("machine").at("cpu").get<std::string>(),
               d.at("machine").at("threads").get<int>());
  }
  EXPECT_EQ(descriptions().size(), 2U);
}

TEST(Recorded, IsJudgedAsItsRecordExpects) {
  std::map<std::string, std::pair<int, double>> by_dtype;  // cases, largest error
  std::set<std::size_t> normalized;
  std::int64_t elements = 0, proved = 0;
  const std::vector<Recorded> all = read_all();
  for (const Recorded& r : all) {
    ASSERT_EQ(refusal(r.problem), std::nullopt) << r.label;
    const Judgement j = judge(r.problem, r.observed, {});
    EXPECT_EQ(verdict_word(j), r.expect) << r.label << ": " << j.reason;
    auto& [cases, largest] = by_dtype[std::string(dtype_name(r.problem.x.dtype))];
    ++cases;
    largest = std::max(largest, j.errors.max_ulp);
    normalized.insert(static_cast<std::size_t>(r.problem.norm_ndim));
    elements += j.counts.elements;
    proved += j.counts.proved;
  }
  EXPECT_EQ(by_dtype.size(), 4U);
  EXPECT_EQ(normalized.size(), 3U) << "over one, two and three dims";
  EXPECT_GT(proved, elements / 2);
  for (const auto& [dtype, told] : by_dtype)
    fmt::print("{:<4} {} cases, largest error {:.4g} ulp\n", dtype, told.first, told.second);
  fmt::print("{} of {} elements proved\n", proved, elements);
}

/// y with one element moved by twice what is allowed there.
bool altered_is_caught(const Recorded& r, const Judgement& right) {
  Recorded wrong = r;
  const ElementReport& worst = *right.worst;
  const std::int64_t at = worst.row * row_length(r.problem) + worst.column;
  wrong.observed.y.set_value(at, worst.want + 2 * worst.allowed_abs);
  // Where a spacing of the dtype is wider than that, by one spacing and what is allowed.
  if (wrong.observed.y.bits(at) == r.observed.y.bits(at) || worst.allowed_ulp < 1)
    wrong.observed.y.set_value(at, worst.want + worst.allowed_abs + worst.allowed_abs / worst.allowed_ulp);
  return judge(wrong.problem, wrong.observed, {}).verdict == Verdict::fail;
}

TEST(Recorded, WhatIsNotAsItWasIsCaught) {
  int elements = 0, without_gamma = 0, other_eps = 0, statistics = 0;
  for (const Recorded& r : read_all()) {
    const Judgement right = judge(r.problem, r.observed, {});
    ASSERT_TRUE(right.worst) << r.label;
    if (std::isfinite(right.worst->allowed_abs) && right.worst->output == Output::y) {
      EXPECT_TRUE(altered_is_caught(r, right)) << r.label;
      ++elements;
    }
    const bool varies = r.problem.id != "constant" && r.problem.id != "zeros" && r.problem.id != "one";
    if (r.problem.gamma && varies) {
      Recorded wrong = r;
      wrong.problem.gamma.reset();
      EXPECT_EQ(judge(wrong.problem, wrong.observed, {}).verdict, Verdict::fail) << r.label;
      ++without_gamma;
    }
    if (varies) {
      Recorded wrong = r;
      wrong.problem.eps = r.problem.eps + 0.25;
      EXPECT_EQ(judge(wrong.problem, wrong.observed, {}).verdict, Verdict::fail) << r.label;
      ++other_eps;
    }
    if (r.observed.rstd && varies) {  // of a constant row rstd may be off by more
      Recorded wrong = r;
      wrong.observed.rstd->set_value(0, 1.01 * r.observed.rstd->value(0));
      EXPECT_EQ(judge(wrong.problem, wrong.observed, {}).verdict, Verdict::fail) << r.label;
      ++statistics;
    }
  }
  fmt::print(
      "caught: {} elements moved by twice what is allowed, {} without gamma, {} of another eps, {} rstd\n",
      elements, without_gamma, other_eps, statistics);
}

}  // namespace
}  // namespace normcheck

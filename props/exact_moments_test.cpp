// Promise: on every case of the corpus all algorithms compute the same mean and variance, where nothing
// rounds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "impl/algorithms/all.h"
#include "impl/arithmetic/exact.h"
#include "props/promise.h"

namespace normcheck {
namespace {

constexpr std::int64_t longest = 4096;  // the running means of longer rows have denominators without end
constexpr std::int64_t elements_of_a_case = 4096;  // in rows that differ: a generated case has thousands

using Form = Moments<Exact> (*)(std::span<const Exact> x);
struct Subject {
  std::string_view name;
  Form moments;
};

std::vector<Subject> every_algorithm() {
  std::vector<Subject> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    out.push_back({A::name, [](std::span<const Exact> x) { return A::template moments<Exact>(x); }});
  });
  return out;
}

struct Seen {
  std::int64_t cases = 0, rows = 0, not_finite = 0, too_long = 0, more = 0;
  std::vector<std::string> unequal;
};

/// (S1/n, (n S2 - S1^2)/n^2).
Moments<Exact> closed_form(std::span<const Exact> x) {
  Exact s1, s2;
  for (const Exact& v : x) {
    s1 = s1 + v;
    s2 = s2 + v * v;
  }
  const Exact n(static_cast<std::int64_t>(x.size()));
  return {s1 / n, (n * s2 - s1 * s1) / (n * n)};
}

void compare(const Case& c, const std::vector<Subject>& subjects, Seen& seen) {
  const std::int64_t n = row_length(c);
  std::vector<std::vector<double>> done;  // rows that repeat, as in batches of one row, are looked at once
  for (std::int64_t r = 0; r < row_count(c) && n > 0; ++r) {
    if (n > longest) {
      ++seen.too_long;
      continue;
    }
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(c.x.value(r * n + i));
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      ++seen.not_finite;
      continue;
    }
    if (std::find(done.begin(), done.end(), values) != done.end()) continue;
    if ((static_cast<std::int64_t>(done.size()) + 1) * n > elements_of_a_case) {
      ++seen.more;
      continue;
    }
    ++seen.rows;
    const std::vector<Exact> x(values.begin(), values.end());
    const Moments<Exact> want = closed_form(x);
    for (const Subject& s : subjects) {
      const Moments<Exact> got = s.moments(x);
      if (!(got.mean == want.mean && got.var == want.var))
        seen.unequal.push_back(fmt::format("{} on row {} of {}", s.name, r, c.id));
    }
    done.push_back(std::move(values));
  }
  seen.cases += !done.empty();
}

Seen compare_corpus(const std::vector<Subject>& subjects) {
  Seen seen;
  std::vector<std::filesystem::path> files;
  const std::filesystem::path corpus = std::filesystem::path(NORMCHECK_SOURCE_DIR) / "corpus";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus))
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    const Case c = read_case(path);
    if (c.expect != Expect::refused) compare(c, subjects, seen);
  }
  return seen;
}

TEST(ExactMoments, AreTheSameByEveryAlgorithmOnEveryCase) {
  const Seen seen = compare_corpus(every_algorithm());
  for (const std::string& line : seen.unequal) ADD_FAILURE() << line;
  EXPECT_GT(seen.rows, 100);
  fmt::print(
      "{} algorithms on {} different rows of {} cases; rows skipped: {} not finite, {} longer than {}, {} "
      "past {} "
      "elements of their case\n",
      EveryAlgorithm::size, seen.rows, seen.cases, seen.not_finite, seen.too_long, longest, seen.more,
      elements_of_a_case);
}

TEST(ExactMoments, ADifferenceIsSeen) {
  const Subject loses_the_last = {
      "loses the last element", [](std::span<const Exact> x) {
        return TwoPass::moments<Exact>(x.first(x.size() - (x.size() > 1 ? 1 : 0)));
      }};
  const Seen seen = compare_corpus({loses_the_last});
  EXPECT_GT(seen.unequal.size(), 0U);
  fmt::print("planted: the last element lost: unequal on {} of {} rows\n", seen.unequal.size(), seen.rows);
}

}  // namespace
}  // namespace normcheck

// Promise: no constant of a bound is larger than it need be by a factor of two: each, halved, is exceeded by
// a row that keeps the whole bound.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case_file.h"
#include "impl/algorithms/two_pass.h"
#include "oracles/row_input.h"
#include "props/mutation_terms.h"
#include "props/promise.h"

namespace normcheck {
namespace {

std::vector<Case> worst_corpus() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::path(NORMCHECK_SOURCE_DIR) / "corpus" / "worst";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> out;
  for (const auto& path : files) out.push_back(read_case(path));
  return out;
}

/// What halving the terms showed.
struct Shown {
  /// A term in the bound of one implementation, by name.
  using Use = std::pair<BoundTerm, std::string>;
  std::set<Use> used;             ///< halving it changes the bound of some row
  std::map<Use, std::string> by;  ///< the row that exceeds what is left
  std::int64_t exceeded = 0;      ///< rows that exceed the whole bound: none
};

constexpr BoundTerm first = BoundTerm::mean_division, first_of_finish = BoundTerm::root_roundings;
template <class Visit>
void each_term(BoundTerm from, BoundTerm to, const Visit& visit) {
  for (int t = static_cast<int>(from); t < static_cast<int>(to); ++t) visit(static_cast<BoundTerm>(t));
}

/// The error of one number against its bound and the bound with a term halved.
struct Compared {
  bool changed = false;
  bool kept = true;
  bool exceeded = false;
  void add(double got, const ExactValue& exact, double whole, double halved) {
    if (!std::isfinite(whole)) return;
    kept = kept && exact.within(got, whole);
    if (halved == whole) return;
    changed = true;
    exceeded = exceeded || !exact.within(got, halved);
  }
};

double centre_bound(const MomentBound& b, double deviation) {
  return (b.centre->relative * Upward(deviation) + b.centre->absolute).value();
}

void halve_moments(const MomentSubject& subject, const std::string& where, RowInput& input, Shown& shown) {
  const RowFacts& facts = input.condition.facts();
  const MomentBound whole = subject.bound(facts, working(subject.dtype));
  if (!whole.in_range) return;
  const ComputedMoments got = subject.run(input.x);
  const ExactRow& exact = input.exact_row();
  each_term(first, first_of_finish, [&](BoundTerm term) {
    const Shown::Use use{term, std::string(subject.name)};
    if (shown.by.contains(use)) return;
    const MomentBound halved = subject.bound(facts, working(subject.dtype, term));
    Compared c;
    c.add(got.mean, exact.mean(), whole.mean.value(), halved.mean.value());
    c.add(got.variance, exact.variance(), whole.variance.value(), halved.variance.value());
    for (std::size_t i = 0; i < got.centre.size(); ++i) {
      const double deviation = facts.deviation[i], all = centre_bound(whole, deviation);
      const double rest = centre_bound(halved, deviation);
      if (all != rest) c.add(got.centre[i], exact.deviation(static_cast<std::int64_t>(i)), all, rest);
    }
    shown.exceeded += !c.kept;
    if (c.changed) shown.used.insert(use);
    if (c.exceeded) shown.by.emplace(use, where);
  });
}

void halve_finish(const Row& row, const Case& c, const std::string& where, RowInput& input, Shown& shown) {
  const Contract own = own_contract(row);
  const RowFacts& facts = input.condition.facts();
  const RowAllowance whole(own, c.x.dtype, facts, c.eps);
  if (!whole.in_range() || !whole.in_range(input.gamma_largest, input.beta_largest)) return;
  const Observation observed = run_case(row, c);
  each_term(first_of_finish, BoundTerm::count, [&](BoundTerm term) {
    const Shown::Use use{term, std::string(row.name)};
    if (shown.by.contains(use)) return;
    const RowAllowance halved(own, c.x.dtype, facts, c.eps, term);
    Compared compared;
    for (std::int64_t i = 0; i < row_length(c); ++i) {
      const ElementFacts e = input.element(i).facts;
      const double all = whole.y_error_rounded_up(e), rest = halved.y_error_rounded_up(e);
      if (all == rest || !std::isfinite(observed.y.value(i))) continue;
      compared.add(observed.y.value(i), input.exact_row().y(i, input.gamma_at(i), input.beta_at(i)), all,
                   rest);
    }
    shown.exceeded += !compared.kept;
    if (compared.changed) shown.used.insert(use);
    if (compared.exceeded) shown.by.emplace(use, where);
  });
}

/// Every row of every case of corpus/worst that is not too long for bounds by the hundred.
Shown show(const std::vector<MomentSubject>& subjects, bool finishes) {
  constexpr std::int64_t longest = 2048;
  Shown shown;
  for (const Case& c : worst_corpus()) {
    if (row_length(c) > longest) continue;
    RowInput input(c);
    for (std::int64_t r = 0; r < row_count(c); ++r) {
      if (!input.load(r, true)) continue;
      const std::string where = fmt::format("{} row {}", c.id, r);
      for (const MomentSubject& subject : subjects)
        if (subject.dtype == c.x.dtype) halve_moments(subject, where, input, shown);
      if (!finishes || row_count(c) > 1 || row_length(c) > 64) continue;
      for (const Row& row : table())
        if (offers(row, c.x.dtype) && row.variant.build == Build::plain)
          halve_finish(row, c, where, input, shown);
    }
  }
  return shown;
}

bool is_growth(BoundTerm term) { return term == BoundTerm::mean_sum || term == BoundTerm::two_pass_sum; }

const Unshown* listed(BoundTerm term, std::string_view bound) {
  for (const Unshown& u : unshown_terms())
    if (u.term == term && (u.bound.empty() || u.bound == bound)) return &u;
  return nullptr;
}

// A term stands in one place of the source, whichever bounds it is part of: one of them is enough. But how a
// sum's error grows is each summation's own.
TEST(Mutation, EveryConstantHalvedIsExceeded) {
  const Shown shown = show(moment_subjects(), true);
  EXPECT_EQ(shown.exceeded, 0);
  std::size_t terms = 0, without = 0;
  each_term(first, BoundTerm::count, [&](BoundTerm term) {
    ++terms;
    std::vector<std::string> by, of, missed;
    for (const Shown::Use& use : shown.used) {
      if (use.first != term) continue;
      of.push_back(use.second);
      const auto at = shown.by.find(use);
      if (at == shown.by.end()) {
        missed.push_back(use.second);
      } else {
        by.push_back(fmt::format("{} on {}", use.second, at->second));
        EXPECT_EQ(listed(term, use.second), nullptr) << term_name(term) << " is shown: " << by.back();
      }
    }
    EXPECT_FALSE(of.empty()) << term_name(term) << " is in no bound";
    std::string_view why;
    if (is_growth(term)) {
      for (const std::string& bound : missed)
        EXPECT_NE(listed(term, bound), nullptr)
            << term_name(term) << " of " << bound << " is shown by no row";
    } else if (by.empty()) {
      const Unshown* known = listed(term, "");
      EXPECT_NE(known, nullptr) << term_name(term) << " is shown by no row";
      if (known != nullptr) why = known->why;
      ++without;
    }
    fmt::print("{:27}{:>3} of {:<4}{}\n", term_name(term), by.size(), of.size(),
               by.empty() ? fmt::format("none: {}", why) : by.front());
  });
  fmt::print(
      "{} terms, {} uses in bounds; halved, {} terms and {} uses are exceeded by a row, {} terms by none\n",
      terms, shown.used.size(), terms - without, shown.by.size(), without);
}

MomentBound loose(const RowFacts& facts, const Working& f) {
  MomentBound out = TwoPass::bound(facts, f);
  out.mean = out.mean * Upward(2.0);
  out.variance = out.variance * Upward(2.0);
  return out;
}

TEST(Mutation, ABoundThatIsLooseByTwoIsSeen) {
  std::vector<MomentSubject> planted;
  for (MomentSubject& subject : moment_subjects()) {
    if (subject.bound != TwoPass::bound) continue;
    subject.bound = loose;
    planted.push_back(subject);
  }
  const Shown shown = show(planted, false);
  EXPECT_GT(shown.used.size(), 6U);
  EXPECT_EQ(shown.by.size(), 0U);
  fmt::print("planted: two_pass's bounds doubled: of {} terms in them {} are exceeded when halved\n",
             shown.used.size(), shown.by.size());
}

}  // namespace
}  // namespace normcheck

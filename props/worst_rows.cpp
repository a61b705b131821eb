// Rows built so that rounding errors add up. u = 2^-24 throughout: one half ulp of a number in [1, 2).
#include "props/worst_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "impl/algorithms/chan.h"
#include "impl/arithmetic/native.h"

namespace normcheck {
namespace {

using Values = std::vector<double>;
constexpr double u = 0x1p-24, ulp_of_one = 2 * u;

Case worst_case(std::string id, double eps, const Values& x, std::string note, DType dtype = DType::f32) {
  Case c;
  c.id = std::move(id);
  c.eps = eps;
  c.x = Tensor(dtype, {1, static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) c.x.set_value(static_cast<std::int64_t>(i), x[i]);
  c.notes = {std::move(note)};
  return c;
}

/// 1 and then n-1 times `rest`.
Values one_and(std::size_t n, double rest) {
  Values x(n, rest);
  x[0] = 1;
  return x;
}

/// Every difference from c is less than half an ulp after its division by the count: the mean stays c.
/// Each `stride` elements are equal, so that each of `stride` lanes is such a row.
Values ramp(std::size_t n, double c, std::size_t stride) {
  Values x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(c * (1 + ulp_of_one * static_cast<double>(i / stride / 2)));
  return x;
}

/// Four ones that cancel, then +-2^-11, which cancel too: the mean is exact, and each later square, 2^-22, is
/// half an ulp of the sum of the first four, a tie that goes down.
Values square_ties(std::size_t n) {
  Values x;
  for (std::size_t i = 0; i < n; ++i) x.push_back((i % 2 == 0 ? 1 : -1) * (i < 4 ? 1 : 0x1p-11));
  return x;
}

using Places = std::vector<std::size_t>;

/// Where a number joins the sum that the first element is in, and nothing else does: the longest way. In
/// NumPy's blocked sum of 128 * 2^levels: lane 0, then one number in each part that is joined to it.
Places numpy_spine(std::size_t n) {
  Places out;
  for (std::size_t i = 0; i < 128; i += 8) out.push_back(i);
  for (std::size_t lane = 1; lane < 8; lane *= 2) out.push_back(lane);
  for (std::size_t part = 128; part < n; part *= 2) out.push_back(part);
  return out;
}
/// In the cascade of steps of 16: the first step, then one number in each.
Places cascade_spine(std::size_t n) {
  Places out;
  for (std::size_t i = 0; i < 16; ++i) out.push_back(i);
  for (std::size_t i = 16; i < n; i += 16) out.push_back(i);
  return out;
}
/// In a block of 256 threads: the first thread's, then one number a shuffle.
Places warp_spine(std::size_t n) {
  Places out;
  for (std::size_t i = 0; i < n; i += 256) out.push_back(i);
  for (std::size_t lane = 16; lane > 0; lane /= 2) out.push_back(lane);
  for (std::size_t warp = 4; warp > 0; warp /= 2) out.push_back(warp * 32);
  return out;
}

/// Each element is chosen between c and c(1 + 2nu) so that its addition loses as much as it can.
Values greedy(std::size_t n, double c) {
  Values x;
  float s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double best = c, best_lost = -1;
    for (std::size_t j = 0; j <= n; ++j) {
      const double v = c * (1 + ulp_of_one * static_cast<double>(j));
      const double lost = (double{s} + v) - double{s + static_cast<float>(v)};
      if (lost > best_lost) best = v, best_lost = lost;
    }
    x.push_back(best);
    s += static_cast<float>(best);
  }
  return x;
}

/// The lower half of the lanes at 1, the upper half one ulp above: the last merge moves the mean by half an
/// ulp, a tie that goes down; all others are exact.
Values merge_tie(int lanes) {
  Values x;
  for (int i = 0; i < 16; ++i) x.push_back(i % lanes < lanes / 2 ? 1 : 1 + ulp_of_one);
  return x;
}

/// The upper half of the lanes merges to a mean that is off by half an ulp, as in merge_tie; the lower half
/// is far away, so that this error meets a large gap.
Values merge_gap(int lanes) {
  Values x;
  for (int i = 0; i < 16; ++i) {
    const int lane = i % lanes;
    x.push_back(lane < lanes / 2 ? 1 + 0x1p-8 : lane < lanes * 3 / 4 ? 1 : 1 + ulp_of_one);
  }
  return x;
}

/// `big` at `at[0], at[1], ...`, then `small` at the other places in turn, of alternating sign if `big` is.
Values placed(std::size_t n, const std::vector<std::size_t>& at, const Values& big, double small) {
  Values x(n, 0);
  double sign = 1;
  for (std::size_t i = 0; i < at.size(); ++i) {
    x[at[i]] = i < big.size() ? big[i] : sign * small;
    if (i >= big.size() && big.size() > 1) sign = -sign;
  }
  return x;
}

/// After 1 and -1 each number is chosen so that its product, half an ulp of Welford's running sum of squares
/// or less, is lost.
Values welford_square_ties(std::size_t n) {
  Values x = {1, -1};
  Partial<float> p = welford_partial(std::span<const float>(std::vector<float>{1, -1}));
  while (x.size() < n) {
    Partial<float> after;
    double best = 0, best_lost = -1;
    for (int j = -400; j < 400; ++j) {
      const auto v =
          static_cast<float>((j < 0 ? -1 : 1) * std::sqrt(2 * u) * (0.8 + 0.001 * (j < 0 ? -j : j)));
      Partial<float> next = p;
      welford_add(next, v);
      const double product = double{v - p.mean} * double{v - next.mean};
      const double lost = double{p.square_dev} + product - double{next.square_dev};
      if (lost > best_lost) best = v, best_lost = lost, after = next;
    }
    x.push_back(best);
    p = after;
  }
  return x;
}

/// A block with S just above 2, then blocks as large as all before them, 2^levels times 8 numbers in all:
/// each has an S of its own, and a gap, that are both just under half an ulp of the first's S, so that both
/// additions of each merge lose them.
Values chan_square_ties(int levels) {
  Values x(8, 0);
  x[7] = static_cast<float>(std::sqrt(16.0 / 7) * (1 + 1e-6));
  for (int level = 0; level < levels; ++level) {
    const std::vector<float> narrow(x.begin(), x.end());
    const double before = Chan::partial(std::span<const float>(narrow)).mean;
    const double size = static_cast<double>(x.size()), tie = 0.995 * 2 * u;
    const double mean = before + (before > 0 ? -1 : 1) * std::sqrt(2 * tie / size),
                 apart = std::sqrt(tie / 2);
    Values block(x.size(), static_cast<float>(mean));
    block[0] = static_cast<float>(mean + apart);
    block[1] = static_cast<float>(mean - apart);
    x.insert(x.end(), block.begin(), block.end());
  }
  return x;
}

/// For each sum that can come out, the leaves (in units of 2u above 1) with the largest exact sum.
struct Leaves {
  std::int64_t units = 0;
  std::vector<std::uint8_t> of;
};
using Reachable = std::map<float, Leaves>;

Reachable joined(const Reachable& a, const Reachable& b) {
  Reachable out;
  for (const auto& [s, left] : a) {
    for (const auto& [t, right] : b) {
      Leaves& to = out[s + t];
      const std::int64_t units = left.units + right.units;
      if (!to.of.empty() && to.units >= units) continue;
      to.units = units;
      to.of = left.of;
      to.of.insert(to.of.end(), right.of.begin(), right.of.end());
    }
  }
  return out;
}

/// The best row of 8m numbers from 1 up for NumPy's blocked sum: eight running sums of m, then a tree. A sum
/// at the bottom of its binade that loses half an ulp has one odd part and comes out even, so that what it is
/// added to must lose less.
Values parity(std::size_t m, int choices) {
  Reachable leaf;
  for (int j = 0; j < choices; ++j)
    leaf[static_cast<float>(1 + ulp_of_one * j)] = Leaves{j, {static_cast<std::uint8_t>(j)}};
  Reachable sums = leaf;
  for (std::size_t i = 1; i < m; ++i) sums = joined(sums, leaf);
  for (int level = 0; level < 3; ++level) sums = joined(sums, sums);
  const auto lost = [](const auto& entry) {
    const double size = static_cast<double>(entry.second.of.size());
    return size + ulp_of_one * static_cast<double>(entry.second.units) - double{entry.first};
  };
  const auto best = std::max_element(sums.begin(), sums.end(),
                                     [&](const auto& a, const auto& b) { return lost(a) < lost(b); });
  Values x(8 * m);
  for (std::size_t i = 0; i < x.size(); ++i) x[i % m * 8 + i / m] = 1 + ulp_of_one * best->second.of[i];
  return x;
}

}  // namespace

std::vector<Case> worst_cases() {
  const Values ones = {1}, cancelling = {1, -1, 1, -1};
  Values reversed_ties = one_and(64, u), reversed_squares = square_ties(256);
  std::reverse(reversed_ties.begin(), reversed_ties.end());
  std::reverse(reversed_squares.begin(), reversed_squares.end());
  Values shifted_squares = one_and(64, 0x1p-12);
  shifted_squares.insert(shifted_squares.begin(), 0.0);
  const float full = 1000.1F;
  Values neighbour(256, full);
  neighbour[255] = std::nextafter(full, 2000.0F);
  Values lost(16, 1);
  lost[15] = 1 + 8 * ulp_of_one;
  Values chan_gap(16, 1);
  std::fill_n(chan_gap.begin(), 8, 1 + 0x1p-8);
  chan_gap[15] = 1 + 4 * ulp_of_one;
  Values up_twice(63, 0);
  up_twice[0] = 64;
  up_twice[1] = 64 * u * (1 + 0x1p-10);
  Values shifted_ties = one_and(64, u), rest_ties = one_and(64, u);
  shifted_ties.insert(shifted_ties.begin(), 0.0);
  rest_ties.back() = -1;
  Values two_percent(4096, 131);
  for (std::size_t i = 49; i < two_percent.size(); i += 50) two_percent[i] = 132;
  return {
      worst_case(
          "bf16-two-percent", 1e-5, two_percent,
          "131, and each fiftieth one ulp above: squares of bf16 are exact in f32, their running sum is "
          "not",
          DType::bf16),
      worst_case("cascade-spine", 1, placed(256, cascade_spine(256), ones, u),
                 "the longest way through cascade_sum: 1, then 2^-24 wherever something joins its sum; each "
                 "addition is a tie that goes down"),
      worst_case("cascade-square-spine", 1e-5, placed(240, cascade_spine(240), cancelling, 0x1p-11),
                 "the same way for the squares: 1 -1 1 -1 sum to 4, then +-2^-11, whose squares are ties; "
                 "the mean is exactly 0"),
      worst_case("chan-gap", 1e-5, chan_gap,
                 "blocks of eight: one all 1+2^-8, one whose last update is a tie that goes down; the error "
                 "of its mean meets the gap"),
      worst_case(
          "chan-square-ties", 1e-5, chan_square_ties(7),
          "blocks of eight merged seven times: both additions of each merge lose nearly half an ulp of S"),
      worst_case("constant", 1e-5, Values(1000, full),
                 "1000 times 1000.1 as f32, a full significand: sums of it round, and two-pass takes the "
                 "error of its mean for a deviation"),
      worst_case(
          "greedy", 1, greedy(256, 1),
          "near 1: each number is chosen so that its addition to the running sum loses as much as it can"),
      worst_case("lane-ramp", 1e-5, ramp(512, 1024, 8),
                 "a ramp as ramp-16 in each of eight lanes: all eight running means stay at 1024"),
      worst_case("lost-update", 1, lost,
                 "fifteen ones, then 1+2^-20: the last update of a running mean, half an ulp, is a tie that "
                 "goes down"),
      worst_case("merge-gap-16", 1e-5, merge_gap(16),
                 "sixteen lanes: the upper eight merge to a mean half an ulp too low, the lower eight are "
                 "2^-8 away"),
      worst_case("merge-gap-4", 1e-5, merge_gap(4), "as merge-gap-16, in four lanes"),
      worst_case("merge-gap-8", 1e-5, merge_gap(8), "as merge-gap-16, in eight lanes"),
      worst_case(
          "merge-tie-16", 1, merge_tie(16),
          "sixteen lanes, eight of them at 1 and eight one ulp above: the last merge moves the mean by half "
          "an ulp, a tie that goes down"),
      worst_case("merge-tie-4", 1, merge_tie(4), "as merge-tie-16, in four lanes"),
      worst_case("merge-tie-8", 1, merge_tie(8), "as merge-tie-16, in eight lanes"),
      worst_case("neighbour", 1e-5, neighbour,
                 "255 equal numbers and their upper neighbour: the largest mean that a row can have against "
                 "its spread"),
      worst_case("pairwise-parity", 1e-5, parity(4, 8),
                 "near 1, in eight lanes of four: by search over all sums that can come out, the row whose "
                 "blocked sum loses most"),
      worst_case("pairwise-spine", 1, placed(128, numpy_spine(128), ones, u),
                 "the longest way through NumPy's blocked sum: 1, then 2^-24 wherever something joins its "
                 "sum; each addition is a tie that goes down"),
      worst_case("pairwise-square-spine", 1e-5, placed(1024, numpy_spine(1024), cancelling, 0x1p-11),
                 "the same way for the squares: 1 -1 1 -1 sum to 4, then +-2^-11, whose squares are ties; "
                 "the mean is exactly 0"),
      worst_case("ramp-16", 1e-5, ramp(16, 1024, 1),
                 "1024 (1 + 2^-23 floor(i/2)): every update of a running mean is less than half an ulp and "
                 "is lost; it stays at 1024"),
      worst_case("ramp-256", 1e-5, ramp(256, 1024, 1), "as ramp-16, longer"),
      worst_case("ramp-4096", 1e-5, ramp(4096, 1024, 1),
                 "as ramp-16, longer: 1024 to 1024.25 looks harmless, a running mean puts y off by sqrt 3"),
      worst_case("rest-tie-chain", 1, rest_ties,
                 "tie-chain and then -1: the mean of the rest is lost as the mean was"),
      worst_case("square-ties", 1e-5, square_ties(256),
                 "1 -1 1 -1 sum to 4 as squares, each later square, 2^-22, is half an ulp of that: a tie "
                 "that goes down; the mean is exactly 0"),
      worst_case("square-ties-one-pass", 1e-5, one_and(64, 0x1p-12),
                 "1, then 2^-12: each later square is half an ulp of the running sum of squares"),
      worst_case("square-ties-reversed", 1e-5, reversed_squares, "square-ties from the end"),
      worst_case(
          "square-ties-shifted", 1e-5, shifted_squares,
          "0, then square-ties-one-pass: differences from the first element are the numbers themselves"),
      worst_case("tie-chain", 1, one_and(64, u),
                 "1, then 2^-24: every addition is a tie that goes down, the sum stays 1"),
      worst_case("tie-chain-reversed", 1, reversed_ties, "tie-chain from the end"),
      worst_case("tie-chain-shifted", 1, shifted_ties, "0, then tie-chain"),
      worst_case(
          "up-twice", 1, up_twice,
          "64 and just over half an ulp: the sum goes up by half an ulp, and so does its quotient by 63"),
      worst_case("square-ties-welford", 1e-5, welford_square_ties(64),
                 "1 -1, then numbers whose products are lost in a running sum of squares"),
      worst_case("warp-spine", 1, placed(1024, warp_spine(1024), ones, u),
                 "the longest way through a block of 256 threads: 1, then 2^-24 wherever something joins its "
                 "sum; each addition is a tie that goes down"),
      worst_case("warp-square-spine", 1e-5, placed(2048, warp_spine(2048), cancelling, 0x1p-11),
                 "the same way for the squares: 1 -1 1 -1 sum to 4, then +-2^-11, whose squares are ties; "
                 "the mean is exactly 0"),
  };
}

}  // namespace normcheck

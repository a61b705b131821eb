// Every row of two finite numbers of f16 and bf16, or of two of f16 before a third that stays, through the
// careful algorithms and past the exact y:
//   normcheck_exhaustive [--slices] [--share K] [--whole N] [--threads T] [--out FILE] [--planted]
// --slices: rows of three, for each of 16 thirds. K: one x1 in K (default 1), but all in the first N lines.
// T: as many as there are cores. FILE: the table in Markdown. --planted: a divisor of n-1 in the algorithm's
// place, which must be seen. Exit 0: all as it should be; 1: not.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "corpus/case.h"
#include "corpus/dtype.h"
#include "impl/table.h"
#include "oracles/exact.h"
#include "oracles/filter/filter.h"
#include "oracles/judge.h"
#include "reports/exhaustive/pairs.h"

namespace normcheck {
namespace {

constexpr const char* kNames[] = {"two_pass/f32", "welford/f32", "compensated_mean/f32", "a divisor of n-1"};

/// What was seen of one algorithm, dtype and eps.
struct Seen {
  std::int64_t rows = 0, outside = 0, elements = 0, not_rounded = 0, by_exact = 0;
  std::int64_t compared = 0, contradicted = 0;  ///< with the row of the table, and with the exact oracle
  double largest = 0;                           ///< |error| in ulp
  float x1 = 0, x2 = 0;                         ///< where
  void take(double error, float a, float b) {
    // Of equal errors, which are the rule, the first row: whichever thread is done first.
    const bool earlier = error == largest && std::pair(a, b) < std::pair(x1, x2);
    if (error > largest || earlier) largest = error, x1 = a, x2 = b;
  }
  void add(const Seen& s) {
    rows += s.rows, outside += s.outside, elements += s.elements, not_rounded += s.not_rounded;
    by_exact += s.by_exact, compared += s.compared, contradicted += s.contradicted;
    take(s.largest, s.x1, s.x2);
  }
  /// As if each row had been seen with x1 and x2 in the other order too.
  void count_twice() {
    for (std::int64_t* count : {&rows, &outside, &elements, &not_rounded, &by_exact}) *count *= 2;
  }
};

/// In ascending order, +0 for both zeros' sake once each.
std::vector<float> finite_values(DType dtype) {
  std::vector<float> out;
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    const double v = to_double(dtype, bits);
    if (std::isfinite(v)) out.push_back(static_cast<float>(v));
  }
  std::stable_sort(out.begin(), out.end());
  return out;
}

/// The thirds of f16: zero, subnormal and least normal numbers, both sides of 1, of either sign, numbers with
/// full and empty fractions, odd and even integers, up to both ends of the range.
constexpr float kThirds[] = {0,          0x1.004p0f,  0x1p-24f,    0x1.ffcp15f, 0x1p0f,  -0x1.ff8p-15f,
                             0x1p-14f,   0x1p-9f,     0x1.554p-2f, 0x1.ffcp-1f, -0x1p0f, 0x1.92p1f,
                             -0x1.77p6f, 0x1.ffcp10f, 0x1p15f,     -0x1.ffcp15f};

struct Question {
  int algorithm;
  DType dtype;
  double eps;
  bool three = false;
  float x3 = 0;
  std::int64_t n() const { return three ? 3 : 2; }
  /// Whether y1 and y2 change places where x1 and x2 do, all else the same: every sum of the algorithm begins
  /// with the first two terms, which commute. Of Welford's update they do not.
  bool symmetric() const { return three && algorithm != 1; }
};

/// All outputs of rows (x1, x2[k]) of which neither sum nor square leaves f32, or (x1, x2[k], x3) of f16.
class Worker {
 public:
  Worker(const Question& q, const std::vector<float>& values) : question_(q), values_(values) {}

  /// Every row that begins with the i-th value; where `both_orders`, of the rows of two values, which are not
  /// one, those in ascending order, each for two.
  void take(std::size_t i, bool both_orders) {
    if (!both_orders) return take(values_[i]);
    const Seen before = std::exchange(seen, {});
    take_chunks(values_[i], values_.data() + i + 1, static_cast<std::int64_t>(values_.size() - i) - 1);
    seen.count_twice();
    seen.add(before);
    take_chunks(values_[i], values_.data() + i, 1);
    compare(values_[i], values_.data() + i, static_cast<std::int64_t>(values_.size() - i));
  }

  void take(float x1) {
    // |x1 + x2| and (x1 - x2)^2/2 below the largest float, by a margin: an interval of x2.
    const double a = x1, reach = 0x1p+64;
    const double low = std::max(a - reach, -0x1p+127 - a), high = std::min(a + reach, 0x1p+127 - a);
    const auto first = std::lower_bound(values_.begin(), values_.end(), low, std::less<double>());
    const auto last = std::upper_bound(first, values_.end(), high, std::less<double>());
    const std::int64_t n = last - first, all = static_cast<std::int64_t>(values_.size());
    seen.outside += all - n;
    if (n == 0) return;
    take_chunks(x1, &*first, n);
    compare(x1, &*first, n);
  }

  /// Whether the row keeps the bound of its algorithm (a fault: of two_pass), by the judge.
  bool keeps_bound(float x1, float x2) {
    normcheck_abi::PairSummary summary;
    run(x1, &x2, 1, summary);
    const Case c = case_of(x1, x2);
    Observation o;
    o.y = Tensor(question_.dtype, {1, question_.n()});
    for (std::int64_t i = 0; i < question_.n(); ++i) o.y.set_bits(i, y_[i]);
    const Row* row = find_row(kNames[question_.algorithm % 3]);
    return !is_finding(judge(c, o, {ContractKind::own, row}).verdict);
  }

  Seen seen;

 private:
  /// So many rows at a time, which the nearest caches hold.
  static constexpr std::int64_t kChunk = 1024;

  void take_chunks(float x1, const float* x2, std::int64_t n) {
    seen.rows += n;
    for (std::int64_t at = 0; at < n; at += kChunk) take(x1, x2 + at, std::min(n - at, kChunk));
  }
  void run(float x1, const float* x2, std::int64_t n, normcheck_abi::PairSummary& summary) {
    normcheck_abi::normcheck_build_pairs(
        {question_.algorithm, question_.dtype == DType::bf16, question_.three, question_.eps, x1,
         question_.x3, x2, n, y_, error_, uncertainty_},
        summary);
  }
  void take(float x1, const float* x2, std::int64_t n) {
    normcheck_abi::PairSummary summary;
    run(x1, x2, n, summary);
    const std::int64_t outputs = question_.n() * n;
    seen.elements += outputs;
    seen.not_rounded += summary.not_rounded;
    if (summary.open == 0 && !(summary.largest > seen.largest)) return;
    for (std::int64_t k = 0; k < outputs; ++k) {
      const double size = std::fabs(error_[k]), u = uncertainty_[k];
      const bool sure = (size + u < 0.5 || size - u > 0.5) && u < normcheck_abi::pair_error_good;
      if (sure)
        seen.take(size, x1, x2[k % n]);
      else
        settle(x1, x2[k % n], k / n, y_[k]);
    }
  }
  Case case_of(float x1, float x2) const {
    Case c;
    c.eps = question_.eps;
    c.x = Tensor(question_.dtype, {1, question_.n()});
    c.x.set_value(0, x1);
    c.x.set_value(1, x2);
    if (question_.three) c.x.set_value(2, question_.x3);
    return c;
  }
  ExactValue exact_of(float x1, float x2, std::int64_t i) const {
    const double x[3] = {x1, x2, question_.x3};
    return ExactRow(x, question_.n(), question_.eps).y(i, 1, 0);
  }
  void settle(float x1, float x2, std::int64_t i, std::uint16_t got) {
    ++seen.by_exact;
    const ExactValue y = exact_of(x1, x2, i);
    if (to_double(question_.dtype, y.round(question_.dtype)) != to_double(question_.dtype, got))
      ++seen.not_rounded;
    seen.take(std::fabs(y.error_ulp(question_.dtype, got)), x1, x2);
  }
  /// Two rows of every x1: the same bits as the row of the table gives, also of the row's other order, where
  /// the question is symmetric, and the error within its uncertainty.
  void compare(float x1, const float* x2, std::int64_t n) {
    if (question_.algorithm > 2) return;
    for (const std::int64_t k : {n / 3, n - 1}) {
      normcheck_abi::PairSummary summary;
      run(x1, x2 + k, 1, summary);
      const Observation o = run_case(*find_row(kNames[question_.algorithm]), case_of(x1, x2[k]), {});
      for (std::int64_t i = 0; i < question_.n(); ++i) {
        const double error = exact_of(x1, x2[k], i).error_ulp(question_.dtype, y_[i]);
        ++seen.compared;
        if (o.y.bits(i) != y_[i] ||
            !(std::fabs(error - error_[i]) <= uncertainty_[i] + 0x1p-50 * std::fabs(error)))
          ++seen.contradicted;
      }
      if (!question_.symmetric()) continue;
      const Observation other = run_case(*find_row(kNames[question_.algorithm]), case_of(x2[k], x1), {});
      if (other.y.bits(0) != y_[1] || other.y.bits(1) != y_[0] || other.y.bits(2) != y_[2])
        ++seen.contradicted;
    }
  }

  const Question question_;
  const std::vector<float>& values_;
  std::uint16_t y_[3 * kChunk] = {};
  double error_[3 * kChunk] = {}, uncertainty_[3 * kChunk] = {};
};

Seen sweep(const Question& q, std::int64_t share, unsigned threads) {
  const std::vector<float> values = finite_values(q.dtype);
  std::atomic<std::size_t> next{0};
  std::mutex lock;
  Seen out;
  std::vector<std::thread> crew;
  for (unsigned t = 0; t < threads; ++t) {
    crew.emplace_back([&] {
      Worker worker(q, values);
      for (std::size_t i = next++; i < values.size(); i = next++) {
        if (static_cast<std::int64_t>(i) % share == static_cast<std::int64_t>(share / 2))
          worker.take(i, share == 1 && q.symmetric());
      }
      const std::lock_guard<std::mutex> guard(lock);
      out.add(worker.seen);
    });
  }
  for (std::thread& t : crew) t.join();
  return out;
}

struct Options {
  std::int64_t share = 1, whole = 0, threads = 0;
  std::string file;
  bool planted = false, slices = false;
};

/// The sweep as a line of the table, and in words; false if something is not as it should be.
bool answer(const Question& q, std::int64_t share, unsigned threads, std::string& table) {
  const auto start = std::chrono::steady_clock::now();
  const Seen s = sweep(q, share, threads);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const std::string third = q.three ? fmt::format(", {:a}", q.x3) : "";
  const std::string of = q.three ? fmt::format(" {:a} | 1/{} |", q.x3, share) : "";
  table += fmt::format("| {} | {} | {:g} |{} {} | {} | {} | {} | {:.6g} | ({:a}, {:a}{}) | {} |\n",
                       dtype_name(q.dtype), kNames[q.algorithm], q.eps, of, s.rows, s.outside, s.elements,
                       s.not_rounded, s.largest, s.x1, s.x2, third, s.by_exact);
  fmt::print(
      "{} {} eps {:g}: {} rows ({} outside), {} of {} outputs not correctly rounded, largest error {:.6g} "
      "ulp "
      "at ({:a}, {:a}{}), {} settled by integers, {} compared, {} contradicted, {:.1f} s on {} threads\n",
      dtype_name(q.dtype), kNames[q.algorithm], q.eps, s.rows, s.outside, s.not_rounded, s.elements,
      s.largest, s.x1, s.x2, third, s.by_exact, s.compared, s.contradicted, spent.count(), threads);
  std::fflush(stdout);
  if (s.rows == 0 || s.contradicted > 0) return false;
  // The row of the largest error is held to the algorithm's own bound. Of two that row may be nearer to the
  // end of the range than the bound reaches; but x - mean is half a difference there, so that y is faithful:
  // below 1 ulp.
  const bool fault = q.algorithm == 3;
  const std::vector<float> none;
  const bool kept = Worker(q, none).keeps_bound(s.x1, s.x2) && (q.three || s.largest < 1);
  return kept != fault;
}

constexpr const char* kPairsTable =
    "# Every row of two\n\nEvery ordered pair of finite numbers as a row, eps inside the root, f32 "
    "accumulate, "
    "against the exact y: `./run exhaustive` writes this file. A row is outside where its sum or a square "
    "comes near the largest f32; there nothing is claimed.\n\n"
    "| dtype | algorithm | eps | rows | outside | outputs | not correctly rounded | largest error, ulp | at "
    "| "
    "settled by integers |\n|---|---|---|---|---|---|---|---|---|---|\n";
constexpr const char* kSlicesTable =
    "\n# Rows of three, by their third number\n\nRows (x1, x2, c) of f16, likewise, for every ordered pair "
    "(x1, x2) of finite numbers where the share is 1/1; else for one x1 in so many, evenly spaced, and every "
    "x2. Of two_pass and compensated_mean, all of whose sums begin with the first two terms, (x1, x2, c) was "
    "computed for (x2, x1, c) too, and the row of the table asked whether that is so for two x2 of every "
    "x1.\n\n| dtype | algorithm | eps | c | share | rows | outside | outputs | not correctly rounded | "
    "largest error, ulp | at | settled by integers |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";

int run(const Options& options) {
  std::string table = options.slices ? kSlicesTable : kPairsTable;
  bool good = true;
  std::int64_t asked = 0;
  const unsigned threads = options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::max(1U, std::thread::hardware_concurrency());
  const auto ask_all = [&](DType dtype, bool three, float x3) {
    for (int algorithm = options.planted ? 3 : 0; algorithm < (options.planted ? 4 : 3); ++algorithm)
      for (const double eps : {1e-5, 1e-12})
        good = answer({algorithm, dtype, eps, three, x3}, asked++ < options.whole ? 1 : options.share,
                      threads, table) &&
               good;
  };
  if (options.slices) {
    for (const float x3 : kThirds) ask_all(DType::f16, true, x3);
  } else {
    for (const DType dtype : {DType::f16, DType::bf16}) ask_all(dtype, false, 0);
  }
  if (!options.file.empty()) {
    std::ofstream out(options.file, std::ios::binary);
    out << table;
    out.close();
    if (!out) {
      fmt::print(stderr, "normcheck_exhaustive: {}: cannot be written\n", options.file);
      return 2;
    }
  }
  fmt::print("{}\n", good ? "all as it should be" : "not as it should be");
  return good ? 0 : 1;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--planted") {
      options.planted = true;
    } else if (word == "--slices") {
      options.slices = true;
    } else if (word == "--share" && i + 1 < argc && std::atoll(argv[i + 1]) > 0) {
      options.share = std::atoll(argv[++i]);
    } else if (word == "--whole" && i + 1 < argc && std::atoll(argv[i + 1]) > 0) {
      options.whole = std::atoll(argv[++i]);
    } else if (word == "--threads" && i + 1 < argc && std::atoll(argv[i + 1]) > 0) {
      options.threads = std::min(std::atoll(argv[++i]), 1024LL);
    } else if (word == "--out" && i + 1 < argc) {
      options.file = argv[++i];
    } else {
      fmt::print(stderr,
                 "normcheck_exhaustive: {}: expected --slices, --whole N, --share K, --threads T, --out FILE "
                 "or --planted\n",
                 word);
      return 2;
    }
  }
  if (filter::widest() == filter::InstructionSet::baseline && NORMCHECK_PAIRS_AVX2) {
    fmt::print("skipped: built for AVX2 and F16C, which this processor has not\n");
    return 77;
  }
  return run(options);
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) { return normcheck::run(argc, argv); }

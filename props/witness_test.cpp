// Promise: a third witness, MPFR, rounds y as the exact oracle and the filter do, but for exact ties.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "oracles/exact.h"
#include "props/filter_rows.h"
#include "props/oracle_pair.h"
#include "props/promise.h"
#include "props/witness_mpfr.h"

namespace normcheck {
namespace {

struct Heard {
  std::int64_t elements = 0, certified = 0, ties = 0, differ_on_ties = 0, wrong = 0;
  /// Outputs that the exact oracle contradicts and the filter decides; of those, what the filter lets pass.
  std::int64_t certified_otherwise = 0, undenied = 0;
  std::string first;
};

/// 1500 digits hold every sum of doubles of the exponents that are drawn, and leave hundreds beyond. `by` > 0
/// plants a fault: outputs of the witness moved by so many numbers.
void hear(DType dtype, CounterRng& rng, int by, Heard& heard) {
  const Problem p = draw_problem(rng, dtype);
  const auto n = static_cast<std::int64_t>(p.x.size());
  const ExactRow exact(p.x.data(), n, p.eps);
  if (exact.degenerate()) return;
  std::vector<bool> near_tie;
  const std::vector<std::uint64_t> witness = mpfr_rounded(dtype, p.x, p.eps, p.gamma, p.beta, 1500, near_tie);
  FilterRow row;
  row.dtype = dtype;
  row.eps = p.eps;
  for (const double v : p.x) row.x.push_back(round_to(dtype, v));
  row.gamma.assign(p.x.size(), p.gamma);
  row.beta.assign(p.x.size(), p.beta);
  row.got = witness;
  if (by != 0)
    for (auto& g : row.got) g = step(dtype, g, by);
  const Filtered f = filtered(row, filter::widest());
  const std::uint64_t sign = std::uint64_t{1} << (format_of(dtype).bits - 1);
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    ++heard.elements;
    const std::uint64_t want = exact.y(static_cast<std::int64_t>(i), p.gamma, p.beta).round(dtype);
    const filter::Rounded rounded = filter::correctly_rounded(f.error[i], f.uncertainty[i]);
    heard.ties += near_tie[i] ? 1 : 0;
    const bool certified = rounded != filter::Rounded::unknown;
    heard.certified += certified ? 1 : 0;
    const bool zeros = ((want | row.got[i]) & ~sign) == 0;
    const bool same_as_exact = want == row.got[i] || zeros;
    const bool denied = rounded == filter::Rounded::no;
    heard.undenied += certified && !same_as_exact && !denied ? 1 : 0;
    heard.certified_otherwise += certified && !same_as_exact ? 1 : 0;
    if (same_as_exact && !denied) continue;
    if (near_tie[i]) {
      ++heard.differ_on_ties;
    } else if (heard.wrong++ == 0) {
      heard.first =
          fmt::format("{}: exact {:#x}, MPFR {:#x}, the filter {}", describe(p, static_cast<std::int64_t>(i)),
                      want, row.got[i], denied ? "denies it" : "does not deny it");
    }
  }
}

TEST(Witness, RoundsAsTheOraclesDoButForTies) {
  if (!has_mpfr()) GTEST_SKIP() << "built without MPFR (libmpfr-dev)";
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 77);
    Heard heard;
    for (int i = 0; i < (exhaustive() ? 20000 : 1500); ++i) hear(dtype, rng, 0, heard);
    fmt::print(
        "{}: {} elements in 1500 digits, {} decided by the filter too, {} near a tie (differ on {}), {} "
        "wrong\n",
        dtype_name(dtype), heard.elements, heard.certified, heard.ties, heard.differ_on_ties, heard.wrong);
    EXPECT_EQ(heard.wrong, 0) << heard.first;
    EXPECT_EQ(heard.undenied, 0);
    EXPECT_GT(heard.certified, heard.elements / 4);
  }
}

// The fault: a witness that is one number off. The exact oracle and the filter contradict it, each by itself.
TEST(Witness, ThatIsOneNumberOffIsContradicted) {
  if (!has_mpfr()) GTEST_SKIP() << "built without MPFR (libmpfr-dev)";
  CounterRng rng(promise_seed(), 78);
  Heard heard;
  for (int i = 0; i < 200; ++i) hear(DType::f32, rng, 1, heard);
  fmt::print("{} of {} elements contradicted; the filter denies {} of {} that it decides\n", heard.wrong,
             heard.elements, heard.certified_otherwise - heard.undenied, heard.certified_otherwise);
  EXPECT_GT(heard.wrong, heard.elements / 2);
  EXPECT_EQ(heard.undenied, 0);
  EXPECT_GT(heard.certified_otherwise, heard.elements / 4);
}

}  // namespace
}  // namespace normcheck

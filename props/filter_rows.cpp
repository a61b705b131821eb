// Makes the rows, and compares.
#include "props/filter_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "oracles/exact.h"
#include "oracles/filter_row.h"
#include "oracles/quad.h"
#include "props/gen.h"
#include "props/oracle_pair.h"

namespace normcheck {
namespace {

std::vector<unsigned char> packed(DType dtype, const std::vector<std::uint64_t>& bits) {
  const std::size_t size = size_of(dtype);
  std::vector<unsigned char> out(bits.size() * size);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(out.data() + i * size, &bits[i], size);
  return out;
}

std::vector<double> prepared(std::vector<double> v) {
  filter::columns(v.data(), static_cast<std::int64_t>(v.size()), v.data());
  return v;
}

std::vector<double> values_of(const FilterRow& row) {
  std::vector<double> out;
  for (const std::uint64_t b : row.x) out.push_back(to_double(row.dtype, b));
  return out;
}

double at(const std::vector<double>& v, std::size_t i, double absent) { return v.empty() ? absent : v[i]; }

/// sign(exact - (hi + rest)), the sum not rounded; where the two are equal, that of -rest.
int compare_to_sum(const ExactValue& exact, double hi, double rest) {
  const int side = exact.compare(hi), way = rest > 0 ? 1 : rest < 0 ? -1 : 0;
  if (way == 0) return side;
  return side == way && !exact.within(hi, std::fabs(rest)) ? way : -way;
}

/// |hi + lo - exact| <= error/divisor. What is compared is exact - hi, with lo -+ error: rounded outwards to
/// a double, and by one more, that is 2^-105 of hi, where a double near hi + lo would be off by 2^-53 of it.
bool holds(const filter::Certified& c, const ExactValue& exact, double divisor) {
  if (!std::isfinite(c.error)) return true;
  const Quad lo = Quad(c.lo), error = Quad(c.error) / divisor;
  const auto below = [](Quad v) {
    const double d = static_cast<double>(v), least = -std::numeric_limits<double>::infinity();
    return std::nextafter(Quad(d) <= v ? d : std::nextafter(d, least), least);
  };
  return compare_to_sum(exact, c.hi, below(lo - error)) >= 0 &&
         compare_to_sum(exact, c.hi, -below(-(lo + error))) <= 0;
}

std::string describe(const FilterRow& row, std::size_t i) {
  std::string out = fmt::format("{} n {} eps {:a} element {} x {:a} got {:a} gamma {:a} beta {:a}; row",
                                dtype_name(row.dtype), row.n(), row.eps, i, to_double(row.dtype, row.x[i]),
                                to_double(row.dtype, row.got[i]), at(row.gamma, i, 1), at(row.beta, i, 0));
  for (std::size_t k = 0; k < std::min<std::size_t>(row.x.size(), 12); ++k)
    out += fmt::format(" {:a}", to_double(row.dtype, row.x[k]));
  return out;
}

}  // namespace

Filtered filtered(const FilterRow& row, filter::InstructionSet set) {
  const auto x = packed(row.dtype, row.x), got = packed(row.dtype, row.got);
  const std::vector<double> gamma = prepared(row.gamma), beta = prepared(row.beta);
  Filtered out;
  for (auto* v : {&out.reference, &out.error, &out.uncertainty}) v->resize(row.x.size());
  const filter::Rows rows = filter::row_of(row.dtype, x.data(), got.data(), row.n(), row.eps, gamma, beta);
  filter::run(rows, {out.reference.data(), out.error.data(), out.uncertainty.data()}, &out.row, set);
  return out;
}

bool same(const Filtered& a, const Filtered& b) {
  const auto bits = [](const std::vector<double>& p, const std::vector<double>& q) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      // Which NaN it is says nothing.
      if (std::isnan(p[i]) && std::isnan(q[i])) continue;
      if (std::bit_cast<std::uint64_t>(p[i]) != std::bit_cast<std::uint64_t>(q[i])) return false;
    }
    return true;
  };
  const auto flat = [](const filter::RowStatistics& r) {
    return std::vector<double>{static_cast<double>(r.path),
                               r.constant ? 1.0 : 0.0,
                               r.max_abs,
                               r.mean.hi,
                               r.mean.lo,
                               r.mean.error,
                               r.variance.hi,
                               r.variance.lo,
                               r.variance.error,
                               r.rstd.hi,
                               r.rstd.lo,
                               r.rstd.error};
  };
  return bits(flat(a.row), flat(b.row)) && bits(a.reference, b.reference) && bits(a.error, b.error) &&
         bits(a.uncertainty, b.uncertainty);
}

FilterRow row_of_regime(DType dtype, std::uint64_t seed, std::uint64_t index) {
  const auto all = regimes();
  CounterRng rng(seed, 0x66696c74);  // "filt"
  CounterRng own = rng.fork(index);
  GenRequest request;
  request.dtype = dtype;
  request.rows = 1;
  request.n = own.coin(0.1) ? own.between(65, 700) : own.between(1, 64);
  const Case c = make_case(all[index % all.size()], request, seed, index);
  FilterRow out;
  out.dtype = dtype;
  out.eps = c.eps;
  const std::int64_t n = row_length(c);
  for (std::int64_t i = 0; i < n && row_count(c) > 0; ++i) {
    out.x.push_back(c.x.bits(i));
    if (c.gamma) out.gamma.push_back(c.gamma->value(i));
    if (c.beta) out.beta.push_back(c.beta->value(i));
  }
  return out;
}

FilterRow hostile_row(DType dtype, CounterRng& rng, std::uint64_t kind) {
  const Format f = format_of(dtype);
  FilterRow out;
  out.dtype = dtype;
  constexpr double eps[] = {0, 1e-5, 1e-12, 0x1p-1074, 0x1p-20, 1e30, 1e-300, 1e300};
  out.eps = rng.coin(0.3) ? 0 : eps[rng.below(8)];
  const std::int64_t n = kind == 0 ? 1 : rng.between(1, rng.coin(0.1) ? 300 : 20);
  const std::uint64_t base =
      round_to(dtype, std::ldexp(1 + rng.uniform(), static_cast<int>(rng.between(-8, 9))));
  const int lowest = std::max(f.emin - f.precision, -1074), middle = static_cast<int>(rng.between(-60, 40));
  const int span = static_cast<int>(rng.between(20, 130));
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = rng.normal();
    std::uint64_t b = round_to(dtype, v);
    if (kind == 1) b = round_to(dtype, std::ldexp(v, middle + static_cast<int>(rng.between(-30, 30))));
    if (kind == 2) b = round_to(dtype, std::ldexp(v, static_cast<int>(rng.between(lowest, f.emax))));
    if (kind == 3) b = rng.below(40) | (rng.coin() ? std::uint64_t{1} << (f.bits - 1) : 0);  // subnormal
    if (kind == 4) b = step(dtype, base, static_cast<int>(rng.below(2)));                    // neighbours
    if (kind == 5) b = step(dtype, base, i == 0 ? 1 : 0);
    if (kind == 6) b = base;  // constant
    if (kind == 7) b = round_to(dtype, i % 2 == 0 ? 3 : 3.25);
    if (kind == 8) b = rng.next() & ((f.bits == 64 ? 0 : std::uint64_t{1} << f.bits) - 1);  // any pattern
    if (kind == 9) b = round_to(dtype, std::ldexp(v, i == 0 ? span : 0));
    if (kind == 10) b = round_to(dtype, 1000 + v);
    out.x.push_back(b);
  }
  if (kind == 7 && rng.coin()) out.eps = 0;  // y is +-1 or nearly: gamma makes ties of it
  const std::uint64_t affine = rng.below(4);
  for (std::int64_t i = 0; i < n; ++i) {
    double g = rng.coin() ? rng.normal() : std::ldexp(rng.normal(), static_cast<int>(rng.between(-140, 120)));
    if (kind == 7)
      g = std::ldexp(static_cast<double>(2 * rng.below(1U << f.precision % 31) + 1), -f.precision);
    if (kind == 11 && rng.coin(0.2)) g = std::numeric_limits<double>::infinity();
    if (kind == 11 && rng.coin(0.2)) g = std::ldexp(rng.normal(), static_cast<int>(rng.between(-1070, 1000)));
    if ((affine & 1) != 0)
      out.gamma.push_back(static_cast<double>(dtype == DType::f64 ? g : static_cast<float>(g)));
    if ((affine & 2) != 0) out.beta.push_back(to_double(dtype, round_to(dtype, rng.normal())));
  }
  // What is left of y is less than its rounding error.
  if ((affine & 2) != 0 && rng.coin(0.4)) {
    const std::vector<double> x = values_of(out);
    if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) return out;
    const ExactRow exact(x.data(), n, out.eps);
    for (std::size_t i = 0; i < x.size() && !exact.degenerate(); ++i) {
      const double g = at(out.gamma, i, 1);
      if (!std::isfinite(g)) continue;
      out.beta[i] = -to_double(dtype, exact.y(static_cast<std::int64_t>(i), g, 0).round(dtype));
    }
  }
  return out;
}

void draw_outputs(FilterRow& row, CounterRng& rng) {
  row.got.assign(row.x.size(), 0);
  const Filtered f = filtered(row, filter::InstructionSet::baseline);
  const Format format = format_of(row.dtype);
  const std::uint64_t all = format.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << format.bits) - 1;
  for (std::size_t i = 0; i < row.got.size(); ++i) {
    const std::uint64_t near = round_to(row.dtype, f.reference[i]);
    const std::uint64_t kind = rng.below(16);
    row.got[i] = kind == 0 ? rng.next() & all
                 : kind == 1
                     ? round_to(row.dtype, std::ldexp(f.reference[i], static_cast<int>(rng.between(-3, 3))))
                 : kind < 8 ? near
                            : step(row.dtype, near, static_cast<int>(rng.between(-2, 2))) & all;
  }
}

void check_row(const FilterRow& row, const Filtered& f, double divisor, std::int64_t most,
               FilterTally& tally) {
  using filter::Path;
  const std::vector<double> x = values_of(row);
  const bool finite = std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  const auto wrong = [&](const std::string& what, std::size_t i) {
    if (tally.wrong++ == 0) tally.first_wrong = what + ": " + describe(row, i);
  };
  ++tally.rows;
  ++(f.row.path == Path::exact_sums ? tally.by_exact_sums
     : f.row.path == Path::pairs    ? tally.by_pairs
                                    : tally.left);
  if (finite == (f.row.path == Path::nonfinite)) wrong("finite or not", 0);
  if (!finite) return;
  const ExactRow exact(x.data(), row.n(), row.eps);
  if (f.row.path == Path::exact_sums || f.row.path == Path::pairs || f.row.path == Path::degenerate) {
    tally.checks += 3;
    if (exact.degenerate() != (f.row.path == Path::degenerate)) wrong("degenerate or not", 0);
    if (!holds(f.row.mean, exact.mean(), divisor)) wrong("mean", 0);
    if (!holds(f.row.variance, exact.variance(), divisor)) wrong("variance", 0);
    if (!exact.degenerate() && !holds(f.row.rstd, exact.rstd(), divisor)) wrong("rstd", 0);
  }
  const std::int64_t stride = std::max<std::int64_t>(1, row.n() / std::max<std::int64_t>(1, most));
  for (std::size_t i = 0; i < x.size(); i += static_cast<std::size_t>(stride)) {
    const double g = at(row.gamma, i, 1), b = at(row.beta, i, 0), got = to_double(row.dtype, row.got[i]);
    const bool certified = std::isfinite(f.uncertainty[i]);
    if (exact.degenerate() || !std::isfinite(g) || !std::isfinite(b) || !std::isfinite(got)) {
      ++tally.skipped;
      if (certified) wrong("certified where there is no number", i);
      continue;
    }
    if (!certified) {
      ++tally.open;
      continue;
    }
    ++tally.checks;
    tally.largest = std::max(tally.largest, f.uncertainty[i]);
    const ExactValue y = exact.y(static_cast<std::int64_t>(i), g, b);
    // The exact error as a double is off by 2^-50 of itself.
    const double want = y.error_ulp(row.dtype, row.got[i]), unit = f.uncertainty[i] / divisor;
    if (!(std::fabs(f.error[i] - want) <= unit + 0x1p-50 * std::fabs(want))) wrong("error", i);
    const filter::Rounded rounded = filter::correctly_rounded(f.error[i], f.uncertainty[i]);
    if (rounded == filter::Rounded::unknown) {
      ++tally.unrounded;
    } else {
      // A zero of either sign is right where y rounds to 0.
      const bool right = to_double(row.dtype, y.round(row.dtype)) == got;
      if (right != (rounded == filter::Rounded::yes)) wrong("rounding", i);
    }
  }
}

}  // namespace normcheck

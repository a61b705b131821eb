// Two passes in MPFR, and a rounding of its own.
#include "props/witness_mpfr.h"

#ifdef NORMCHECK_MPFR
#include <mpfr.h>

#include <algorithm>
#include <memory>

namespace normcheck {
namespace {

/// One number of the precision asked for.
class Number {
 public:
  explicit Number(int bits) { mpfr_init2(v_, bits); }
  ~Number() { mpfr_clear(v_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return v_; }

 private:
  mpfr_t v_;
};

/// v to the nearest number of the format, ties to even: v/ulp to an integer by MPFR, then its pattern.
std::uint64_t round(const Format& f, mpfr_ptr v, bool& near_tie) {
  near_tie = false;
  if (mpfr_zero_p(v) != 0) return 0;
  const std::uint64_t sign = mpfr_sgn(v) < 0 ? std::uint64_t{1} << (f.bits - 1) : 0;
  const long exponent = std::max<long>(mpfr_get_exp(v) - 1, f.emin);
  const std::uint64_t infinity = static_cast<std::uint64_t>(f.emax - f.emin + 2) << (f.precision - 1);
  if (exponent > f.emax) return sign | infinity;
  Number units(static_cast<int>(mpfr_get_prec(v))), integer(static_cast<int>(mpfr_get_prec(v)));
  mpfr_abs(units.get(), v, MPFR_RNDN);
  mpfr_mul_2si(units.get(), units.get(), f.precision - 1 - exponent, MPFR_RNDN);
  mpfr_roundeven(integer.get(), units.get());
  const std::uint64_t multiple = mpfr_get_ui(integer.get(), MPFR_RNDN);
  // |v/ulp - floor - 1/2|, against half of the digits.
  mpfr_frac(units.get(), units.get(), MPFR_RNDN);
  mpfr_sub_d(units.get(), units.get(), 0.5, MPFR_RNDN);
  near_tie = mpfr_zero_p(units.get()) != 0 || mpfr_get_exp(units.get()) < -mpfr_get_prec(v) / 2;
  return sign | ((static_cast<std::uint64_t>(exponent - f.emin) << (f.precision - 1)) + multiple);
}

}  // namespace

bool has_mpfr() { return true; }

std::vector<std::uint64_t> mpfr_rounded(DType dtype, const std::vector<double>& x, double eps, double gamma,
                                        double beta, int digits, std::vector<bool>& near_tie) {
  const int bits = digits * 10 / 3;
  Number mean(bits), variance(bits), d(bits);
  mpfr_set_zero(mean.get(), 1);
  for (const double v : x) mpfr_add_d(mean.get(), mean.get(), v, MPFR_RNDN);
  mpfr_div_ui(mean.get(), mean.get(), x.size(), MPFR_RNDN);
  mpfr_set_zero(variance.get(), 1);
  for (const double v : x) {
    mpfr_sub_d(d.get(), mean.get(), v, MPFR_RNDN);
    mpfr_fma(variance.get(), d.get(), d.get(), variance.get(), MPFR_RNDN);
  }
  mpfr_div_ui(variance.get(), variance.get(), x.size(), MPFR_RNDN);
  mpfr_add_d(variance.get(), variance.get(), eps, MPFR_RNDN);
  mpfr_rec_sqrt(variance.get(), variance.get(), MPFR_RNDN);
  std::vector<std::uint64_t> out;
  near_tie.clear();
  for (const double v : x) {
    mpfr_d_sub(d.get(), v, mean.get(), MPFR_RNDN);
    mpfr_mul(d.get(), d.get(), variance.get(), MPFR_RNDN);
    mpfr_mul_d(d.get(), d.get(), gamma, MPFR_RNDN);
    mpfr_add_d(d.get(), d.get(), beta, MPFR_RNDN);
    bool tie = false;
    out.push_back(round(format_of(dtype), d.get(), tie));
    near_tie.push_back(tie);
  }
  return out;
}

}  // namespace normcheck
#else
namespace normcheck {

bool has_mpfr() { return false; }
std::vector<std::uint64_t> mpfr_rounded(DType, const std::vector<double>&, double, double, double, int,
                                        std::vector<bool>&) {
  return {};
}

}  // namespace normcheck
#endif

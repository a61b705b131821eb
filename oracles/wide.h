// The independent second oracle: the two-pass form in Boost.Multiprecision floats of hundreds of digits.
#pragma once

#include <cstdint>
#include <memory>

#include "corpus/dtype.h"

namespace normcheck {

/// A quantity computed in wide floats. Shares no source with oracles/exact. It may differ from the exact
/// oracle where the exact value is a tie or a number of the format alone (no number of digits can see
/// either).
class WideValue {
 public:
  struct Data;
  explicit WideValue(std::unique_ptr<const Data> data);
  ~WideValue();
  WideValue(WideValue&&) noexcept;
  WideValue& operator=(WideValue&&) noexcept;

  std::uint64_t round(DType dtype) const;
  /// Signed, in ulp of the value; same conventions as ExactValue::error_ulp.
  double error_ulp(DType dtype, std::uint64_t got) const;
  bool within_ulp(DType dtype, std::uint64_t got, double k) const;
  bool within(double got, double allowance) const;
  double to_double() const;

 private:
  std::unique_ptr<const Data> data_;
};

class WideRow {
 public:
  WideRow(const double* x, std::int64_t n, double eps);
  ~WideRow();
  WideRow(WideRow&&) noexcept;
  WideRow& operator=(WideRow&&) noexcept;

  bool degenerate() const;
  WideValue y(std::int64_t i, double gamma, double beta) const;
  WideValue rstd() const;
  WideValue mean() const;
  WideValue variance() const;

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

}  // namespace normcheck

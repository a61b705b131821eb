// The fast filter: certified errors of whole rows at about the speed of a scalar two-pass kernel in double;
// what it cannot certify goes to the exact oracle.
#pragma once

#include <cstdint>

#include "corpus/dtype.h"

namespace normcheck::filter {

/// One compiled copy each; all of them give the same bits.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };
constexpr InstructionSet kInstructionSets[] = {InstructionSet::baseline, InstructionSet::avx2,
                                               InstructionSet::avx512};
const char* instruction_set_name(InstructionSet set);  ///< "baseline", "avx2", "avx512"
/// Whether it was built and this processor has it.
bool has(InstructionSet set);
/// The widest that it has.
InstructionSet widest();

/// A batch of rows. Plain pointers: nothing is owned, nothing is allocated.
struct Rows {
  DType dtype = DType::f32;       ///< of x and got: f16, bf16, f32 or f64
  const void* x = nullptr;        ///< rows x n elements, any alignment
  const void* got = nullptr;      ///< rows x n elements, or NULL: no error is asked for, and none written
  const double* gamma = nullptr;  ///< n numbers from `columns`; NULL: 1
  const double* beta = nullptr;   ///< n numbers from `columns`; NULL: 0
  std::int64_t rows = 0;
  std::int64_t n = 0;  ///< of 0 nothing is written
  double eps = 0;      ///< finite, >= 0
};

/// Makes gamma or beta fit for `Rows`: out[i] is the value, or NaN where the filter leaves column i to the
/// exact oracle (not finite, or not 0 and outside 2^-300 .. 2^300). `in` and `out` may be the same.
void columns(const double* in, std::int64_t n, double* out);

/// Where the results go: rows x n doubles each. An element is certified where uncertainty is finite: NaN and
/// infinity both say that nothing is known of it, and then the other two mean nothing. Where `got` is given,
/// error_ulp and uncertainty must be; without it nothing is written here, and all three may be NULL.
struct Elements {
  double* reference = nullptr;    ///< y, rounded to double (within 2^-49 of what was added up); may be NULL
  double* error_ulp = nullptr;    ///< (got - y)/ulp(y), signed, as ExactValue::error_ulp
  double* uncertainty = nullptr;  ///< |error_ulp - exact| <= this
};

/// How a row was settled.
enum class Path : std::uint8_t {
  exact_sums,   ///< T0: sums of integers
  pairs,        ///< T1: sums in pairs of doubles
  nonfinite,    ///< x holds a NaN or an infinity
  degenerate,   ///< variance and eps are both 0: mean and variance hold, y and rstd do not exist
  refused,      ///< out of the range of both; every uncertainty is infinite
  environment,  ///< not rounding to nearest, or subnormals are flushed: nothing was computed
};

/// |hi + lo - exact| <= error; an infinite error says nothing.
struct Certified {
  double hi = 0;
  double lo = 0;
  double error = 0;
};

struct RowStatistics {
  Path path = Path::refused;
  bool constant = false;  ///< all x equal
  double max_abs = 0;     ///< of x; exact
  Certified mean;
  Certified variance;
  Certified rstd;
};

/// Settles every row. `statistics`: one a row, or NULL. The instruction set must be one that `has`.
void run(const Rows& rows, const Elements& elements, RowStatistics* statistics, InstructionSet set);
inline void run(const Rows& rows, const Elements& elements, RowStatistics* statistics) {
  run(rows, elements, statistics, widest());
}

/// Whether |error_ulp| and its uncertainty decide that got is, or is not, the correctly rounded y.
enum class Rounded : std::uint8_t { yes, no, unknown };
inline Rounded correctly_rounded(double error_ulp, double uncertainty) {
  const double size = error_ulp < 0 ? -error_ulp : error_ulp;
  return size + uncertainty < 0.5 ? Rounded::yes : size - uncertainty > 0.5 ? Rounded::no : Rounded::unknown;
}

}  // namespace normcheck::filter

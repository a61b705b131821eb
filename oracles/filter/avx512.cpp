// The filter for AVX-512 (F, VL, DQ, BW), FMA and F16C.
#define NORMCHECK_FILTER_ISA avx512
#define NORMCHECK_FILTER_WIDTH 8
#include "oracles/filter/kernels.h"

namespace normcheck::filter::avx512 {

void run(const Rows& rows, const Elements& out, RowStatistics* statistics) { settle(rows, out, statistics); }

}  // namespace normcheck::filter::avx512

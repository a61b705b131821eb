// The filter for AVX2, FMA and F16C.
#define NORMCHECK_FILTER_ISA avx2
#define NORMCHECK_FILTER_WIDTH 4
#include "oracles/filter/kernels.h"

namespace normcheck::filter::avx2 {

void run(const Rows& rows, const Elements& out, RowStatistics* statistics) { settle(rows, out, statistics); }

}  // namespace normcheck::filter::avx2

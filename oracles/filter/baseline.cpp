// The filter for any processor.
#define NORMCHECK_FILTER_ISA baseline
#define NORMCHECK_FILTER_WIDTH 4
#include "oracles/filter/kernels.h"

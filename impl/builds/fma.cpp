// The kernels of build `+fma`: where the compiler finds a product under a sum, one rounding instead of two.
#include "impl/builds/entries.h"

#if defined(__x86_64__) && !defined(__FMA__)
#error "this source needs -mfma: impl/builds/CMakeLists.txt"
#endif

const normcheck_abi::Entry* normcheck_abi::normcheck_build_fma() {
  return normcheck::Entries<normcheck::Build::fma, normcheck::FmaKernels>::all;
}

// The kernels of build `+fast`: sums in any order, products by reciprocals, no NaN and no infinities assumed.
#include "impl/builds/entries.h"

#if !defined(__FAST_MATH__)
#error "this source needs -ffast-math after every flag that undoes it: impl/builds/CMakeLists.txt"
#endif

const normcheck_abi::Entry* normcheck_abi::normcheck_build_fast() {
  return normcheck::Entries<normcheck::Build::fast, normcheck::FastKernels>::all;
}

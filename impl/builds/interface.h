// What crosses between the project and a build with flags of its own: pointers and plain structs, no more.
//
// A template or an inline function of std:: that both sides instantiate has one name in both, and the linker
// keeps one copy: it may be the one that was compiled with -mfma or -ffast-math, and then the judge runs it.
// So the sources of a build see the project's namespace under another name (impl/builds/CMakeLists.txt), and
// this header is all that they share with the rest; check_symbols.sh reads their objects for what leaks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normcheck_abi {

/// A LayerNormCall (impl/layer_norm_call.h); dtypes are DType's numbers.
struct Call {
  int storage;
  int gamma_dtype;
  int beta_dtype;
  std::int64_t rows;
  std::int64_t n;
  double eps;
  const std::byte* x;
  const std::byte* gamma;
  const std::byte* beta;
  std::byte* y;
  std::byte* mean;
  std::byte* rstd;
};

/// RowBuffers (impl/kernel.h): room for n numbers of the accumulate type each.
struct Space {
  void* x;
  void* y;
  void* gamma;
  void* beta;
};

/// Moments (impl/algorithms/moments.h), as doubles.
struct Moments {
  double mean;
  double var;
  double mean_lo;
};

struct Entry {
  /// Kernel::run.
  void (*run)(const Call& call, const Space& space);
  /// The moments of n numbers of the accumulate type, by the very code that `run` calls.
  void (*moments)(const void* x, std::int64_t n, Moments& out);
};

// The kernels of a build, in the order of its list in impl/builds/kernels.h. Calling this is safe anywhere;
// what it returns may need a CPU with the build's instructions.
extern "C" {
const Entry* normcheck_build_fma();
const Entry* normcheck_build_fast();
}

}  // namespace normcheck_abi

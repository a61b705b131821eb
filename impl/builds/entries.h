// The kernels of a build behind its interface; included only by the sources that are compiled with its flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "impl/builds/interface.h"
#include "impl/builds/kernels.h"
#include "impl/kernel.h"

namespace normcheck {

/// One copy of an algorithm's code: inlined twice, the compiler may reorder or contract each copy in its own
/// way.
template <class Algorithm>
struct OneCopy : Algorithm {
  template <Arithmetic R>
  [[gnu::noinline]] static Moments<R> moments(std::span<const R> x) {
    return Algorithm::template moments<R>(x);
  }
};

template <class Built, Build build>
struct BuiltKernel {
  using R = typename Built::R;
  using Algorithm = OneCopy<typename Built::Algorithm>;
  using Kernel = normcheck::Kernel<Algorithm, R, Variant{.finish = Built::finish, .build = build}>;

  static LayerNormCall inside(const normcheck_abi::Call& c) {
    return {static_cast<DType>(c.storage),
            c.rows,
            c.n,
            c.eps,
            c.x,
            c.gamma,
            c.beta,
            static_cast<DType>(c.gamma_dtype),
            static_cast<DType>(c.beta_dtype),
            c.y,
            c.mean,
            c.rstd};
  }
  static RowBuffers<R> inside(const normcheck_abi::Space& s) {
    return {static_cast<R*>(s.x), static_cast<R*>(s.y), static_cast<R*>(s.gamma), static_cast<R*>(s.beta)};
  }

  static void run(const normcheck_abi::Call& call, const normcheck_abi::Space& space) {
    Kernel::run(inside(call), inside(space));
  }
  static void moments(const void* x, std::int64_t n, normcheck_abi::Moments& out) {
    const Moments<R> m =
        Algorithm::template moments<R>({static_cast<const R*>(x), static_cast<std::size_t>(n)});
    out.mean = ArithmeticTraits<R>::to_double(m.mean);
    out.var = ArithmeticTraits<R>::to_double(m.var);
    out.mean_lo = ArithmeticTraits<R>::to_double(m.mean_lo);
  }
};

template <Build build, class List>
struct Entries;
template <Build build, class... Kernels>
struct Entries<build, KernelList<Kernels...>> {
  static constexpr normcheck_abi::Entry all[] = {
      {BuiltKernel<Kernels, build>::run, BuiltKernel<Kernels, build>::moments}...};
};

}  // namespace normcheck

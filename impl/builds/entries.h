// The kernels of a build behind its interface; included only by the sources that are compiled with its flags.
#pragma once

#include "impl/builds/interface.h"
#include "impl/builds/subjects.h"
#include "impl/kernel.h"

namespace normcheck {

template <class Subject, Build build>
struct BuiltKernel {
  using R = typename Subject::R;
  using Kernel =
      normcheck::Kernel<typename Subject::Algorithm, R, Variant{.finish = Subject::finish, .build = build}>;

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
  static void trace(const normcheck_abi::Call& call, std::int64_t row, const normcheck_abi::Space& space,
                    normcheck_abi::Steps& steps) {
    StepBuffers out{steps.mean, steps.variance, steps.rstd, steps.centre, steps.x_hat, steps.y};
    Kernel::trace(inside(call), row, inside(space), out);
    steps.mean = out.mean;
    steps.variance = out.variance;
    steps.rstd = out.rstd;
  }
};

template <Build build, class List>
struct Entries;
template <Build build, class... Subjects>
struct Entries<build, SubjectList<Subjects...>> {
  static constexpr normcheck_abi::Entry all[] = {
      {BuiltKernel<Subjects, build>::run, BuiltKernel<Subjects, build>::trace}...};
};

}  // namespace normcheck

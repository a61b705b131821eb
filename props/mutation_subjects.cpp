// Every algorithm in three formats, as a function of a row and a bound.
#include <type_traits>

#include "impl/algorithms/all.h"
#include "impl/storage.h"
#include "props/mutation_terms.h"

namespace normcheck {
namespace {

template <class A, class R>
ComputedMoments computed(const std::vector<double>& row) {
  const auto number = [](const R& v) { return ArithmeticTraits<R>::to_double(v); };
  std::vector<R> x;
  for (const double v : row) x.push_back(ArithmeticTraits<R>::from_double(v));
  const Moments<R> m = A::template moments<R>(std::span<const R>(x));
  ComputedMoments out{number(m.mean), number(m.var), {}};
  if constexpr (is_compensated<A>) {
    out.mean = number(m.mean + m.mean_lo);
    for (const R& v : x) out.centre.push_back(number((v - m.mean) - m.mean_lo));
  }
  return out;
}

template <class R>
void add(std::vector<MomentSubject>& out) {
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    out.push_back({A::name, dtype_of<R>, &computed<A, R>, &A::bound});
  });
}

}  // namespace

std::vector<MomentSubject> moment_subjects() {
  std::vector<MomentSubject> out;
  add<float>(out);
  add<Half>(out);
  add<BFloat16>(out);
  return out;
}

}  // namespace normcheck

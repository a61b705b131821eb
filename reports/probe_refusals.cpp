// Probes of what is to be refused, and of an x of integers.
#include <fmt/format.h>

#include <limits>

#include "reports/probe_run.h"

namespace normcheck {
namespace {

std::vector<Case> refusal_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {3, 33}), ordinary_case(subject, {2, 3, 20}, 2)};
}

std::string unless(bool applies, const ProbeRun& run, std::string_view claim) {
  if (applies || run.plan().strict) return {};
  return fmt::format("{} is not claimed; --strict asks", claim);
}
std::string no_eps(const ProbeRun& run) { return unless(run.claims().refuses_eps, run, "refuses=eps"); }
std::string no_shape(const ProbeRun& run) { return unless(run.claims().refuses_shape, run, "refuses=shape"); }

void refused(ProbeRun& run, Case c, std::string_view what) {
  c.expect = Expect::refused;
  c.nan_rows.clear();
  c.generated.reset();
  run.ask(c, what);
}

void run_refuse_eps(ProbeRun& run, const Case& base) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double eps : {-1e-5, -inf, inf, std::numeric_limits<double>::quiet_NaN()}) {
    Case c = base;
    c.eps = eps;
    refused(run, c, fmt::format("eps is {}", eps));
  }
}

/// gamma or beta of this shape, filled with ones.
void with_shape(ProbeRun& run, const Case& base, std::vector<std::int64_t> shape) {
  const DType dtype = base.gamma ? base.gamma->dtype : base.x.dtype;
  Tensor other(dtype, std::move(shape));
  for (std::int64_t i = 0; i < other.size(); ++i) other.set_value(i, 1);
  Case c = base;
  c.gamma = other;
  refused(run, c, fmt::format("gamma has shape {}", shape_text(other.shape)));
  c.gamma = base.gamma;
  c.beta = other;
  refused(run, c, fmt::format("beta has shape {}", shape_text(other.shape)));
}

void run_refuse_shape(ProbeRun& run, const Case& base) {
  const std::vector<std::int64_t> right = normalized_shape(base);
  std::vector<std::int64_t> longer = right, leading = right;
  ++longer.back();
  leading.insert(leading.begin(), 1);
  const std::vector<std::vector<std::int64_t>> shapes = {{1},         {}, longer, leading, {right.back() - 1},
                                                         base.x.shape};
  for (const auto& shape : shapes) {
    if (shape != right) with_shape(run, base, shape);
  }
  if (right.size() > 1) with_shape(run, base, {right.back()});
}

void run_refuse_dims(ProbeRun& run, const Case& base) {
  const auto rank = static_cast<std::int64_t>(base.x.shape.size());
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{-1}, rank + 1, rank + 100}) {
    Case c = base;
    c.norm_ndim = k;
    refused(run, c, fmt::format("norm_ndim is {} where x has {} dims", k, rank));
  }
}

/// Small integers, which every dtype has.
std::vector<Case> integer_cases(const ProbeSubject& subject) {
  if (!subject.is_first_dtype) return {};
  std::vector<Case> out;
  for (const DType dtype : {DType::i32, DType::i64}) {
    Case c = ordinary_case(subject, {3, 33});
    const Tensor x(dtype, c.x.shape);
    c.id += fmt::format("-{}", dtype_name(dtype));
    c.expect = Expect::refused;
    c.x = x;
    for (std::int64_t i = 0; i < x.size(); ++i) c.x.set_bits(i, static_cast<std::uint64_t>(i * i * 7 % 61));
    out.push_back(c);
    c.id += "-empty";  // the dtype is looked at first
    c.x = Tensor(dtype, {0, 33});
    out.push_back(c);
  }
  return out;
}

std::string no_integers(const ProbeRun& run) {
  const HostClaims& claims = run.claims();
  return unless(claims.integers || claims.refuses_int, run, "integers= or refuses=int");
}

void run_integers(ProbeRun& run, const Case& base) {
  if (run.claims().integers != HostClaims::Integers::convert) return refused(run, base, "x holds integers");
  Case c = base;
  c.x = Tensor(run.implementation().dtypes.front(), base.x.shape);
  c.expect = Expect::bound;
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    const std::uint64_t bits = base.x.bits(i);
    c.x.set_value(i, base.x.dtype == DType::i32 ? static_cast<double>(static_cast<std::int32_t>(bits))
                                                : static_cast<double>(static_cast<std::int64_t>(bits)));
  }
  run.convert(base, c, "x holds integers, y is to be what their values give");
}

constexpr Probe listed[] = {
    {"refuse_eps", ProbeGroup::semantics,
     "eps negative, NaN, infinite: refused (only where refuses= is claimed)", &refusal_cases, &run_refuse_eps,
     &no_eps},
    {"refuse_shape", ProbeGroup::semantics,
     "gamma or beta of another shape, even a broadcastable one (likewise)", &refusal_cases, &run_refuse_shape,
     &no_shape},
    {"refuse_dims", ProbeGroup::semantics, "norm_ndim 0, negative, above the rank: refused (likewise)",
     &refusal_cases, &run_refuse_dims, &no_shape},
    {"integers", ProbeGroup::semantics, "an x of integers: refused, or converted, as it is claimed",
     &integer_cases, &run_integers, &no_integers},
};

}  // namespace

std::span<const Probe> refusal_probes() { return listed; }

}  // namespace normcheck

// Makes a case of arrays in memory and lets the judge decide.
#include "reports/is_layer_norm.h"

#include <fmt/format.h>

#include <cstring>

#include "corpus/error.h"
#include "impl/semantics.h"
#include "oracles/diagnose.h"
#include "oracles/judge.h"
#include "reports/finding_text.h"

namespace normcheck {
namespace {

template <class T>
DType dtype_of(const LayerNormOf<T>& of) {
  if constexpr (std::same_as<T, float>) return DType::f32;
  if constexpr (std::same_as<T, double>) return DType::f64;
  if (!is_half(of.dtype)) throw InputError("dtype: bits of 16 are f16 or bf16");
  return of.dtype;
}

template <class T>
Tensor tensor(std::string_view name, std::span<const T> values, DType dtype,
              std::vector<std::int64_t> shape) {
  const auto size = checked_size(shape);
  if (!size) throw InputError(fmt::format("{}: shape {} is none", name, shape_text(shape)));
  if (static_cast<std::int64_t>(values.size()) != *size) {
    throw InputError(fmt::format("{}: {} elements; expected {}, for shape {}", name, values.size(), *size,
                                 shape_text(shape)));
  }
  Tensor out(dtype, std::move(shape));
  if (!values.empty()) std::memcpy(out.data.data(), values.data(), values.size_bytes());
  return out;
}

template <class T>
LayerNormVerdict judged(std::span<const T> y, const LayerNormOf<T>& of) {
  const DType dtype = dtype_of(of);
  Case c;
  c.id = "in_test";
  c.eps = of.eps;
  c.norm_ndim = of.norm_ndim;
  c.x = tensor("x", of.x, dtype, of.shape);
  if (of.norm_ndim < 1 || of.norm_ndim > static_cast<std::int64_t>(of.shape.size())) {
    throw InputError(fmt::format("norm_ndim: {}; expected 1 to {}, the rank of x {}", of.norm_ndim,
                                 of.shape.size(), shape_text(of.shape)));
  }
  if (!of.gamma.empty()) c.gamma = tensor("gamma", of.gamma, dtype, normalized_shape(c));
  if (!of.beta.empty()) c.beta = tensor("beta", of.beta, dtype, normalized_shape(c));
  if (const auto why = refusal(c)) throw InputError(*why);
  Observation observed;
  observed.y = tensor("y", y, dtype, of.shape);
  const DType of_statistics = statistics_dtype(dtype);
  if (!of.mean.empty()) observed.mean = tensor("mean", of.mean, of_statistics, statistics_shape(c));
  if (!of.rstd.empty()) observed.rstd = tensor("rstd", of.rstd, of_statistics, statistics_shape(c));

  const Contract contract = parse_contract(of.contract, nullptr);
  const Judgement j = judge(c, observed, contract);
  Finding finding;
  finding.impl = "y";
  finding.contract = contract_name(contract);
  finding.problem = c;
  finding.judgement = j;
  finding.cause = explanation_text(diagnose(c, observed, contract));
  if (is_finding(j.verdict)) return {false, finding_text(finding, {}, Style{})};
  const bool proved = j.counts.proved > 0 || j.counts.elements == 0;
  return {proved,
          fmt::format("{}  y  {}  eps {}: {}{}; {}", verdict_name(j.verdict), problem_text(c), of.eps,
                      proved ? "" : "nothing was proved: ", shares_text(j.counts), errors_text(c, j))};
}

template <class T>
LayerNormVerdict in_words(std::span<const T> y, const LayerNormOf<T>& of) {
  try {
    return judged(y, of);
  } catch (const InputError& e) {
    return {false, e.what()};
  }
}

}  // namespace

LayerNormVerdict judge_layer_norm(std::span<const float> y, const LayerNormOf<float>& of) {
  return in_words(y, of);
}
LayerNormVerdict judge_layer_norm(std::span<const double> y, const LayerNormOf<double>& of) {
  return in_words(y, of);
}
LayerNormVerdict judge_layer_norm(std::span<const std::uint16_t> y, const LayerNormOf<std::uint16_t>& of) {
  return in_words(y, of);
}

}  // namespace normcheck

// Other axes than those asked for; gamma and beta of another shape, along another axis, or absent.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"
#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view axis = "other axes";
constexpr std::string_view broadcast = "gamma or beta along another axis, or of another shape";
constexpr std::string_view absent = "gamma or beta absent";
constexpr const char* refuses = "refuses=shape";

/// Normalizes groups of elements: `group(i)` of each, element by element of x, all of one size; gamma and
/// beta by the element's place in the row that was asked for.
template <class Group>
int over_groups(const Call& call, Group group) {
  const auto size = static_cast<std::size_t>(call.rows * call.n);
  std::vector<float> x(size), y(size), gamma(call.gamma ? static_cast<std::size_t>(call.n) : 0),
      beta(call.beta ? static_cast<std::size_t>(call.n) : 0);
  load(call.storage, call.x, static_cast<std::int64_t>(size), x.data());
  if (call.gamma) load(call.gamma_dtype, call.gamma, call.n, gamma.data());
  if (call.beta) load(call.beta_dtype, call.beta, call.n, beta.data());
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t g = group(i);
    if (members.size() <= g) members.resize(g + 1);
    members[g].push_back(i);
  }
  std::vector<Moments<float>> of_row(static_cast<std::size_t>(call.rows));
  for (const auto& one : members) {
    std::vector<float> values;
    for (const std::size_t i : one) values.push_back(x[i]);
    const Line<float> line{call.storage, call.eps, 0, 1, values, nullptr, nullptr};
    const Moments<float> m = Right::moments(line);
    const float rstd = Right::root(line, m);
    for (const std::size_t i : one) {
      const std::size_t column = i % static_cast<std::size_t>(call.n);
      y[i] = (x[i] - m.mean) * rstd;
      if (call.gamma) y[i] *= gamma[column];
      if (call.beta) y[i] += beta[column];
      of_row[i / static_cast<std::size_t>(call.n)] = {m.mean, rstd};
    }
  }
  store(call.storage, y.data(), static_cast<std::int64_t>(size), call.y);
  for (std::size_t r = 0; r < of_row.size(); ++r) {
    if (call.mean) store(DType::f32, &of_row[r].mean, 1, call.mean + 4 * r);
    if (call.rstd) store(DType::f32, &of_row[r].var, 1, call.rstd + 4 * r);
  }
  return NC_OK;
}

/// Elements behind the first `dims` dims of x.
std::size_t behind(const Call& call, std::int32_t dims) {
  return static_cast<std::size_t>(plugin_detail::product(call.c->x, dims, call.c->x->ndim));
}

/// -1 taken for 0: the columns of x.
struct FirstAxis : OfF32 {
  static int work(const Call& call) {
    const auto n = static_cast<std::size_t>(call.n);
    return over_groups(call, [n](std::size_t i) { return i % n; });
  }
};
struct AllButFirst : OfF32 {
  static int work(const Call& call) {
    const std::size_t size = call.c->x->ndim > 1 ? behind(call, 1) : behind(call, 0);
    return over_groups(call, [size](std::size_t i) { return i / size; });
  }
};
struct LastAlone : OfF32 {
  static int work(const Call& call) {
    const std::size_t size = behind(call, call.c->x->ndim - 1);
    return over_groups(call, [size](std::size_t i) { return i / size; });
  }
};
struct Everything : OfF32 {
  static int work(const Call& call) {
    return over_groups(call, [](std::size_t) { return std::size_t{0}; });
  }
};

/// Does not compare shapes. A parameter of m elements gives element `index(i, m)` for column i.
template <class Index>
int unchecked(const nc_call* c, Index index) {
  nc_call bare_call = *c;
  bare_call.gamma = bare_call.beta = nullptr;
  if (c->x->dtype_code != NC_FLOAT || c->x->dtype_bits != 32 || plugin_detail::fault(&bare_call) != nullptr)
    return by_steps<OfF32>(c);
  const std::int64_t n = plugin_detail::Extents(&bare_call).n;
  std::vector<float> gamma, beta;
  nc_tensor shaped[2];
  const nc_tensor** places[2] = {&bare_call.gamma, &bare_call.beta};
  const nc_tensor* given[2] = {c->gamma, c->beta};
  std::vector<float>* values[2] = {&gamma, &beta};
  std::vector<std::int64_t> steps(static_cast<std::size_t>(c->norm_ndim), 1);
  const std::int64_t* extents = c->x->shape + (c->x->ndim - c->norm_ndim);
  for (std::size_t d = steps.size(); d-- > 1;) steps[d - 1] = steps[d] * extents[d];
  for (int p = 0; p < 2; ++p) {
    const nc_tensor* t = given[p];
    if (t == nullptr) continue;
    if (t->dtype_code != NC_FLOAT || t->dtype_bits != 32 || !plugin_detail::contiguous(t))
      return by_steps<OfF32>(c);
    const std::int64_t m = plugin_detail::product(t, 0, t->ndim);
    for (std::int64_t i = 0; i < n; ++i) {
      float v = p == 0 ? 1.0F : 0.0F;
      const std::int64_t at = index(i, m, n);
      if (at >= 0 && at < m) std::memcpy(&v, first(*t) + 4 * at, 4);
      values[p]->push_back(v);
    }
    shaped[p] = *c->x;
    shaped[p].ndim = c->norm_ndim;
    shaped[p].shape = const_cast<std::int64_t*>(extents);
    shaped[p].strides = steps.data();
    shaped[p].data = values[p]->data();
    shaped[p].byte_offset = 0;
    *places[p] = &shaped[p];
  }
  return by_steps<OfF32>(&bare_call);
}

/// Reads on where a parameter is too short; what lies there is not this twin's to read: it finds 1 and 0.
struct NoCheck : OfF32 {
  static int run(const nc_call* c) {
    return unchecked(c, [](std::int64_t i, std::int64_t, std::int64_t) { return i; });
  }
};
struct Wrapped : OfF32 {
  static int run(const nc_call* c) {
    return unchecked(c, [](std::int64_t i, std::int64_t m, std::int64_t) { return m == 0 ? -1 : i % m; });
  }
};
struct MadeAnew : OfF32 {
  static int run(const nc_call* c) {
    return unchecked(c, [](std::int64_t i, std::int64_t m, std::int64_t n) { return m == n ? i : -1; });
  }
};

/// gamma runs along the first of two normalized dims first.
struct OtherAxis : OfF32 {
  static int work(const Call& call) {
    const nc_tensor& x = *call.c->x;
    if (call.c->norm_ndim < 2 || call.gamma == nullptr) return all_rows<OfF32>(call);
    const std::int64_t inner = x.shape[x.ndim - 1], outer = call.n / inner;
    std::vector<std::byte> turned(static_cast<std::size_t>(call.n) * 4);
    for (std::int64_t i = 0; i < call.n; ++i)
      std::memcpy(turned.data() + 4 * i, call.gamma + 4 * (i % inner * outer + i / inner), 4);
    Call other = call;
    other.gamma = turned.data();
    return all_rows<OfF32>(other);
  }
};

/// gamma without beta: dereferences null.
template <int dims>
struct NeedsBeta : OfF32 {
  static int work(const Call& call) {
    const volatile std::byte* volatile beta = call.beta;
    if (call.gamma != nullptr && call.c->x->ndim >= dims) static_cast<void>(*beta);
    return all_rows<OfF32>(call);
  }
};
/// gamma is looked at where there is a beta.
struct GammaWithBeta : OfF32 {
  static int work(const Call& call) {
    Call other = call;
    if (other.beta == nullptr) other.gamma = nullptr;
    return all_rows<OfF32>(other);
  }
};

constexpr std::array listed = {
    whole<FirstAxis>({"B114", axis, "https://github.com/microsoft/onnxruntime/issues/26407",
                      "takes axis -1 for axis 0, and normalizes columns"}),
    whole<AllButFirst>({"B115", axis,
                        "https://github.com/Qualcomm-AI-research/geometric-algebra-transformer/pull/8",
                        "normalizes over all dims but the first"}),
    whole<LastAlone>({"B117", axis, "https://github.com/microsoft/onnxruntime/pull/15844",
                      "a fusion that knows the last dim alone"}),
    whole<Everything>({"B118", axis, "https://github.com/patrick-kidger/equinox/pull/471",
                       "normalizes over everything it is given"}),
    bare<NoCheck>({"B119", broadcast, "https://github.com/microsoft/onnxruntime/issues/12917",
                   "reads a gamma that is too short to its end and on", refuses}),
    bare<Wrapped>({"B120", broadcast, "https://github.com/microsoft/onnxruntime/issues/25855",
                   "takes a gamma of another shape element by element, from the start again", refuses}),
    bare<NoCheck>(
        {"B122", broadcast, "https://github.com/ml-explore/mlx/pull/2870", "compares no shape", refuses}),
    bare<MadeAnew>({"B123", broadcast, "https://github.com/apache/mxnet/issues/17654",
                    "makes a gamma of ones where the one that it has does not fit", refuses}),
    whole<OtherAxis>({"B125", broadcast, "https://github.com/apple/coremltools/pull/2807",
                      "applies gamma along another axis, which equal extents hide"}),
    whole<NeedsBeta<1>>({"B126", absent, "https://github.com/pytorch/pytorch/issues/108048",
                         "reads a beta that is not there", nullptr, true}),
    whole<NeedsBeta<3>>({"B127", absent, "https://github.com/candle-org/MindAct/issues/2132",
                         "the same behind leading dims", nullptr, true}),
    whole<GammaWithBeta>({"B130", absent, "https://github.com/tensorflow/tfjs/issues/5939",
                          "asks whether there is a beta, and then multiplies by gamma"}),
};

}  // namespace

std::span<const Defect> shape_defects() { return listed; }

}  // namespace normcheck

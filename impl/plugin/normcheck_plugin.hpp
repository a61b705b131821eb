// Turns a plain function into a normcheck plug-in, in one line. C++17; copy it beside normcheck_plugin.h.
//
//   void my_norm(float* y, const float* x, const float* gamma, const float* beta, float eps, int rows, int
//   n); NORMCHECK_PLUGIN(normcheck::plugin<my_norm>("mine"))
//
// The function gets contiguous rows, and answers nothing or an int (not 0: it failed). eps may be float or
// double; rows and n any integers; the pointers float, double, or uint16_t (bits of halves); gamma and beta
// may be float where x is a half. Several functions make one plug-in of several dtypes: plugin<norm_f,
// norm_d>("mine"). With mean and rstd, which have one value a row (float where x is a half, else x's type):
//
//   void my_norm(float* y, float* mean, float* rstd, const float* x, const float* gamma, ...);
//
// What the wrapper does for it: refuses what every layer norm must refuse; answers NC_UNSUPPORTED for other
// dtypes, strides, misaligned data and sizes that its integers cannot hold; where gamma or beta is absent it
// hands over ones or zeros; statistics that nobody asked for go to scratch memory; with n = 0 nothing is
// called. Behind the name, as wanted: .version("1.2")  .claims("algorithm=two_pass")  .bf16(): uint16_t is
// bfloat16, not f16  .null_when_absent(): nullptr for an absent gamma or beta, and for statistics that nobody
// asked for
#pragma once

#if __cplusplus < 201703L
#error "normcheck_plugin.hpp needs C++17: compile with -std=c++17 or newer"
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>

#include "normcheck_plugin.h"

#define NORMCHECK_PLUGIN(...)                                                                     \
  extern "C" NC_EXPORT const nc_plugin* normcheck_plugin_v1(std::uint32_t, std::uint32_t index) { \
    static const normcheck::PluginEntry entries[] = {__VA_ARGS__};                                \
    return index < sizeof entries / sizeof entries[0] ? &entries[index].settings->abi : nullptr;  \
  }

namespace normcheck {

/// How a type is spelled in DLPack. For a half type of your own (T = __half, at::BFloat16):
///   template <> struct normcheck::Element<T> : normcheck::ElementOf<NC_FLOAT or NC_BFLOAT, 16> {};
template <int Code, int Bits>
struct ElementOf {
  static constexpr int code = Code, bits = Bits;
};
template <class T>
struct Element;
template <>
struct Element<float> : ElementOf<NC_FLOAT, 32> {};
template <>
struct Element<double> : ElementOf<NC_FLOAT, 64> {};
template <>
struct Element<std::uint16_t> : ElementOf<-1, 16> {};  // f16, or bf16 with .bf16()

struct PluginSettings {
  nc_plugin abi;
  bool bf16 = false, null_when_absent = false;
};

struct PluginEntry {
  PluginSettings* settings;
  PluginEntry version(const char* text) const { return settings->abi.version = text, *this; }
  PluginEntry claims(const char* text) const { return settings->abi.claims = text, *this; }
  PluginEntry bf16() const { return settings->bf16 = true, *this; }
  PluginEntry null_when_absent() const { return settings->null_when_absent = true, *this; }
};

namespace plugin_detail {

inline int answer(const nc_call* c, int status, const char* why) {
  if (c->errmsg != nullptr && c->errmsg_len > 0) std::snprintf(c->errmsg, c->errmsg_len, "%s", why);
  return status;
}

inline std::int64_t product(const nc_tensor* t, std::int32_t from, std::int32_t to) {
  std::int64_t out = 1;
  for (std::int32_t d = from; d < to; ++d) out *= t->shape[d];
  return out;
}

/// Whether `t` has the shape of x's dims from `from` on; the shape of a statistic.
inline bool has_tail(const nc_tensor* t, const nc_tensor* x, std::int32_t from) {
  if (t->ndim != x->ndim - from) return false;
  for (std::int32_t d = 0; d < t->ndim; ++d)
    if (t->shape[d] != x->shape[from + d]) return false;
  return true;
}
inline bool has_statistics(const nc_tensor* t, const nc_tensor* x, std::int32_t leading) {
  if (t->ndim != x->ndim) return false;
  for (std::int32_t d = 0; d < t->ndim; ++d)
    if (t->shape[d] != (d < leading ? x->shape[d] : 1)) return false;
  return true;
}

inline bool contiguous(const nc_tensor* t) {
  std::int64_t step = 1;
  for (std::int32_t d = t->ndim; d-- > 0;) {
    if (t->shape[d] > 1 && t->strides[d] != step) return product(t, 0, t->ndim) == 0;
    step *= t->shape[d];
  }
  return true;
}

/// Why every layer norm must refuse the call; nullptr if it is valid.
inline const char* fault(const nc_call* c) {
  const nc_tensor* x = c->x;
  if (x->dtype_code == NC_INT) return "x holds integers";
  if (c->norm_ndim < 1 || c->norm_ndim > x->ndim) return "norm_ndim is not 1 to the rank of x";
  for (std::int32_t d = 0; d < x->ndim; ++d)
    if (x->shape[d] < 0) return "x has a negative extent";
  const std::int32_t leading = x->ndim - c->norm_ndim;
  if (c->gamma != nullptr && !has_tail(c->gamma, x, leading)) return "gamma has not the normalized shape";
  if (c->beta != nullptr && !has_tail(c->beta, x, leading)) return "beta has not the normalized shape";
  if (!has_tail(c->y, x, 0)) return "y has not the shape of x";
  if (c->mean != nullptr && !has_statistics(c->mean, x, leading)) return "mean has not one element a row";
  if (c->rstd != nullptr && !has_statistics(c->rstd, x, leading)) return "rstd has not one element a row";
  return std::isfinite(c->eps) && c->eps >= 0 ? nullptr : "eps is negative or not finite";
}

template <class T>
bool is(const nc_tensor* t, const PluginSettings& settings) {
  const int code = Element<T>::code >= 0 ? Element<T>::code : settings.bf16 ? NC_BFLOAT : NC_FLOAT;
  return t->dtype_code == code && t->dtype_bits == Element<T>::bits && t->dtype_lanes == 1;
}
template <class T>
T* pointer(const nc_tensor* t) {
  return reinterpret_cast<T*>(static_cast<char*>(t->data) + t->byte_offset);
}
/// What keeps the function from taking `t` as it is; nullptr if nothing does, or `t` is absent.
template <class T>
const char* misfit(const nc_tensor* t, const PluginSettings& settings) {
  if (t == nullptr) return nullptr;
  if (t->device_type != 1) return "not on the CPU";
  if (!is<T>(t, settings)) return "another dtype";
  if (!contiguous(t)) return "strides";
  return reinterpret_cast<std::uintptr_t>(pointer<T>(t)) % alignof(T) == 0 ? nullptr : "misaligned data";
}

/// 1 in a half, float or double.
template <class T>
T one(const PluginSettings& settings) {
  if constexpr (std::is_floating_point_v<T>) {
    return T(1);
  } else {
    const bool b = Element<T>::code < 0 ? settings.bf16 : Element<T>::code == NC_BFLOAT;
    const std::uint16_t bits = b ? 0x3f80 : 0x3c00;
    T out;
    static_assert(sizeof out == sizeof bits);
    std::memcpy(&out, &bits, sizeof bits);
    return out;
  }
}

/// Hands out pieces of the workspace, or counts what they come to.
struct Scratch {
  char* at;
  std::uint64_t used = 0;
  template <class T>
  T* take(std::int64_t count) {
    const std::uint64_t from = used;
    used += (static_cast<std::uint64_t>(count) * sizeof(T) + 63) / 64 * 64;
    return at == nullptr ? nullptr : reinterpret_cast<T*>(at + from);
  }
};

/// The arguments of a function by their places. S is void where it takes no statistics.
template <class R, class T, class S, class G, class B, class E, class I, class N>
struct Arguments {
  using Result = R;
  using Element = T;
  using Statistic = S;
  using Gamma = G;
  using Beta = B;
  using Eps = E;
  using Rows = I;
  using Length = N;
};
template <class F>
struct Function;
template <class R, class T, class G, class B, class E, class I, class N, bool Q>
struct Function<R (*)(T*, const T*, const G*, const B*, E, I, N) noexcept(Q)>
    : Arguments<R, T, void, G, B, E, I, N> {};
template <class R, class T, class S, class G, class B, class E, class I, class N, bool Q>
struct Function<R (*)(T*, S*, S*, const T*, const G*, const B*, E, I, N) noexcept(Q)>
    : Arguments<R, T, S, G, B, E, I, N> {};

/// x as rows of n elements.
struct Extents {
  std::int64_t rows, n;
  explicit Extents(const nc_call* c)
      : rows(product(c->x, 0, c->x->ndim - c->norm_ndim)),
        n(product(c->x, c->x->ndim - c->norm_ndim, c->x->ndim)) {}
};

/// One function on one valid call.
template <auto F>
struct Caller {
  using A = Function<decltype(F)>;
  using T = typename A::Element;
  using S = typename A::Statistic;
  using G = typename A::Gamma;
  using B = typename A::Beta;
  static constexpr bool statistics = !std::is_void_v<S>;
  static_assert(std::is_floating_point_v<typename A::Eps>, "eps is float or double");
  static_assert(std::is_integral_v<typename A::Rows> && std::is_integral_v<typename A::Length>,
                "rows and n are integers");
  static_assert(std::is_void_v<typename A::Result> || std::is_same_v<typename A::Result, int>,
                "the function returns nothing, or an int that is 0 where all went well");

  static const char* misfit(const nc_call* c, const PluginSettings& s) {
    const char* why = plugin_detail::misfit<T>(c->x, s);
    if (why == nullptr) why = plugin_detail::misfit<T>(c->y, s);
    if (why == nullptr) why = plugin_detail::misfit<G>(c->gamma, s);
    if (why == nullptr) why = plugin_detail::misfit<B>(c->beta, s);
    if constexpr (statistics) {
      if (why == nullptr) why = plugin_detail::misfit<S>(c->mean, s);
      if (why == nullptr) why = plugin_detail::misfit<S>(c->rstd, s);
    } else if (c->mean != nullptr || c->rstd != nullptr) {
      return "no mean and rstd";
    }
    const Extents size(c);
    const auto holds = [](std::int64_t extent, auto largest) {
      return static_cast<std::uint64_t>(extent) <= static_cast<std::uint64_t>(largest);
    };
    if (why == nullptr && (!holds(size.rows, std::numeric_limits<typename A::Rows>::max()) ||
                           !holds(size.n, std::numeric_limits<typename A::Length>::max())))
      return "more rows or elements than the function's integers hold";
    return why;
  }

  static std::uint64_t workspace_bytes(const nc_call* c, const PluginSettings& s) {
    Scratch scratch{nullptr};
    prepare(c, s, scratch);
    return scratch.used;
  }

  struct Pointers {
    const G* gamma;
    const B* beta;
    std::conditional_t<statistics, S, char>* mean = nullptr;
    std::conditional_t<statistics, S, char>* rstd = nullptr;
  };
  static Pointers prepare(const nc_call* c, const PluginSettings& s, Scratch& scratch) {
    const Extents size(c);
    Pointers out{parameter<G>(c->gamma, size.n, one<G>(s), s, scratch),
                 parameter<B>(c->beta, size.n, B{}, s, scratch)};
    if constexpr (statistics) {
      const auto place = [&](const nc_tensor* t) {
        return t != nullptr ? pointer<S>(t) : s.null_when_absent ? nullptr : scratch.take<S>(size.rows);
      };
      out.mean = place(c->mean);
      out.rstd = place(c->rstd);
    }
    return out;
  }
  template <class P>
  static const P* parameter(const nc_tensor* t, std::int64_t n, P value, const PluginSettings& s,
                            Scratch& scratch) {
    if (t != nullptr) return pointer<P>(t);
    if (s.null_when_absent) return nullptr;
    P* out = scratch.take<P>(n);
    for (std::int64_t i = 0; out != nullptr && i < n; ++i) out[i] = value;
    return out;
  }

  static int run(const nc_call* c, const PluginSettings& s) {
    const Extents size(c);
    if (size.n == 0) return NC_OK;
    if (c->workspace_bytes < workspace_bytes(c, s)) return answer(c, NC_FAILED, "the workspace is too small");
    Scratch scratch{static_cast<char*>(c->workspace)};
    const Pointers p = prepare(c, s, scratch);
    const auto call = [&](auto... statistic) {
      return F(pointer<T>(c->y), statistic..., pointer<const T>(c->x), p.gamma, p.beta,
               static_cast<typename A::Eps>(c->eps), static_cast<typename A::Rows>(size.rows),
               static_cast<typename A::Length>(size.n));
    };
    const auto called = [&] {
      if constexpr (statistics) {
        return call(p.mean, p.rstd);
      } else {
        return call();
      }
    };
    if constexpr (std::is_void_v<typename A::Result>) {
      called();
      return NC_OK;
    } else {
      const int code = called();
      char text[40];
      std::snprintf(text, sizeof text, "the function returned %d", code);
      return code == 0 ? NC_OK : answer(c, NC_FAILED, text);
    }
  }
};

/// The functions of one plug-in, tried in turn.
template <auto... F>
struct Wrapped {
  static inline PluginSettings settings{};

  /// Does `work` with the first function that fits. NC_UNSUPPORTED with the reason of the one for x's dtype.
  template <class Work>
  static int with(const nc_call* c, Work work) {
    if (c->op != NC_OP_LAYERNORM_FWD || c->flags != 0) return answer(c, NC_UNSUPPORTED, "another operation");
    if (const char* why = fault(c)) return answer(c, NC_INVALID, why);
    const char* why = "another dtype";
    int status = NC_UNSUPPORTED;
    bool found = false;
    const auto attempt = [&](auto caller) {
      if (found) return;
      const char* misfit = caller.misfit(c, settings);
      found = misfit == nullptr;
      if (found) status = work(caller);
      if (!found && is<typename decltype(caller)::T>(c->x, settings)) why = misfit;
    };
    (attempt(Caller<F>{}), ...);
    return found ? status : answer(c, NC_UNSUPPORTED, why);
  }
  static int run(const nc_call* c) {
    return with(c, [&](auto caller) { return caller.run(c, settings); });
  }
  static int supports(const nc_call* c) {  // what is to be refused reaches `run`, which refuses it
    return with(c, [](auto) { return int{NC_OK}; }) == NC_UNSUPPORTED ? NC_UNSUPPORTED : NC_OK;
  }
  static std::uint64_t workspace_bytes(const nc_call* c) {
    std::uint64_t bytes = 0;
    with(c, [&](auto caller) { return bytes = caller.workspace_bytes(c, settings), int{NC_OK}; });
    return bytes;
  }
};

}  // namespace plugin_detail

template <auto... F>
PluginEntry plugin(const char* name) {
  using W = plugin_detail::Wrapped<F...>;
  W::settings = {{sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, name, nullptr, nullptr, &W::supports,
                  &W::workspace_bytes, &W::run},
                 false,
                 false};
  return {&W::settings};
}

}  // namespace normcheck

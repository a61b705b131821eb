// Reads claims.
#include "oracles/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "corpus/error.h"
#include "impl/orders.h"

namespace normcheck {
namespace {

constexpr std::string_view known_keys =
    "algorithm, order, accumulate, finish, eps, rsqrt_ulp or xhat_rounding";

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view expected) {
  throw InputError(fmt::format("contract: {}={}: expected {}", key, value, expected));
}

std::map<std::string, std::string, std::less<>> keys_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw InputError(fmt::format("contract: '{}': expected stable, own, or key=value;key=value", part));
    const std::string key(part.substr(0, equals));
    if (!out.emplace(key, part.substr(equals + 1)).second)
      throw InputError(fmt::format("contract: {}: given twice; expected each key once", key));
  }
  return out;
}

double ulps_of(const std::string& value) {
  double out = 0;
  char* end = nullptr;
  // No locale is ever set, so the point is a point.
  out = std::strtod(value.c_str(), &end);
  const bool number = !value.empty() && end == value.c_str() + value.size() &&
                      value.find_first_not_of("0123456789.") == std::string::npos;
  if (!number || !std::isfinite(out)) refuse("rsqrt_ulp", value, "a number of ulp, such as 2 or 0.5");
  return out;
}

}  // namespace

Claims parse_claims(std::string_view text) {
  Claims out;
  out.text = text;
  std::string algorithm, order;
  for (const auto& [key, value] : keys_of(text)) {
    if (key == "algorithm") {
      algorithm = value;
    } else if (key == "order") {
      order = value;
    } else if (key == "accumulate") {
      for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::f80})
        if (dtype_name(dtype) == value) out.accumulate = dtype;
      if (!out.accumulate) refuse(key, value, "f16, bf16, f32, f64 or f80");
    } else if (key == "finish") {
      out.direct = value == "direct";
      out.folded = value == "folded";
      out.half_folded = value == "half_folded";
      if (!out.direct && !out.folded && !out.half_folded) refuse(key, value, "direct, folded or half_folded");
    } else if (key == "eps") {
      if (value != "acc" && value != "f32" && value != "f64") refuse(key, value, "acc, f32 or f64");
      out.eps = value == "acc"   ? Claims::Eps::accumulate
                : value == "f32" ? Claims::Eps::f32
                                 : Claims::Eps::f64;
    } else if (key == "rsqrt_ulp") {
      out.rsqrt_ulp = ulps_of(value);
    } else if (key == "xhat_rounding") {
      if (value != "none" && value != "storage") refuse(key, value, "none or storage");
      out.x_hat_storage = value == "storage";
    } else {
      throw InputError(fmt::format("contract: {}: unknown key; expected {}", key, known_keys));
    }
  }
  if (algorithm.empty()) {
    if (!order.empty()) refuse("order", order, "an algorithm=NAME beside it");
    return out;
  }
  if (!moments_in_order(algorithm, "own")) refuse("algorithm", algorithm, "one that normcheck list names");
  const auto bound = moments_in_order(algorithm, order.empty() ? "own" : order);
  if (!bound)
    refuse("order", order, fmt::format("an order in which {} has a bound (oracles/claims.h)", algorithm));
  out.moments = {bound->moments};
  out.reads_prefixes = bound->reads_prefixes;
  return out;
}

}  // namespace normcheck

// Reads claims.
#include "oracles/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "corpus/edit_distance.h"
#include "corpus/error.h"
#include "impl/orders.h"

namespace normcheck {
namespace {

constexpr ClaimKey keys[] = {
    {"algorithm", "NAME", "the algorithm of mean and variance (normcheck list --algorithms)"},
    {"order", "own|any|sequential|reversed|pairwise|lanes<L>|block<B>",
     "the order of its sums; own, that of its row, by default; L and B powers of two up to 1024"},
    {"accumulate", "f16|bf16|f32|f64|f80",
     "the type it computes in; no bound holds where x, gamma or beta have numbers that it lacks"},
    {"finish", "direct|folded|half_folded",
     "(x-mean)*rstd*gamma+beta, x*a+b, or (x*rstd-mean*rstd)*gamma+beta"},
    {"eps", "acc|f32|f64",
     "the type that eps is rounded to before it is added in that of accumulate (acc, by default); f64: the "
     "sum "
     "and its root are taken in double too"},
    {"rsqrt_ulp", "K", "the error of its reciprocal root, in ulp"},
    {"xhat_rounding", "none|storage", "storage: x_hat is rounded to the type of x before gamma"},
    {"subnormals", "flush",
     "subnormal inputs, intermediates and results may be taken as 0: widens the bound"},
    {"constant", "exact", "a row of equal numbers gives beta, correctly rounded (eps above 0)"},
    {"range", "safe|full",
     "full: judged also where an intermediate could overflow; there NaN and inf for a number are wrong"},
    {"max_ulp", "K", "y is at most K ulp off: judged by that in place of a bound"},
    {"rounding", "correct|faithful",
     "y is the number nearest to the exact one, or one of its two neighbours: judged by that in place of a "
     "bound"},
    {"gamma", "x|f32|any", "the dtypes of gamma and beta it takes: x's, f32, or either"},
    {"deterministic", "yes", "the same call gives the same bits"},
    {"batch_invariant", "yes", "the bits of a row do not depend on the rows beside it"},
    {"inplace", "yes", "y may lie where x lies"},
    {"strides", "any|rows|none", "the strides it takes: any, rows apart, none but dense"},
    {"stats", "f32|x|none",
     "the dtype of the mean and rstd it gives of halves, and is asked for; none: it gives neither"},
    {"integers", "refuse|convert", "what it does with an x of integers"},
    {"refuses", "all|eps,shape,int", "the wrong calls that it refuses by itself"},
    {"memory", "copy", "it works on copies of its arguments, so that only what comes back can be watched"}};

const ClaimKey* find_key(std::string_view name) {
  const auto at =
      std::find_if(std::begin(keys), std::end(keys), [&](const ClaimKey& k) { return k.name == name; });
  return at == std::end(keys) ? nullptr : at;
}

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view expected) {
  throw InputError(fmt::format("contract: {}={}: expected {}", key, value, expected));
}

/// "a, b or c" of "a|b|c".
std::string in_words(std::string_view values) {
  std::string out(values);
  for (std::size_t at = out.rfind('|'), last = 1; at != std::string::npos; at = out.rfind('|'), last = 0)
    out.replace(at, 1, last == 1 ? " or " : ", ");
  return out;
}

/// The key that a misspelled one is nearest to, if it is near.
std::string_view nearest_key(std::string_view name) {
  std::string_view best;
  std::size_t least = std::min<std::size_t>(3, name.size() / 2) + 1;
  for (const ClaimKey& key : keys) {
    const std::size_t far = edit_distance(name, key.name);
    if (far < least) {
      least = far;
      best = key.name;
    }
  }
  return best;
}

std::string unknown_key(std::string_view name) {
  const std::string_view meant = nearest_key(name);
  if (!meant.empty()) return fmt::format("{}: unknown key; {} may be meant", name, meant);
  std::string all;
  for (const ClaimKey& key : keys) all += fmt::format("{}{}", all.empty() ? "" : ", ", key.name);
  return fmt::format("{}: unknown key; expected one of {}", name, all);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::map<std::string, std::string, std::less<>> keys_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw InputError(fmt::format("contract: '{}': expected stable, own, or key=value;key=value", part));
    const std::string key(trimmed(part.substr(0, equals)));
    if (!out.emplace(key, trimmed(part.substr(equals + 1))).second)
      throw InputError(fmt::format("contract: {}: given twice; expected each key once", key));
  }
  return out;
}

double ulps_of(std::string_view key, const std::string& value) {
  char* end = nullptr;
  // No locale is ever set, so the point is a point.
  const double out = std::strtod(value.c_str(), &end);
  const bool number = !value.empty() && end == value.c_str() + value.size() &&
                      value.find_first_not_of("0123456789.") == std::string::npos;
  if (!number || !std::isfinite(out)) refuse(key, value, "a number of ulp, such as 2 or 0.5");
  return out;
}

/// Which of the key's words the value is.
std::size_t word_of(std::string_view key, std::string_view value) {
  const std::string_view values = find_key(key)->values;
  std::size_t index = 0;
  for (std::size_t at = 0; at <= values.size(); ++index) {
    const std::size_t end = std::min(values.find('|', at), values.size());
    if (values.substr(at, end - at) == value) return index;
    at = end + 1;
  }
  refuse(key, value, in_words(values));
}

void read_refusals(HostClaims& out, std::string_view value) {
  std::string_view rest = value;
  do {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = trimmed(rest.substr(0, end));
    if (word != "eps" && word != "shape" && word != "int" && value != "all")
      refuse("refuses", value, "all, or some of eps,shape,int");
    out.refuses_eps |= value == "all" || word == "eps";
    out.refuses_shape |= value == "all" || word == "shape";
    out.refuses_int |= value == "all" || word == "int";
    rest.remove_prefix(end == rest.size() ? end : end + 1);
  } while (!rest.empty());
}

/// Of the keys that no verdict on a number depends on.
void read_host_key(HostClaims& out, std::string_view key, std::string_view value) {
  if (key == "refuses") return read_refusals(out, value);
  const std::size_t word = word_of(key, value);
  if (key == "gamma") out.gamma = static_cast<HostClaims::Parameters>(word);
  if (key == "deterministic") out.deterministic = true;
  if (key == "batch_invariant") out.batch_invariant = true;
  if (key == "inplace") out.in_place = true;
  if (key == "strides") out.strides = static_cast<HostClaims::Strides>(word);
  if (key == "stats") out.stats = static_cast<HostClaims::Statistics>(word);
  if (key == "integers") out.integers = static_cast<HostClaims::Integers>(word);
  if (key == "memory") out.memory_copy = true;
}

/// Of those that say what comes out: false for another.
bool read_output_key(Claims& out, std::string_view key, const std::string& value) {
  if (key == "max_ulp") {
    out.max_ulp = ulps_of(key, value);
  } else if (key == "rounding") {
    out.rounding = word_of(key, value) == 0 ? Claims::Rounding::correct : Claims::Rounding::faithful;
  } else if (key == "range") {
    out.full_range = word_of(key, value) == 1;
  } else if (key == "constant") {
    word_of(key, value);
    out.constant_exact = true;
  } else if (key == "subnormals") {
    word_of(key, value);
    out.flush = true;
  } else {
    return false;
  }
  return true;
}

/// Of those that say how it computes: false for another. algorithm and order belong together.
bool read_form_key(Claims& out, std::string_view key, const std::string& value) {
  if (key == "accumulate") {
    constexpr std::array types = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::f80};
    out.accumulate = types.at(word_of(key, value));
  } else if (key == "finish") {
    word_of(key, value);
    out.direct = value == "direct";
    out.folded = value == "folded";
    out.half_folded = value == "half_folded";
  } else if (key == "eps") {
    out.eps = static_cast<Claims::Eps>(word_of(key, value));
  } else if (key == "rsqrt_ulp") {
    out.rsqrt_ulp = ulps_of(key, value);
  } else if (key == "xhat_rounding") {
    out.x_hat_storage = word_of(key, value) == 1;
  } else if (key != "algorithm" && key != "order") {
    return false;
  }
  out.form_key = find_key(key)->name;
  return true;
}

/// In words, the orders in which an algorithm has a bound.
std::string orders_of(std::string_view algorithm) {
  if (moments_in_order(algorithm, "sequential")) return in_words(find_key("order")->values);
  return moments_in_order(algorithm, "any") ? "own or any" : "own";
}

void find_moments(Claims& out, const std::string& order) {
  if (out.algorithm.empty()) {
    if (!order.empty()) refuse("order", order, "an algorithm=NAME beside it");
    return;
  }
  if (!moments_in_order(out.algorithm, "own"))
    refuse("algorithm", out.algorithm, "one that normcheck list names");
  const auto bound = moments_in_order(out.algorithm, order.empty() ? "own" : order);
  if (!bound)
    refuse("order", order,
           fmt::format("{}, in which {} has a bound", orders_of(out.algorithm), out.algorithm));
  out.moments = {bound->moments};
  out.reads_prefixes = bound->reads_prefixes;
}

}  // namespace

std::span<const ClaimKey> claim_keys() { return keys; }

Claims parse_claims(std::string_view text, std::vector<std::string>* notes) {
  Claims out;
  out.text = text;
  std::string order;
  for (const auto& [key, value] : keys_of(text)) {
    if (find_key(key) == nullptr) {
      if (notes == nullptr) throw InputError("contract: " + unknown_key(key));
      notes->push_back("claims: " + unknown_key(key) + "; ignored");
      continue;
    }
    if (key == "algorithm" && value.empty()) refuse(key, value, "one that normcheck list names");
    if (key == "order" && value.empty()) refuse(key, value, in_words(find_key(key)->values));
    if (key == "algorithm") out.algorithm = value;
    if (key == "order") order = value;
    if (!read_form_key(out, key, value) && !read_output_key(out, key, value))
      read_host_key(out.host, key, value);
  }
  find_moments(out, order);
  return out;
}

}  // namespace normcheck

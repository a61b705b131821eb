// Spells what makes a case, and reads it again.
#include "reports/named_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/kappa_sweep.h"
#include "reports/results/reader.h"

namespace normcheck {
namespace {

template <typename T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

/// "100", "3.162278", "1e-05": a finite number, 0 or more.
std::optional<double> parsed_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const bool is_digit = !copy.empty() && copy[0] >= '0' && copy[0] <= '9' && copy.size() < 40;
  const double value = is_digit ? std::strtod(copy.c_str(), &end) : 0;
  return is_digit && *end == '\0' && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> parts_of(std::string_view text, char between) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// "8x1024".
std::optional<std::pair<std::int64_t, std::int64_t>> parsed_shape(std::string_view text) {
  const auto parts = parts_of(text, 'x');
  if (parts.size() != 2) return std::nullopt;
  const auto rows = parsed<std::int64_t>(parts[0]), n = parsed<std::int64_t>(parts[1]);
  if (!rows || !n) return std::nullopt;
  return std::pair(*rows, *n);
}

/// No more than the command itself would make.
bool is_sane(std::int64_t rows, std::int64_t n) {
  return rows >= 1 && rows <= 8192 && n >= 1 && n <= (1 << 17) && rows * n <= (1 << 22);
}

bool is_sane(const CaseRecipe& r) {
  return r.regime != nullptr && is_float(r.request.dtype) && is_sane(r.request.rows, r.request.n) &&
         r.request.norm_ndim >= 1 && r.request.norm_ndim <= 8;
}

/// What the id says: "<regime>-<dtype>-<n>-<seed>-<index>".
std::optional<CaseRecipe> recipe_of_id(std::string_view id) {
  std::array<std::string_view, 4> last;  // index, seed, n, dtype
  for (std::string_view& part : last) {
    const auto at = id.rfind('-');
    if (at == std::string_view::npos) return std::nullopt;
    part = id.substr(at + 1);
    id = id.substr(0, at);
  }
  CaseRecipe recipe;
  recipe.regime = find_regime(id);
  const auto index = parsed<std::uint64_t>(last[0]), seed = parsed<std::uint64_t>(last[1]);
  const auto n = parsed<std::int64_t>(last[2]);
  const auto dtype = parse_dtype(last[3]);
  if (recipe.regime == nullptr || !index || !seed || !n || !dtype) return std::nullopt;
  recipe.request.dtype = *dtype;
  recipe.request.n = *n;
  recipe.seed = *seed;
  recipe.index = *index;
  return recipe;
}

std::optional<Case> kappa_case_of(std::string_view name) {
  const auto parts = parts_of(name, '-');
  if (parts.size() != 5 || parts[0] != "kappa") return std::nullopt;
  const auto kappa = parsed_number(parts[1]);
  const auto dtype = parse_dtype(parts[2]);
  const auto shape = parsed_shape(parts[3]);
  const auto seed = parsed<std::uint64_t>(parts[4]);
  if (!kappa || !(*kappa >= 1) || !dtype || !is_float(*dtype) || !shape || !seed) return std::nullopt;
  if (!is_sane(shape->first, shape->second) || !kappa_reachable(*dtype, shape->second, *kappa))
    return std::nullopt;
  return kappa_case(*dtype, shape->second, shape->first, *kappa, *seed);
}

}  // namespace

std::string CaseRecipe::name() const {
  // The n of the id is the one that was asked for: the regime may have made another.
  std::string out = fmt::format("{}-{}-{}-{}-{},{}x{}", regime->name, dtype_name(request.dtype), request.n,
                                seed, index, request.rows, request.n);
  if (request.norm_ndim != 1) out += fmt::format(",dims{}", request.norm_ndim);
  if (request.fixed_eps) out += fmt::format(",eps{}", request.eps);
  return out;
}

std::optional<CaseRecipe> recipe_of(const Case& c, const std::string& text) {
  auto recipe = recipe_of_id(c.id);
  if (!recipe || recipe->request.dtype != c.x.dtype) return std::nullopt;
  const std::int64_t asked = recipe->request.n;
  for (const bool fixed : {false, true}) {
    for (const std::int64_t length : {row_length(c), asked}) {
      if (length < 1 || length > (std::int64_t{1} << 22)) continue;
      recipe->request =
          GenRequest{.dtype = c.x.dtype, .rows = row_count(c), .n = length, .norm_ndim = c.norm_ndim};
      recipe->request.fixed_eps = fixed;
      if (fixed) recipe->request.eps = c.eps;
      if (format_case(recipe->made()) == text) return recipe;
    }
  }
  return std::nullopt;
}

Json recipe_json(const CaseRecipe& r) {
  return {{"regime", r.regime->name},
          {"dtype", dtype_name(r.request.dtype)},
          {"rows", r.request.rows},
          {"n", r.request.n},
          {"norm_ndim", r.request.norm_ndim},
          {"eps", r.request.eps},
          {"fixed_eps", r.request.fixed_eps},
          {"seed", r.seed},
          {"index", r.index}};
}

std::optional<CaseRecipe> recipe_from(const Json& json) {
  CaseRecipe r;
  r.regime = find_regime(text_in(json, "regime"));
  const auto dtype = parse_dtype(text_in(json, "dtype"));
  if (!dtype) return std::nullopt;
  r.request.dtype = *dtype;
  r.request.rows = integer_in(json, "rows");
  r.request.n = integer_in(json, "n");
  r.request.norm_ndim = integer_in(json, "norm_ndim");
  r.request.eps = number_of(member(json, "eps"));
  r.request.fixed_eps = is_true(json, "fixed_eps");
  r.seed = static_cast<std::uint64_t>(integer_in(json, "seed"));
  r.index = static_cast<std::uint64_t>(integer_in(json, "index"));
  return is_sane(r) ? std::optional(r) : std::nullopt;
}

std::optional<Case> case_of_name(std::string_view name) {
  if (auto c = kappa_case_of(name)) return c;
  const auto parts = parts_of(name, ',');
  if (parts.size() < 2) return std::nullopt;
  auto recipe = recipe_of_id(parts[0]);
  const auto shape = parsed_shape(parts[1]);
  if (!recipe || !shape) return std::nullopt;
  std::tie(recipe->request.rows, recipe->request.n) = *shape;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (parts[i].starts_with("dims")) {
      const auto dims = parsed<std::int64_t>(parts[i].substr(4));
      if (!dims) return std::nullopt;
      recipe->request.norm_ndim = *dims;
    } else if (parts[i].starts_with("eps")) {
      const auto eps = parsed_number(parts[i].substr(3));
      if (!eps) return std::nullopt;
      recipe->request.eps = *eps;
      recipe->request.fixed_eps = true;
    } else {
      return std::nullopt;
    }
  }
  if (!is_sane(*recipe)) return std::nullopt;
  return recipe->made();
}

Case read_case_or_make(const std::string& file_or_name) {
  std::error_code error;
  if (!std::filesystem::exists(file_or_name, error)) {
    if (auto c = case_of_name(file_or_name)) return *c;
  }
  return read_case(file_or_name);
}

}  // namespace normcheck

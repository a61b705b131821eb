// Keeps cases, and makes them again.
#include "reports/results/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/gen.h"
#include "reports/finding.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"

namespace normcheck {
namespace {

constexpr std::size_t longest_text = 4096;  ///< of a generated case that is kept as text

std::optional<std::uint64_t> parsed_count(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 16 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return digits ? std::optional<std::uint64_t>(std::stoull(text)) : std::nullopt;
}

/// A case by its number: what make_case is to be asked for.
struct Recipe {
  const Regime* regime = nullptr;
  GenRequest request;
  std::uint64_t seed = 0, index = 0;

  Case made() const { return make_case(*regime, request, seed, index); }
};

/// From its id, "<regime>-<dtype>-<n>-<seed>-<index>", and its shape, if that gives the very same case.
std::optional<Recipe> recipe_of(const Case& c, const std::string& text) {
  std::array<std::string, 4> last;  // index, seed, n, dtype
  std::string rest = c.id;
  for (std::string& part : last) {
    const auto at = rest.rfind('-');
    if (at == std::string::npos) return std::nullopt;
    part = rest.substr(at + 1);
    rest.resize(at);
  }
  Recipe recipe;
  recipe.regime = find_regime(rest);
  const auto index = parsed_count(last[0]), seed = parsed_count(last[1]), n = parsed_count(last[2]);
  if (recipe.regime == nullptr || !index || !seed || !n || last[3] != dtype_name(c.x.dtype))
    return std::nullopt;
  recipe.index = *index;
  recipe.seed = *seed;
  for (const bool fixed : {false, true}) {
    for (const std::int64_t length : {row_length(c), static_cast<std::int64_t>(*n)}) {
      if (length < 1 || length > (std::int64_t{1} << 22)) continue;
      recipe.request =
          GenRequest{.dtype = c.x.dtype, .rows = row_count(c), .n = length, .norm_ndim = c.norm_ndim};
      recipe.request.fixed_eps = fixed;
      if (fixed) recipe.request.eps = c.eps;
      if (format_case(recipe.made()) == text) return recipe;
    }
  }
  return std::nullopt;
}

Json recipe_json(const Recipe& r) {
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

/// What results say of a recipe, if it is one and asks for no more than the command itself would.
std::optional<Recipe> recipe_from(const Json& json) {
  Recipe r;
  r.regime = find_regime(text_in(json, "regime"));
  const auto dtype = parse_dtype(text_in(json, "dtype"));
  r.request.rows = integer_in(json, "rows");
  r.request.n = integer_in(json, "n");
  r.request.norm_ndim = integer_in(json, "norm_ndim");
  r.request.eps = number_of(member(json, "eps"));
  r.request.fixed_eps = is_true(json, "fixed_eps");
  r.seed = static_cast<std::uint64_t>(integer_in(json, "seed"));
  r.index = static_cast<std::uint64_t>(integer_in(json, "index"));
  const bool sane = r.regime != nullptr && dtype && is_float(*dtype) && r.request.rows >= 1 &&
                    r.request.rows <= 8192 && r.request.n >= 1 && r.request.n <= (1 << 17) &&
                    r.request.rows * r.request.n <= (1 << 22) && r.request.norm_ndim >= 1 &&
                    r.request.norm_ndim <= 8;
  if (!sane) return std::nullopt;
  r.request.dtype = *dtype;
  return r;
}

bool is_case_path(const std::string& path) {
  constexpr std::string_view folder = "cases/", end = ".case";
  if (!path.starts_with(folder) || !path.ends_with(end) || path.size() > 160) return false;
  const std::string stem = path.substr(folder.size(), path.size() - folder.size() - end.size());
  return !stem.empty() && stem.front() != '.' && file_stem(stem) == stem;
}

}  // namespace

struct CaseShelf::Kept {
  std::string file;
  std::string id;
  std::string digest;
  std::string text;  ///< empty where there is a recipe
  Json recipe;
};

CaseShelf::CaseShelf() = default;
CaseShelf::~CaseShelf() = default;

std::string CaseShelf::add(const Case& c, std::string stem) {
  // The text takes long, and most are asked for many times.
  const std::string key = fmt::format(
      "{} {} {}", stem, c.id,
      std::hash<std::string_view>()({reinterpret_cast<const char*>(c.x.data.data()), c.x.data.size()}));
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  std::string text = format_case(c);
  const std::string digest = sha256_hex(text);
  if (stem.empty()) stem = c.id;
  stem = file_stem(stem);
  if (stem.empty() || stem.front() == '.') stem = "case" + stem;
  std::string file = fmt::format("cases/{}.case", stem);
  const auto of = [&] {
    return std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.file == file; });
  };
  // Another of the same name is told apart by what it holds.
  if (of() != kept_.end() && of()->digest != digest)
    file = fmt::format("cases/{}-{}.case", stem, digest.substr(0, 8));
  known_[key] = file;
  if (of() != kept_.end()) return file;
  Kept kept{file, c.id, digest, {}, nullptr};
  if (text.size() > longest_text) {
    if (const auto recipe = recipe_of(c, text)) kept.recipe = recipe_json(*recipe);
  }
  if (kept.recipe.is_null()) kept.text = std::move(text);
  kept_.push_back(std::move(kept));
  return file;
}

Json CaseShelf::json() const {
  std::vector<const Kept*> sorted;
  for (const Kept& kept : kept_) sorted.push_back(&kept);
  std::sort(sorted.begin(), sorted.end(), [](const Kept* a, const Kept* b) { return a->file < b->file; });
  Json out = Json::array();
  for (const Kept* kept : sorted) {
    Json one = {{"id", kept->id}, {"file", kept->file}, {"sha256", kept->digest}};
    if (kept->recipe.is_null()) {
      one["text"] = kept->text;
    } else {
      one["recipe"] = kept->recipe;
    }
    out.push_back(one);
  }
  return out;
}

std::vector<RenderedFile> results_cases(const Json& results, std::vector<std::string>& notes) {
  std::vector<RenderedFile> out;
  for (const Json& one : list_in(results, "cases")) {
    const std::string file = text_in(one, "file");
    if (!is_case_path(file)) {
      notes.push_back("a case whose file is not called cases/NAME.case was left out");
      continue;
    }
    const Json& text = member(one, "text");
    if (text.is_string()) {
      out.push_back({file, text.get<std::string>()});
      continue;
    }
    const auto recipe = recipe_from(member(one, "recipe"));
    std::string made;
    try {
      if (recipe) made = format_case(recipe->made());
    } catch (const InputError&) {
      made.clear();
    }
    if (made.empty() || sha256_hex(made) != text_in(one, "sha256")) {
      notes.push_back(fmt::format("{}: left out, this build makes another case of its recipe", file));
      continue;
    }
    out.push_back({file, std::move(made)});
  }
  return out;
}

}  // namespace normcheck

// Keeps cases, and makes them again.
#include "reports/results/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/finding.h"
#include "reports/named_case.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"

namespace normcheck {
namespace {

constexpr std::size_t longest_text = 4096;  ///< of a generated case that is kept as text

}  // namespace

bool is_case_path(const std::string& path) {
  constexpr std::string_view folder = "cases/", end = ".case";
  if (!path.starts_with(folder) || !path.ends_with(end) || path.size() > 160) return false;
  const std::string stem = path.substr(folder.size(), path.size() - folder.size() - end.size());
  return !stem.empty() && stem.front() != '.' && file_stem(stem) == stem;
}

struct CaseShelf::Kept {
  std::string file;
  std::string id;
  std::string input;
  std::string digest;
  std::string text;  ///< empty where there is a recipe
  Json recipe;
};

CaseShelf::CaseShelf(std::string folder) : folder_(std::move(folder)) {}
CaseShelf::~CaseShelf() = default;

void CaseShelf::know(const std::string& id, std::string path) { paths_[id] = std::move(path); }

std::string CaseShelf::input_of(const Case& c, const std::string& text) const {
  if (const auto known = paths_.find(c.id); known != paths_.end()) return known->second;
  if (const auto made = case_of_name(c.id); made && format_case(*made) == text) return c.id;
  const auto recipe = recipe_of(c, text);
  return recipe ? recipe->name() : std::string();
}

std::string CaseShelf::input(const std::string& file) const {
  const auto kept = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.file == file; });
  return kept == kept_.end() ? file : kept->input;
}

std::string CaseShelf::add(const Case& c, std::string stem, std::string input) {
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
  Kept kept{file, c.id, input.empty() ? input_of(c, text) : std::move(input), digest, {}, nullptr};
  if (text.size() > longest_text) {
    if (const auto recipe = recipe_of(c, text)) kept.recipe = recipe_json(*recipe);
  }
  if (kept.input.empty()) kept.input = (std::filesystem::path(folder_) / file).lexically_normal().string();
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
    Json one = {{"id", kept->id}, {"file", kept->file}, {"input", kept->input}, {"sha256", kept->digest}};
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

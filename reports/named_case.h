// Cases that need no file: a name that says how they are made, given where a file would be.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "props/gen.h"

namespace normcheck {

/// What make_case is asked for.
struct CaseRecipe {
  const Regime* regime = nullptr;
  GenRequest request;
  std::uint64_t seed = 0, index = 0;

  Case made() const { return make_case(*regime, request, seed, index); }
  /// "large_mean-f32-227-1-18,2x227[,dims2][,eps1e-05]": the id, and what the id does not say.
  std::string name() const;
};

/// Of a generated case, if its id and shape give the very same again; `text` is format_case of it.
std::optional<CaseRecipe> recipe_of(const Case& c, const std::string& text);
/// The members regime, dtype, rows, n, norm_ndim, eps, fixed_eps, seed and index.
nlohmann::ordered_json recipe_json(const CaseRecipe& recipe);
/// The same read; nullopt for what is none, or would ask for more than the command itself would.
std::optional<CaseRecipe> recipe_from(const nlohmann::ordered_json& json);

/// The case of a name: that of a recipe, or "kappa-100-f32-8x1024-1" of kappa_case. nullopt for all else.
std::optional<Case> case_of_name(std::string_view name);

/// The file, or, where there is none of that name, what the name makes. InputError: neither.
Case read_case_or_make(const std::string& file_or_name);

}  // namespace normcheck

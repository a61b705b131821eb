// The largest known errors, with their inputs, from the corpus (corpus/found).
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "reports/results/cases.h"

namespace normcheck {

/// `champions` of results.json: the records of the table in that folder that are `wanted`, in its order;
/// their cases go to the shelf; `place` is that folder as seen from the root of the checkout. Empty where
/// there is no table. InputError for one that cannot be read.
nlohmann::ordered_json champions_json(const std::filesystem::path& folder, const std::filesystem::path& place,
                                      const std::function<bool(std::string_view impl, DType dtype)>& wanted,
                                      CaseShelf& shelf);

}  // namespace normcheck

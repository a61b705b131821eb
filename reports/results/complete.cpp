// Looks for each member that the schema names, of every element of every list.
#include "reports/results/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "reports/results/reader.h"

namespace normcheck {
namespace {

/// Below a member of the document, "" being the document itself: what each of its elements must have. Lists
/// are named by what stands in brackets behind them.
struct Required {
  std::string_view list;   ///< a member of the document; "" is the document
  std::string_view inner;  ///< a list in each element of that; "" is the element itself
  std::string_view names;  ///< parted by blanks
  std::string_view lists;  ///< those of the names that must be lists, unless null
};
constexpr std::array<Required, 22> required = {{
    {"", "",
     "schema seed budget_evaluations contract plan implementations entries four public_inputs "
     "half_accumulation "
     "error_vs_kappa error_vs_n heat champions peers detection folklore recommendations findings cases "
     "unexpected run",
     "implementations entries four public_inputs error_vs_kappa error_vs_n heat champions folklore "
     "recommendations findings cases unexpected"},
    {"plan", "", "seed budget_evaluations budget_seconds contract command eps not_run", "eps not_run"},
    {"implementations", "",
     "name kind algorithm accumulate finish expect right passes divisions operations batch_invariant_merge "
     "bound_text bound_note time_ratio_to_two_pass time_note library version dtypes semantics",
     "dtypes"},
    {"entries", "", "impl dtype contract expect total regimes unexpected_findings unexpected_passes notes",
     "regimes unexpected_passes notes"},
    {"entries", "regimes",
     "regime cases evaluations verdicts elements largest largest_finite largest_share_of_bound verdict", ""},
    {"four", "",
     "family impl dtype cases findings elements proved nan_or_inf largest_share_of_bound share_of",
     "share_of"},
    {"public_inputs", "", "case file dtype origin", "origin"},
    {"half_accumulation", "", "impl input mean exact_mean mean_accumulated_in_f32 verdict", ""},
    {"error_vs_kappa", "", "impl dtype n contract points", "points"},
    {"error_vs_kappa", "points", "kappa error_ulp bound_ulp expected_ulp case", ""},
    {"error_vs_n", "", "impl dtype kappa contract points", "points"},
    {"error_vs_n", "points", "n error_ulp bound_ulp expected_ulp case", ""},
    {"heat", "", "impl dtype contract cells", "cells"},
    {"heat", "cells", "n kappa error_ulp bound_ulp blind verdict", ""},
    {"accuracy", "", "impl dtype n kappa contract error_ulp bound_ulp case", ""},
    {"champions", "",
     "impl library version dtype n evaluations objective kappa_most contract seed share_of_bound error_ulp "
     "normwise_u kappa case file command curve",
     "curve"},
    {"detection_floor", "", "dtype data n contract root divisor lost_far lost_mid", ""},
    {"folklore", "", "claim holds because impl dtype error_ulp bound_ulp case file command", ""},
    {"recommendations", "", "sentence standing from", "from"},
    {"findings", "",
     "impl dtype regime contract verdict expected case shape norm_ndim eps kappa rows wrong_rows elements "
     "wrong_elements replay",
     "shape"},
    {"cases", "", "id file sha256", ""},
    {"unexpected", "", "what replay", ""},
}};

std::string lack(const Json& object, const std::string& place, const Required& what) {
  const std::string at = place.empty() ? "/" : place;
  if (!object.is_object()) return fmt::format("{}: is no object", at);
  const auto each = [](std::string_view words, const auto& see) {
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      if (auto said = see(words.substr(0, end)); !said.empty()) return said;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    return std::string();
  };
  const std::string missing = each(what.names, [&](std::string_view name) {
    return object.contains(name) ? std::string() : fmt::format("{}: no member \"{}\"", at, name);
  });
  if (!missing.empty()) return missing;
  return each(what.lists, [&](std::string_view name) {
    const Json& value = member(object, name);
    return value.is_array() || value.is_null() ? std::string()
                                               : fmt::format("{}: member \"{}\" is no list", at, name);
  });
}

std::string lack_of(const Json& value, const std::string& place, const Required& what) {
  if (!value.is_array()) return value.is_null() ? "" : lack(value, place, what);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string here = fmt::format("{}/{}", place, i);
    if (what.inner.empty()) {
      if (auto said = lack(value[i], here, what); !said.empty()) return said;
      continue;
    }
    const Json& inner = member(value[i], what.inner);
    for (std::size_t k = 0; inner.is_array() && k < inner.size(); ++k) {
      if (auto said = lack(inner[k], fmt::format("{}/{}/{}", here, what.inner, k), what); !said.empty())
        return said;
    }
  }
  return "";
}

}  // namespace

std::string missing_member(const Json& results) {
  for (const Required& what : required) {
    const std::string said = what.list.empty()
                                 ? lack(results, "", what)
                                 : lack_of(member(results, what.list), "/" + std::string(what.list), what);
    if (!said.empty()) return said;
  }
  return "";
}

}  // namespace normcheck

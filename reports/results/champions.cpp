// Tells of the table of records in the words of a report.
#include "reports/results/champions.h"

#include <fmt/format.h>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "fuzz/attack/champions.h"
#include "reports/results/json.h"

namespace normcheck {

Json champions_json(const std::filesystem::path& folder, const std::filesystem::path& place,
                    const std::function<bool(std::string_view impl, DType dtype)>& wanted, CaseShelf& shelf) {
  Json out = Json::array();
  for (const Champion& champion : read_champions(folder)) {
    const ChampionKey& key = champion.key;
    if (!wanted(key.impl, key.dtype)) continue;
    const Case problem = read_case(folder / champion.file);
    const std::string file = shelf.add(problem, std::filesystem::path(champion.file).stem().string(),
                                       (place / champion.file).lexically_normal().string());
    const bool outside = !champion.version.empty();
    Json one;
    one["impl"] = key.impl;
    one["library"] = outside ? Json(key.impl) : Json();
    one["version"] = outside ? Json(champion.version) : Json();
    one["dtype"] = dtype_name(key.dtype);
    one["n"] = row_length(problem);
    one["evaluations"] = champion.evaluations;
    one["objective"] = objective_name(key.objective);
    one["kappa_most"] = key.kappa_most > 0 && std::isfinite(key.kappa_most) ? Json(key.kappa_most) : Json();
    one["contract"] = key.contract;
    one["seed"] = champion.seed;
    put_measured(one, "share_of_bound", champion.share);
    put_measured(one, "error_ulp", champion.ulp);
    put_measured(one, "normwise_u", champion.normwise_u);
    put_measured(one, "kappa", champion.kappa);
    one["case"] = problem.id;
    one["file"] = file;
    one["command"] = replay_line(built_command, replay_arguments(shelf.input(file), key.impl, key.contract));
    one["curve"] = Json::array();
    for (const auto& [evaluations, value] : champion.curve)
      one["curve"].push_back({evaluations, json_number(value)});
    out.push_back(one);
  }
  return out;
}

}  // namespace normcheck

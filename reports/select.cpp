// Looks up names, and says what is near where there is none.
#include "reports/select.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "corpus/case_file.h"
#include "corpus/edit_distance.h"
#include "corpus/error.h"
#include "reports/plugins.h"

namespace normcheck {
namespace {

/// Of the table alone.
const Row& built_in(std::string_view name) {
  if (const Row* row = find_row(name)) return *row;
  if (name.ends_with(".py"))
    throw InputError(fmt::format(
        "unknown implementation '{0}'; a program is named with its command: 'exec:python3 {0}'", name));
  std::vector<std::string> names;
  for (const Row& row : table()) names.emplace_back(row.name);
  for (const Peer& peer : peers()) names.emplace_back(peer.name);
  throw InputError(
      fmt::format("unknown implementation '{}'; nearest: {} (all: normcheck list, list --peers; a shared "
                  "object: ./NAME.so; "
                  "a program: exec:COMMAND)",
                  name, fmt::join(nearest_names(name, names), ", ")));
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& known : names) scored.emplace_back(edit_distance(name, known), known);
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, scored.size()); ++i) out.push_back(scored[i].second);
  return out;
}

const Row& row_named(const std::string& name, const Options& options) {
  if (!names_a_plugin(name)) return built_in(name);
  const std::vector<const Row*> rows = plugin_rows(name, options);
  if (rows.size() == 1) return *rows.front();
  std::vector<std::string_view> names;
  for (const Row* row : rows) names.push_back(row->name);
  throw InputError(fmt::format("{} has {} implementations; expected one of {}", name, rows.size(),
                               fmt::join(names, ", ")));
}

std::vector<const Row*> rows_named(const std::vector<std::string>& names, const Options& options) {
  for (const std::string& name : names) {
    if (!names_a_plugin(name)) built_in(name);
  }
  std::vector<const Row*> rows;
  const auto add = [&](const Row* row) {
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  };
  for (const std::string& name : names) {
    if (names_a_plugin(name)) {
      for (const Row* row : plugin_rows(name, options)) add(row);
    } else {
      add(&built_in(name));
    }
  }
  return rows;
}

DType dtype_named(std::string_view name) {
  const auto dtype = parse_dtype(name);
  if (!dtype || !is_float(*dtype)) {
    throw InputError(fmt::format("unknown dtype '{}'; expected f64, f32, f16 or bf16", name));
  }
  return *dtype;
}

std::vector<DType> dtypes_named(const std::vector<std::string>& names) {
  std::vector<DType> out;
  for (const std::string& name : names) out.push_back(dtype_named(name));
  return out;
}

std::vector<const Regime*> regimes_named(const std::vector<std::string>& names) {
  std::vector<const Regime*> out;
  if (names.empty()) {
    for (const Regime& regime : regimes()) out.push_back(&regime);
    return out;
  }
  for (const std::string& name : names) {
    const Regime* regime = find_regime(name);
    if (regime == nullptr) {
      std::vector<std::string> known;
      for (const Regime& r : regimes()) known.emplace_back(r.name);
      throw InputError(fmt::format("unknown regime '{}'; nearest: {} (all: normcheck list --regimes)", name,
                                   fmt::join(nearest_names(name, known), ", ")));
    }
    if (std::find(out.begin(), out.end(), regime) == out.end()) out.push_back(regime);
  }
  return out;
}

OracleChoice oracle_named(std::string_view name) {
  if (name == "automatic") return OracleChoice::automatic;
  if (name == "exact") return OracleChoice::exact;
  if (name == "wide") return OracleChoice::wide;
  throw InputError(fmt::format("--oracle: unknown '{}'; expected automatic, exact or wide", name));
}

std::vector<DType> dtypes_of(const Row& row, const std::vector<DType>& wanted) {
  std::vector<DType> out;
  for (const DType dtype : row.storages) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), dtype) != wanted.end())
      out.push_back(dtype);
  }
  return out;
}

void require_writable(const std::filesystem::path& folder, std::string_view option) {
  std::error_code error;
  std::filesystem::path at = std::filesystem::absolute(folder, error);
  while (!at.empty() && !std::filesystem::exists(std::filesystem::symlink_status(at, error)) &&
         at != at.parent_path()) {
    at = at.parent_path();
  }
  if (!std::filesystem::is_directory(at, error)) {
    throw InputError(
        fmt::format("{}: {}: cannot be written, {} is not a folder", option, folder.string(), at.string()));
  }
  if (access(at.c_str(), W_OK | X_OK) != 0) {
    throw InputError(
        fmt::format("{}: {}: cannot be written, no permission in {}", option, folder.string(), at.string()));
  }
}

void make_folder(const std::filesystem::path& folder, std::string_view option) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError(fmt::format("{}: {}: cannot be made: {}", option, folder.string(), error.message()));
}

void require_file(const std::string& file, std::string_view option) {
  if (file.empty()) return;
  require_writable(std::filesystem::absolute(file).parent_path(), option);
  if (std::filesystem::is_directory(file))
    throw InputError(fmt::format("{}: {}: is a folder; expected a file", option, file));
}

void write_asked_file(const std::string& file, std::string_view option, std::string_view content) {
  if (file.empty()) return;
  make_folder(std::filesystem::absolute(file).parent_path(), option);
  write_file_atomically(file, content);
}

}  // namespace normcheck

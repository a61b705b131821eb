// Looks up what the command line named: implementations, dtypes, regimes, contract, output folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "impl/table.h"
#include "oracles/judge.h"
#include "props/gen.h"
#include "reports/options.h"

namespace normcheck {

/// The row of that name, of the table or of a plug-in (plugins.h). InputError naming the nearest names, or
/// for a plug-in of several implementations; LoadError for one that cannot be loaded.
const Row& row_named(const std::string& name, const Options& options);
/// All of them, each once; of a plug-in all that it has. An unknown name comes before one that cannot be
/// loaded, whichever stands first.
std::vector<const Row*> rows_named(const std::vector<std::string>& names, const Options& options);
/// InputError for a name that is none, with the names that are.
DType dtype_named(std::string_view name);
std::vector<DType> dtypes_named(const std::vector<std::string>& names);
/// All regimes for no names.
std::vector<const Regime*> regimes_named(const std::vector<std::string>& names);
OracleChoice oracle_named(std::string_view name);

/// The storage dtypes of `row` that are among `wanted` (all for none), in the row's order.
std::vector<DType> dtypes_of(const Row& row, const std::vector<DType>& wanted);

/// InputError if nothing could be written there; creates nothing.
void require_writable(const std::filesystem::path& folder, std::string_view option);
/// The same of a file, and not where a folder has its name; an empty name is fine.
void require_file(const std::string& file, std::string_view option);
/// Writes the file, whole or not at all, and the folders above it; does nothing where the name is empty.
/// InputError.
void write_asked_file(const std::string& file, std::string_view option, std::string_view content);
/// Creates it; InputError if that fails.
void make_folder(const std::filesystem::path& folder, std::string_view option);

/// The (at most three) names nearest to `name` by edit distance, nearest first.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names);

}  // namespace normcheck

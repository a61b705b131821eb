// The files of a report, made of its results.json alone.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace normcheck {

struct RenderedFile {
  std::string path;  ///< below the folder of the report
  std::string content;
};

/// Everything but results.json: report.md, results.csv, junit.xml, the pictures, the cases, and the page. The
/// same results give the same bytes. `notes` hears of what was left out, a line each: cases that this build
/// would make otherwise than the results say.
std::vector<RenderedFile> rendered_files(const nlohmann::ordered_json& results,
                                         std::vector<std::string>& notes);

/// Writes them, each whole or not at all. InputError.
void write_rendered(const std::filesystem::path& folder, const std::vector<RenderedFile>& files);

/// What the report that lies in the folder made there, by the results.json beside it: cases whose bytes are
/// still those that it wrote, and pictures. Nothing where there is none.
std::vector<std::string> files_of_report(const std::filesystem::path& folder);
/// Removes those of `before` that are not among `files`, and says so in a note: what a user put there stays.
void clear_older(const std::filesystem::path& folder, const std::vector<std::string>& before,
                 const std::vector<RenderedFile>& files, std::vector<std::string>& notes);

/// report.md: under 60 KB, for GitHub.
std::string report_markdown(const nlohmann::ordered_json& results);
/// A line for each implementation, dtype, and regime, `all` among them.
std::string results_csv(const nlohmann::ordered_json& results);
/// A suite for each implementation and dtype, a test for each regime.
std::string results_junit(const nlohmann::ordered_json& results);
/// svg/*.svg: cost against accuracy; error and bound against kappa and against n, and the maps of kappa x n,
/// one each dtype that was swept.
std::vector<RenderedFile> results_pictures(const nlohmann::ordered_json& results);
/// cases/*.case.
std::vector<RenderedFile> results_cases(const nlohmann::ordered_json& results,
                                        std::vector<std::string>& notes);

}  // namespace normcheck

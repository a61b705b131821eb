// What a report shows of the runs that are published beside it: the real libraries, and detection.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace normcheck {

/// The folder of published results: the source tree's, else the installed one beside this program
/// (../share/normcheck/published); nullopt if there is none.
std::optional<std::filesystem::path> find_published();

/// `peers` and `detection` of results.json, from peers.json and detection.json of that folder, cut to what is
/// shown; null where the file is not there. InputError for one that cannot be read.
nlohmann::ordered_json published_peers(const std::filesystem::path& folder);
nlohmann::ordered_json published_detection(const std::filesystem::path& folder);

}  // namespace normcheck

// peers.md and peers.json: what the real libraries scored.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/peers.h"

namespace normcheck {

struct PeersData {
  std::vector<PeerEntry> entries;
  std::vector<const Peer*> absent;  ///< not installed
  SweepPlan plan;
  std::string command;                                     ///< that made it
  std::vector<std::pair<std::string, std::string>> run{};  ///< machine, build, clock
};

/// "FAIL", or the worst verdict of any case that stands above PASS.
std::string_view worst_verdict(const Tally& total);

std::string peers_markdown(const PeersData& data);
/// Everything but `run` and the seconds depends on seed, budget, libraries and instruction set alone.
std::string peers_json(const PeersData& data);

}  // namespace normcheck

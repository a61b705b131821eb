// The real libraries: what is told of them, and whether what was found is what is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "impl/peers/peers.h"
#include "reports/options.h"
#include "reports/sweep.h"

namespace normcheck {

/// `list --peers`: every peer, whether it is installed, its version, what pins it, what is known of it.
/// Each that is installed is loaded.
std::string peers_text(const Options& options);

/// What is known to be wrong with it, a NOTE each.
std::string known_text(const Peer& peer);

/// One peer at one dtype, judged.
struct PeerEntry {
  const Peer* peer;
  SweepEntry entry;
  double seconds;
  /// What nobody expected: "FAIL in regime unit_normal: 2 of 33 cases", or a known fault that did not show.
  std::vector<std::string> unexpected;
};

/// Compares what was found with the faults that are known of the peer. A crash or a hang is never known.
std::vector<std::string> unexpected_of(const Peer& peer, const SweepEntry& entry);

/// The reasons of the known faults at this dtype.
std::vector<std::string_view> known_at(const Peer& peer, DType dtype);

}  // namespace normcheck

// Tells what there is of each library, and compares what was found with what is known.
#include "reports/peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "corpus/error.h"
#include "reports/console.h"
#include "reports/plugins.h"

namespace normcheck {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  std::istringstream in{std::string(words)};
  for (std::string each; in >> each;) {
    if (each == word) return true;
  }
  return false;
}

bool covers(const KnownFault& fault, DType dtype, std::string_view regime) {
  return has_word(fault.dtypes, dtype_name(dtype)) &&
         (fault.regimes.empty() || has_word(fault.regimes, regime));
}

constexpr std::size_t column = 16;
std::string line(std::string_view label, std::string_view text) {
  return fmt::format("  {:<{}}{}", label, column - 2, wrapped(text, column));
}

std::string installed_text(const Peer& peer, const Options& options) {
  if (peer_target(peer).empty()) {
    // Not wrapped: it is to be typed.
    return line("installed", "no; to install it:") + fmt::format("    {}\n", install_command(peer));
  }
  try {
    std::string out;
    for (const Row* row : plugin_rows(std::string(peer.name), options)) {
      std::vector<std::string_view> dtypes;
      for (const DType dtype : row->storages) dtypes.push_back(dtype_name(dtype));
      out += line("installed", fmt::format("{}: {}", version_of(*row), fmt::join(dtypes, " ")));
    }
    return out;
  } catch (const LoadError& e) {
    return line("installed", "no:") + fmt::format("    {}\n", e.what());
  }
}

}  // namespace

std::string peers_text(const Options& options) {
  std::string out;
  for (const Peer& peer : peers()) {
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", peer.name);
    out += line("is", peer.about) +
           line("of", peer.source == PeerSource::pypi ? std::string(peer.packages)
                                                      : fmt::format("{} {}", peer.packages, peer.version)) +
           installed_text(peer, options) +
           line("pinned by", fmt::format("{}", fmt::join(peer_environment(peer), " ")));
    for (const KnownFault& fault : peer.known) {
      out += line("fails", fmt::format("{}{}{}: {}", fault.dtypes, fault.regimes.empty() ? "" : ", ",
                                       fault.regimes, fault.reason));
    }
  }
  return out;
}

std::string known_text(const Peer& peer) {
  std::string out;
  for (const KnownFault& fault : peer.known) {
    out += "NOTE     " + wrapped(fmt::format("known of {} {}{}{}: {}", peer.name, fault.dtypes,
                                             fault.regimes.empty() ? "" : ", ", fault.regimes, fault.reason),
                                 9);
  }
  return out;
}

std::vector<std::string> unexpected_of(const Peer& peer, const SweepEntry& entry) {
  std::vector<std::string> out;
  std::vector<bool> shown(peer.known.size(), false);
  for (const Tally& tally : entry.regimes) {
    bool known = false;
    for (std::size_t i = 0; i < peer.known.size(); ++i) {
      if (!covers(peer.known[i], entry.dtype, tally.regime)) continue;
      known = true;
      if (tally.of(Verdict::fail) > 0) shown[i] = true;
    }
    for (const Verdict verdict : {Verdict::crash, Verdict::timeout, Verdict::fail, Verdict::suspect}) {
      if (tally.of(verdict) == 0 || (verdict == Verdict::fail && known)) continue;
      out.push_back(fmt::format("{} in regime {}: {} of {} cases", verdict_name(verdict), tally.regime,
                                tally.of(verdict), tally.cases));
    }
  }
  for (const ProbeTally& tally : entry.probes) {
    const std::string name = fmt::format("{}{}", probe_regime, tally.probe->name);
    bool known = false;
    for (std::size_t i = 0; i < peer.known.size(); ++i) {
      if (!has_word(peer.known[i].regimes, name) || !covers(peer.known[i], entry.dtype, name)) continue;
      known = true;
      if (tally.findings > 0) shown[i] = true;
    }
    if (tally.findings > 0 && !known)
      out.push_back(fmt::format("{} of {} calls of {}", tally.findings, tally.calls(), name));
  }
  for (std::size_t i = 0; i < peer.known.size(); ++i) {
    const bool here = has_word(peer.known[i].dtypes, dtype_name(entry.dtype));
    if (here && !shown[i])
      out.push_back(fmt::format("it did not fail, as is known of it: {}", peer.known[i].reason));
  }
  return out;
}

std::vector<std::string_view> known_at(const Peer& peer, DType dtype) {
  std::vector<std::string_view> out;
  for (const KnownFault& fault : peer.known) {
    if (has_word(fault.dtypes, dtype_name(dtype))) out.push_back(fault.reason);
  }
  return out;
}

}  // namespace normcheck

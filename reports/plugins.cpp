// Opens plug-ins once and keeps their rows: a row is referred to by address everywhere.
#include "reports/plugins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>

#include "corpus/error.h"
#include "impl/defects/defect.h"
#include "impl/peers/peers.h"
#include "reports/probes.h"

namespace normcheck {
namespace {

constexpr std::string_view program_prefix = "exec:";

/// "defect:B001" or "B001".
bool names_a_defect(std::string_view name) {
  return name.starts_with(defect_prefix) || find_defect(name) != nullptr;
}

/// By what was given on the command line, without the name of an implementation. They end with the process.
std::map<std::string, OpenedPlugin>& opened() {
  static std::map<std::string, OpenedPlugin> all;
  return all;
}

/// "torch", or one implementation of it, "torch:name".
const Peer* peer_of(std::string_view name) { return find_peer(name.substr(0, name.find(':'))); }

/// "./libmine.so:name" in two; the second is empty where all are meant.
std::pair<std::string, std::string> split_name(const std::string& name) {
  if (names_a_defect(name)) {
    const bool short_form = !name.starts_with(defect_prefix);
    return {std::string(defect_prefix), short_form ? name : name.substr(defect_prefix.size())};
  }
  if (name.starts_with(program_prefix)) {
    const auto at = name.rfind("::");
    if (at == std::string::npos) return {name, ""};
    return {name.substr(0, at), name.substr(at + 2)};
  }
  if (peer_of(name) != nullptr) {
    const auto at = std::min(name.find(':'), name.size());
    return {name.substr(0, at), at < name.size() ? name.substr(at + 1) : ""};
  }
  const auto at = name.rfind(".so:");
  if (at == std::string::npos) return {name, ""};
  return {name.substr(0, at + 3), name.substr(at + 4)};
}

bool skips_probe(const Options& options, std::string_view name) {
  const auto skipped = probes_named(options.skip_probes);
  return std::any_of(skipped.begin(), skipped.end(), [&](const Probe* probe) { return probe->name == name; });
}

std::unique_ptr<Plugin> opened_target(const std::string& target, const PluginOptions& how) {
  if (target == defect_prefix) {
    return how.in_process ? Plugin::open_linked(defects_plugin, target, how)
                          : Plugin::open_linked_in_worker(target, how);
  }
  if (!target.starts_with(program_prefix)) return Plugin::open_object(target, how);
  return Plugin::open_program(shell_words(target.substr(program_prefix.size())), how);
}

/// A library by its name, with what pins its instruction set and threads in its environment.
std::unique_ptr<Plugin> opened_peer(const Peer& peer, PluginOptions how) {
  const std::string target = peer_target(peer);
  if (target.empty())
    throw LoadError(fmt::format("{} is not installed; to install it: {}", peer.name, install_command(peer)));
  how.environment = peer_environment(peer);
  for (const std::string& variable : how.environment) {
    const auto at = variable.find('=');
    if (how.in_process) setenv(variable.substr(0, at).c_str(), variable.substr(at + 1).c_str(), 1);
  }
  try {
    return opened_target(target, how);
  } catch (const LoadError& e) {
    throw LoadError(fmt::format("{}: {}; to install it: {}", peer.name, e.what(), install_command(peer)));
  }
}

}  // namespace

void open_into(OpenedPlugin& out, const std::string& what, const Options& options) {
  PluginOptions how;
  how.in_process = options.in_process;
  how.deadline = options.deadline;
  if (options.memory_gib) how.memory = static_cast<std::uint64_t>(*options.memory_gib * 0x1p30);
  const bool program = what.starts_with(program_prefix);
  const Peer* peer = find_peer(what);
  out.plugin = peer != nullptr ? opened_peer(*peer, how) : opened_target(what, how);
  const bool one = out.plugin->implementations().size() == 1;
  const std::string separator = what == defect_prefix ? "" : program ? "::" : ":";
  for (Implementation& implementation : out.plugin->implementations()) {
    for (std::size_t i = 0; i < watch_names.size(); ++i) {
      const bool off = skips_probe(options, watch_names[i]);
      for (Watches& watches : implementation.watches) watches.off[i] = off;
    }
    out.names.push_back(one ? what : fmt::format("{}{}{}", what, separator, implementation.name));
    out.rows.push_back(row_of(implementation, out.names.back()));
    implementation.ask_refusals |= options.strict;
  }
}

namespace {

OpenedPlugin& open(const std::string& what, const Options& options) {
  const auto at = opened().find(what);
  if (at != opened().end()) return at->second;
  OpenedPlugin fresh;
  open_into(fresh, what, options);
  return opened().emplace(what, std::move(fresh)).first->second;
}

/// What it claims; nothing, and why in `notes`, where that cannot be read. Unknown keys are notes too.
Claims claimed(const Row& row, std::vector<std::string>& notes) {
  const std::string claims(row.outside->claims_text());
  if (claims.empty()) return {};
  try {
    return parse_claims(claims, &notes);
  } catch (const InputError& e) {
    notes.push_back(fmt::format("claims '{}' cannot be read, it is held to stable: {}", claims, e.what()));
    return {};
  }
}

}  // namespace

bool names_a_plugin(std::string_view name) {
  return peer_of(name) != nullptr || names_a_defect(name) || name.starts_with(program_prefix) ||
         name.ends_with(".so") || name.find(".so:") != std::string_view::npos ||
         name.find(".so.") != std::string_view::npos;
}

std::vector<const Row*> plugin_rows(const std::string& name, const Options& options) {
  const auto [what, which] = split_name(name);
  OpenedPlugin& plugin = open(what, options);
  std::vector<const Row*> out;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plugin.rows.size(); ++i) {
    const std::string& own = plugin.plugin->implementations()[i].name;
    if (which.empty() || own == which) out.push_back(&plugin.rows[i]);
    names.push_back(own);
  }
  if (out.empty()) {
    throw InputError(
        fmt::format("{} has no implementation '{}'; it has {}", what, which, fmt::join(names, ", ")));
  }
  return out;
}

void with_fresh_row(const std::string& name, const Options& options,
                    const std::function<void(const Row&)>& work) {
  OpenedPlugin fresh;
  open_into(fresh, split_name(name).first, options);
  for (const Row& row : fresh.rows) {
    if (row.name == name) return work(row);
  }
  throw InputError(fmt::format("{} has no such implementation any more", name));
}

Contract contract_of(const Row& row, const std::string& contract) {
  if (row.outside == nullptr) return parse_contract(contract, &row);
  std::vector<std::string> notes;
  return parse_contract(contract, claimed(row, notes));
}

std::vector<std::string> claim_notes(const Row& row) {
  std::vector<std::string> out;
  if (row.outside != nullptr) claimed(row, out);
  return out;
}

const Peer* peer_of(const Row& row) { return row.outside == nullptr ? nullptr : peer_of(row.name); }

std::string version_of(const Row& row) {
  return row.outside == nullptr ? "" : static_cast<const Implementation*>(row.outside)->version;
}

std::string plugin_title(const Row& row) {
  const std::string version = version_of(row);
  std::string out(row.name);
  if (!version.empty()) out += fmt::format(" {}", version);
  if (const Peer* peer = peer_of(row); peer != nullptr)
    out += fmt::format(" ({})", fmt::join(peer_environment(*peer), " "));
  return out;
}

std::string plugin_output() {
  std::string out;
  for (const auto& [name, plugin] : opened()) {
    const std::string text = plugin.plugin->output();
    if (!text.empty()) out += fmt::format("{} printed\n{}", name, text);
  }
  return out;
}

}  // namespace normcheck

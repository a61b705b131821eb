// Kernels from outside by their names on the command line: rows that are called like those of the table.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impl/peers/peers.h"
#include "impl/plugin/plugin.h"
#include "impl/table.h"
#include "oracles/contract.h"
#include "reports/options.h"

namespace normcheck {

/// Whether the name is that of a shared object, `./libmine.so` or `./libmine.so:name`, of a program,
/// `exec:python3 my_norm.py`, of a peer, `torch` or `torch:name`, or of a known mistake, `defect:B001` or
/// `B001` (impl/defects).
bool names_a_plugin(std::string_view name);

/// The rows of what the name says, opened once in the life of this process: all implementations of an object
/// or program, or the one that is named. LoadError where it cannot be loaded; InputError for a name in it
/// that is none.
std::vector<const Row*> plugin_rows(const std::string& name, const Options& options);

/// A plug-in with a row for each of its implementations, which refer to it.
struct OpenedPlugin {
  std::unique_ptr<Plugin> plugin;
  std::deque<std::string> names;
  std::deque<Row> rows;
};
/// Opens a plug-in, beside one that may be open already, into what is to stay where it is. LoadError.
void open_into(OpenedPlugin& out, const std::string& what, const Options& options);
/// What all known mistakes are opened by (impl/defects).
inline constexpr std::string_view defect_prefix = "defect:";

/// Opens the plug-in once more, beside the one that is open, and does `work` with its row of that name.
/// LoadError, InputError as plugin_rows.
void with_fresh_row(const std::string& name, const Options& options,
                    const std::function<void(const Row&)>& work);

/// What the row is held to under a contract as it was asked for: for a plug-in, with what it claims (the
/// second parse_contract of oracles/contract.h).
Contract contract_of(const Row& row, const std::string& contract);

/// What of a plug-in's claims is not understood, a line each; none for a row of the table.
std::vector<std::string> claim_notes(const Row& row);

/// The peer that the row is of; nullptr if it is none.
const Peer* peer_of(const Row& row);
/// As the plug-in says it; may be empty.
std::string version_of(const Row& row);
/// The row's name, its version, and of a peer what pins it: "onednn 2.6.3 AVX2 (DNNL_MAX_CPU_ISA=AVX2)".
std::string plugin_title(const Row& row);

/// The beginning and the end of what the plug-ins printed.
std::string plugin_output();

}  // namespace normcheck

// The other side of a worker: what normcheck runs as a child process, around a kernel.
#pragma once

#include <cstdint>

struct nc_plugin;

namespace normcheck {

/// With this exit code a worker says that it cannot answer: the kernel closed its control socket.
inline constexpr int closed_control_exit = 121;

/// The word that comes before the arguments of plugin_worker_main on a command line.
inline constexpr const char* plugin_worker_word = "plugin-worker";

/// `object PATH`: loads the shared object and serves calls on descriptors 3 and 4 (protocol.h) until the end
/// of file. `linked NAME`: the same with plug-ins of the program itself, which `linked` hands out (what
/// normcheck_plugin_v1 does). `program WORD...`: runs a program that does so, and keeps it from outliving the
/// host. Returns the exit code. A program whose path is PluginOptions::worker begins its main with
///   if (argc > 1 && std::string_view(argv[1]) == plugin_worker_word) return plugin_worker_main(argc - 2,
///   argv + 2);
using LinkedEntry = const nc_plugin* (*)(std::uint32_t host_minor, std::uint32_t index);
int plugin_worker_main(int argc, const char* const* argv, LinkedEntry linked = nullptr);

}  // namespace normcheck

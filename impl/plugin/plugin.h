// Kernels from outside: shared objects and programs, opened once, called case by case, and survived.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/outside.h"
#include "impl/plugin/layout.h"
#include "impl/plugin/watch.h"
#include "impl/table.h"

struct nc_plugin;

namespace normcheck {

struct PluginOptions {
  bool in_process = false;         ///< a shared object is called in this process: its crash is ours
  std::optional<double> deadline;  ///< seconds, of every wait; else 10, and 40 where a program may compile
  std::uint64_t memory = std::uint64_t{4} << 30;  ///< address space of a worker beside the arena; 0: no limit
  /// "NAME=value" of its process, in place of what this one has; nothing for a shared object in this process.
  std::vector<std::string> environment = {};
  /// The program that hosts shared objects: one that hands argv to plugin_worker_main (worker_main.h).
  std::string worker = "/proc/self/exe";
};

class PluginHost;
struct Hello;

/// One implementation of a plug-in. Calls may come from any thread; they are made one at a time.
class Implementation : public Outside {
 public:
  std::string name;           ///< as the plug-in says it
  std::string version;        ///< may be empty
  std::string claims;         ///< the claims of a contract, as given; may be empty
  std::vector<DType> dtypes;  ///< storage dtypes of x that it offers

  /// Runs it on a case: y, and mean and rstd as asked. Never throws for what the plug-in does: it answers
  /// crash or timeout (`message`: how, in words), and not_run once it has crashed three times in a row, or
  /// timed out three times, at this op and dtype. `faults` are what it did wrong beside its answer: wrote
  /// outside an output, changed an input, left an output unwritten, changed the floating-point environment,
  /// closed a descriptor. A call that is to be refused (impl/semantics.h) is made only with ask_refusals.
  Observation run(const Case& c, Wanted wanted) override { return run(c, wanted, Layout::dense); }
  Observation run(const Case& c, Wanted wanted, Layout layout);

  std::string_view claims_text() const override { return claims; }

  bool ask_refusals = false;
  bool statistics_as_x = false;   ///< it gives mean and rstd of halves in x's dtype, and is asked for that
  bool offers_statistics = true;  ///< else neither mean nor rstd is asked for
  std::optional<DType> y_dtype;   ///< of y where x holds integers; else that of x
  /// What of max_calls and max_shapes (protocol.h) may be used so far: the rest is kept for later calls.
  double share = 1;
  std::optional<std::int64_t> max_shapes;  ///< as it announces it
  double extra_seconds = 0;  ///< to wait for an answer beside the usual: a large problem takes its time
  bool is_program = false;
  bool has_guard_pages = false;      ///< Layout::guard_after and guard_before can be asked for
  std::array<Watches, 8> watches{};  ///< by dtype; faults of those that are off are not told

 private:
  friend class Plugin;
  std::vector<std::string> load_faults_;
  std::array<bool, 8> told_load_faults_{};  ///< by dtype
  PluginHost* host_ = nullptr;
  std::size_t index_ = 0;
};

/// A shared object or a program with its implementations. Its processes end with it.
class Plugin {
 public:
  /// `path` of a shared object. LoadError: no such file, no ELF file, no symbol, another abi_major, a crash
  /// or a hang while it is loaded.
  static std::unique_ptr<Plugin> open_object(const std::string& path, const PluginOptions& options = {});
  /// One that is linked into this program: its normcheck_plugin_v1, called in this process. LoadError
  /// likewise.
  static std::unique_ptr<Plugin> open_linked(const nc_plugin* (*entry)(std::uint32_t, std::uint32_t),
                                             const std::string& name, const PluginOptions& options = {});
  /// Those that PluginOptions::worker is linked with, in a process of its own (worker_main.h). LoadError
  /// likewise.
  static std::unique_ptr<Plugin> open_linked_in_worker(const std::string& name,
                                                       const PluginOptions& options = {});
  /// The words of a command line, run without a shell. LoadError likewise, and where it does not say hello.
  static std::unique_ptr<Plugin> open_program(const std::vector<std::string>& words,
                                              const PluginOptions& options = {});
  ~Plugin();

  std::vector<Implementation>& implementations() { return implementations_; }
  /// nullptr if there is none.
  Implementation* find(std::string_view name);

  /// What loading did wrong: it changed the floating-point environment. The first observation of each
  /// implementation and dtype has it among its faults.
  const std::vector<std::string>& load_faults() const { return load_faults_; }
  /// The beginning and the end of what its processes wrote to stdout and stderr.
  std::string output() const;

 private:
  Plugin();
  static std::unique_ptr<Plugin> make(std::unique_ptr<PluginHost> host, const Hello& hello,
                                      bool has_guard_pages, bool is_program);
  void ask_dtypes(Implementation& implementation);
  std::unique_ptr<PluginHost> host_;
  std::vector<Implementation> implementations_;
  std::vector<std::string> load_faults_;
};

/// The row of a kernel from outside, under a name that outlives it. What the implementation claims of how it
/// may be called is heeded from now on: whether calls to be refused are made, and which statistics it gives.
Row row_of(Implementation& implementation, std::string_view name);

/// The words of a command line by the rules of a shell (spaces, quotes, backslashes), without anything that
/// a shell would run or expand. InputError for an open quote or no word.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace normcheck

// One plug-in behind one call: its arena, its process or its object, and the patience with it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "impl/plugin/arena.h"
#include "impl/plugin/loaded_object.h"
#include "impl/plugin/patience.h"
#include "impl/plugin/plugin.h"
#include "impl/plugin/worker.h"

namespace normcheck {

/// How a case is called.
struct HostCall {
  Wanted wanted{};
  Layout layout = Layout::dense;
  std::optional<DType> y = std::nullopt;  ///< its dtype, where that is not x's
  double share = 1;                       ///< how much of what it allows may be used so far
  double extra_seconds = 0;               ///< beside what it is waited for
};

class PluginHost {
 public:
  /// Loads it; `hello` is what it says of itself. LoadError.
  static std::unique_ptr<PluginHost> of_object(const std::string& path, const PluginOptions& options,
                                               Hello& hello);
  static std::unique_ptr<PluginHost> of_linked(LoadedObject::Entry entry, const std::string& name,
                                               const PluginOptions& options, Hello& hello);
  /// In a process of its own: "object" and a path, or "linked" and a name (worker_main.h).
  static std::unique_ptr<PluginHost> in_worker(const std::string& kind, const std::string& name,
                                               const PluginOptions& options, Hello& hello);
  static std::unique_ptr<PluginHost> of_program(const std::vector<std::string>& words,
                                                const PluginOptions& options, Hello& hello);

  /// Writes the call into the arena, makes it, and looks at what it did. One at a time.
  Observation run(std::size_t implementation, const Case& c, const HostCall& how);
  /// At most so many calls of an implementation with each dtype, and so many shapes.
  void allow(std::size_t implementation, std::optional<std::int64_t> calls,
             std::optional<std::int64_t> shapes);
  std::string output() const;

 private:
  explicit PluginHost(const PluginOptions& options) : patience_(options.deadline) {}
  bool may_compile(const CallPlan& plan) const;
  /// In a worker that is waited for so many seconds, or here.
  Answer call(std::size_t implementation, const CallPlan& plan, double seconds);
  /// What one implementation allows of one dtype, and what of it was used.
  struct Allowance {
    std::optional<std::int64_t> calls, shapes;
    std::int64_t called = 0;
    std::set<std::string> seen;
  };
  static std::optional<std::string> used_up(Allowance& allowance, const Case& c, double share);
  std::map<std::pair<std::size_t, DType>, Allowance> allowances_;
  mutable std::mutex turn_;
  Arena arena_;
  Patience patience_;
  bool is_program_ = false;
  double start_took_ = 0;                 // seconds
  std::unique_ptr<LoadedObject> object_;  // in this process, or
  std::unique_ptr<Worker> worker_;        // in another
};

}  // namespace normcheck

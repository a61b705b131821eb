// One plug-in behind one call: its arena, its process or its object, and the patience with it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "impl/plugin/arena.h"
#include "impl/plugin/loaded_object.h"
#include "impl/plugin/patience.h"
#include "impl/plugin/plugin.h"
#include "impl/plugin/worker.h"

namespace normcheck {

class PluginHost {
 public:
  /// Loads it; `hello` is what it says of itself. LoadError.
  static std::unique_ptr<PluginHost> of_object(const std::string& path, const PluginOptions& options,
                                               Hello& hello);
  static std::unique_ptr<PluginHost> of_linked(LoadedObject::Entry entry, const std::string& name,
                                               const PluginOptions& options, Hello& hello);
  static std::unique_ptr<PluginHost> of_program(const std::vector<std::string>& words,
                                                const PluginOptions& options, Hello& hello);

  /// Writes the call into the arena, makes it, and looks at what it did. One at a time.
  Observation run(std::size_t implementation, const Case& c, Wanted wanted, Layout layout);
  std::string output() const;

 private:
  explicit PluginHost(const PluginOptions& options) : patience_(options.deadline) {}
  Answer call(std::size_t implementation, const CallPlan& plan);
  mutable std::mutex turn_;
  Arena arena_;
  Patience patience_;
  bool is_program_ = false;
  std::unique_ptr<LoadedObject> object_;  // in this process, or
  std::unique_ptr<Worker> worker_;        // in another
};

}  // namespace normcheck

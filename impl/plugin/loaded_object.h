// A shared object in this process: loaded, its interface checked, called with the environment guarded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "impl/plugin/answer.h"
#include "impl/plugin/call_plan.h"
#include "impl/plugin/normcheck_plugin.h"

namespace normcheck {

class LoadedObject {
 public:
  /// LoadError with one line: what dlopen says, no symbol, another abi_major, nothing in it.
  explicit LoadedObject(const std::string& path);
  ~LoadedObject();
  LoadedObject(const LoadedObject&) = delete;
  LoadedObject& operator=(const LoadedObject&) = delete;

  const std::vector<const nc_plugin*>& plugins() const { return plugins_; }
  /// What loading did wrong.
  const std::vector<std::string>& load_faults() const { return load_faults_; }

  /// Asks `supports` and `workspace_bytes` where there are any, then runs. An exception is Status::crash.
  /// `base`: the arena that the plan's offsets count from.
  Answer call(std::size_t index, const CallPlan& plan, std::byte* base) const;

 private:
  void* handle_ = nullptr;
  std::vector<const nc_plugin*> plugins_;
  std::vector<std::string> load_faults_;
};

}  // namespace normcheck

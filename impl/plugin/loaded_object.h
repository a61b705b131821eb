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
  using Entry = const nc_plugin* (*)(std::uint32_t host_minor, std::uint32_t index);
  /// One that is linked into this program, under this name. LoadError likewise.
  LoadedObject(Entry entry, const std::string& name);
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
  void read_plugins(Entry entry, const std::string& name);
  void* handle_ = nullptr;
  std::vector<const nc_plugin*> plugins_;
  std::vector<std::string> load_faults_;
};

}  // namespace normcheck

// What the plug-ins around libraries share: a version as the library itself says it, and calls it does not
// do.
#pragma once

#include <cstdint>
#include <string>

#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {

/// `entry` as a plug-in that says `version`, and answers NC_UNSUPPORTED where `reason` gives one (nullptr:
/// none) for a call that the library does not do. One a shared object. `reason` never reads data.
template <const char* (*reason)(const nc_call*)>
const nc_plugin* peer(PluginEntry entry, const std::string& version) {
  static const nc_plugin whole = entry.settings->abi;
  static const std::string said = version;
  static nc_plugin out = [] {
    nc_plugin narrowed = whole;
    narrowed.version = said.c_str();
    narrowed.supports = [](const nc_call* c) {
      const int status = whole.supports(c);
      const char* why = status == NC_OK ? reason(c) : nullptr;
      return why == nullptr ? status : plugin_detail::answer(c, NC_UNSUPPORTED, why);
    };
    return narrowed;
  }();
  return &out;
}

inline const char* no_reason(const nc_call*) { return nullptr; }

}  // namespace normcheck

#define NORMCHECK_PEER(...)                                                                       \
  extern "C" NC_EXPORT const nc_plugin* normcheck_plugin_v1(std::uint32_t, std::uint32_t index) { \
    return index == 0 ? (__VA_ARGS__) : nullptr;                                                  \
  }

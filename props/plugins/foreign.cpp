// Shared objects that are no plug-in, or a plug-in of another kind; PLANTED says which.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "impl/plugin/normcheck_plugin.h"

enum class Foreign { symbol, major, short_struct, nameless, empty, crashing, leaves, throws, endless };

namespace {

constexpr Foreign planted = Foreign::PLANTED;

[[maybe_unused]] int run(const nc_call*) { return NC_UNSUPPORTED; }

const nc_plugin plugin = {planted == Foreign::short_struct ? 8 : std::uint32_t{sizeof(nc_plugin)},
                          planted == Foreign::major ? 2U : 1U,
                          0,
                          planted == Foreign::nameless ? "two words" : "foreign",
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          &run};

/// While the object is loaded.
[[maybe_unused]] const bool loaded = [] {
  if (planted == Foreign::crashing) std::abort();
  if (planted == Foreign::leaves) _exit(4);
  return true;
}();

}  // namespace

#if !defined(NO_SYMBOL)
extern "C" NC_EXPORT const nc_plugin* normcheck_plugin_v1(std::uint32_t, std::uint32_t index) {
  if (planted == Foreign::throws) throw std::runtime_error("not today");
  if (planted == Foreign::endless) return &plugin;
  return index == 0 && planted != Foreign::empty ? &plugin : nullptr;
}
#endif

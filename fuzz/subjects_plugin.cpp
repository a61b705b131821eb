// The fuzzed row is a plug-in, called in this process: the shared object that NORMCHECK_PLUGIN names, built
// with the sanitizers and the coverage of this program, or, where it names none, the one that is linked in.
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "fuzz/subjects.h"
#include "fuzz/target.h"
#include "impl/plugin/normcheck_plugin.h"
#include "impl/plugin/plugin.h"

namespace normcheck {
namespace {

struct Opened {
  std::string path;  ///< empty: linked in
  std::unique_ptr<Plugin> plugin;
  std::deque<std::string> names;
  std::vector<Row> rows;
};

Opened open_plugin() {
  Opened out;
  const char* path = std::getenv("NORMCHECK_PLUGIN");
  if (path != nullptr) out.path = path;
  PluginOptions options;
  options.in_process = true;
  out.plugin = out.path.empty() ? Plugin::open_linked(normcheck_plugin_v1, "linked", options)
                                : Plugin::open_object(out.path, options);
  for (Implementation& implementation : out.plugin->implementations()) {
    out.names.push_back((out.path.empty() ? "linked" : out.path) + ":" + implementation.name);
    out.rows.push_back(row_of(implementation, out.names.back()));
  }
  return out;
}

/// Never destroyed: what is counted of its rows is printed, by their names, as the program ends.
const Opened& opened() {
  static const Opened* const plugin = [] {
    try {
      return new Opened(open_plugin());
    } catch (const LoadError& e) {
      std::fprintf(stderr, "%s: %s\n", std::string(target_name()).c_str(), e.what());
      std::_Exit(3);
    }
  }();
  return *plugin;
}

}  // namespace

std::span<const Row> fuzzed_rows() { return opened().rows; }

std::string replay_command(const Subject& subject, const std::string& file) {
  if (opened().path.empty()) return std::string(target_name()) + " " + file;
  return replay_line(built_command, replay_arguments(file, subject.row->name, "stable"));
}

}  // namespace normcheck

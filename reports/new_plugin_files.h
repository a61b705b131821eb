// The files that `normcheck new-plugin` writes, as they were when this was built.
#pragma once

#include <span>
#include <string_view>

namespace normcheck {

struct NewPluginFile {
  std::string_view name;  ///< in a file of an example, and in its text, my_norm stands for the name to give
  std::string_view text;
  bool is_example;  ///< else what examples include or import, the same for all
};

std::span<const NewPluginFile> new_plugin_files();

}  // namespace normcheck

// An ordinary main for a fuzz target: runs the inputs that are named, so that targets never rot.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "fuzz/target.h"

namespace {

namespace fs = std::filesystem;

/// The file itself, or every file under the folder, in the order of their names.
std::vector<fs::path> files_at(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

int replay(const std::vector<std::string>& arguments) {
  const std::string target(normcheck::target_name());
  if (arguments.empty()) {
    std::fprintf(stderr, "usage: %s FILE_OR_FOLDER...\n", target.c_str());
    return 2;
  }
  std::size_t inputs = 0;
  std::int64_t checks = 0;
  for (const std::string& argument : arguments) {
    if (!fs::exists(argument)) {
      std::fprintf(stderr, "%s: %s: no such file or folder\n", target.c_str(), argument.c_str());
      return 1;
    }
    for (const fs::path& file : files_at(argument)) {
      const std::string bytes = normcheck::read_file(file);
      checks += normcheck::run_input({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                                     normcheck::Extent::all);
      ++inputs;
    }
  }
  std::printf("%s: %zu inputs replayed, %lld checks\n", target.c_str(), inputs,
              static_cast<long long>(checks));
  if (checks == 0) std::fprintf(stderr, "%s: nothing was checked\n", target.c_str());
  return checks == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return replay({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// Reads what the interpreter says of an error: the last line, and the last place above it.
#include "impl/plugin/python.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

namespace normcheck {
namespace {

constexpr std::size_t longest_quote = 300;
constexpr std::string_view module_file = "normcheck_worker.py", module_prefix = "normcheck_";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).find_first_not_of(" \t\r") != std::string_view::npos)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// `  File "/a/mine.py", line 3, in <module>` as "mine.py line 3"; empty for another line.
std::string place_of(std::string_view line) {
  constexpr std::string_view head = "  File \"", middle = "\", line ";
  const std::size_t name_end = line.find(middle);
  if (!line.starts_with(head) || name_end == std::string_view::npos) return {};
  std::string_view file = line.substr(head.size(), name_end - head.size());
  file.remove_prefix(file.rfind('/') + 1);  // npos + 1 is 0
  std::string_view number = line.substr(name_end + middle.size());
  number = number.substr(0, number.find_first_not_of("0123456789"));
  return fmt::format("{} line {}", file, number);
}

/// The module of "No module named 'torch.nn'", without what lies in it.
std::string missing_module(std::string_view complaint) {
  constexpr std::string_view words = "No module named '";
  const std::size_t at = complaint.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = complaint.substr(at + words.size());
  return std::string(rest.substr(0, rest.find_first_of("'.")));
}

/// What installs it, where that has another name.
std::string_view package_of(std::string_view module) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> others = {
      {{"cv2", "opencv-python-headless"},
       {"sklearn", "scikit-learn"},
       {"PIL", "pillow"},
       {"yaml", "pyyaml"}}};
  for (const auto& [name, package] : others) {
    if (name == module) return package;
  }
  return module;
}

}  // namespace

void offer_python_module() {
  std::error_code error;
  std::filesystem::path folder = NORMCHECK_PYTHON_FOLDER;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  // Beside the executable first: a build tree may have been moved since.
  const auto beside = self.parent_path() / "python";
  const auto installed = self.parent_path().parent_path() / "share" / "normcheck" / "python";
  for (const auto& place : {installed, beside}) {
    if (!self.empty() && std::filesystem::exists(place / module_file, error)) folder = place;
  }
  if (!std::filesystem::exists(folder / module_file, error)) return;
  const char* before = std::getenv("PYTHONPATH");
  std::string path = folder.string();
  if (before != nullptr && *before != '\0') path += fmt::format(":{}", before);
  setenv("PYTHONPATH", path.c_str(), 1);
}

std::string last_words(const std::string& stderr_text) {
  const std::vector<std::string_view> lines = lines_of(stderr_text);
  if (lines.empty()) return {};
  std::string out(lines.back().substr(0, longest_quote));
  std::string place;
  for (const std::string_view line : lines) {
    if (std::string found = place_of(line); !found.empty()) place = std::move(found);
  }
  if (!place.empty() && out.front() != ' ') out += fmt::format(" ({})", place);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return out;
}

std::string remedy(std::string_view command, std::string_view complaint) {
  const std::string module = missing_module(complaint);
  if (module.starts_with(module_prefix))
    return "; `normcheck new-plugin NAME` writes our modules beside an example";
  if (!module.empty()) {
    const bool python = command.find("python") != std::string_view::npos;
    return fmt::format("; to install it: {} -m pip install {}{}", python ? command : "python3",
                       package_of(module),
                       module == "numpy" ? " (or, for Debian's python3: apt-get install python3-numpy)" : "");
  }
  for (const std::string_view words :
       {"MemoryError", "Cannot allocate memory", "bad_alloc", "out of memory", "failed to map segment",
        "pthread_create failed", "Resource temporarily unavailable"}) {
    if (complaint.find(words) != std::string_view::npos)
      return "; a plug-in's address space is limited: --memory GiB allows more, --memory 0 all";
  }
  return {};
}

}  // namespace normcheck

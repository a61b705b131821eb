// normcheck new-plugin: writes examples of a kernel to start from, with all that they need beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "corpus/value_text.h"
#include "reports/commands.h"
#include "reports/new_plugin_files.h"
#include "reports/select.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view placeholder = "my_norm";

/// Modules that an example in Python imports, itself or by way of NumPy: NAME.py would hide one of its name.
constexpr std::string_view hidden =
    " abc argparse ast base64 bisect builtins calendar code codecs contextlib copy copyreg ctypes datetime "
    "decimal dis enum errno fnmatch functools gc gzip hashlib heapq hmac importlib inspect io itertools "
    "jax json keyword linecache locale logging math ml_dtypes mmap ntpath numbers numpy opcode operator "
    "os pathlib pickle platform posixpath pprint queue random re secrets select selectors shutil signal "
    "site socket stat string struct subprocess sys tempfile textwrap threading time token tokenize torch "
    "traceback types typing unittest urllib warnings weakref zipfile zlib ";

void require_name(const std::string& name) {
  const auto is_letter = [](unsigned char c) { return c < 0x80 && (std::isalpha(c) != 0 || c == '_'); };
  const auto is_either = [&](unsigned char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > 100 || !is_letter(static_cast<unsigned char>(name.front())) ||
      !std::all_of(name.begin(), name.end(), is_either)) {
    throw InputError(fmt::format("new-plugin: {} is no name; expected letters, digits and _, such as {}",
                                 shown(name), placeholder));
  }
  if (name.starts_with("normcheck_") || hidden.find(fmt::format(" {} ", name)) != std::string_view::npos) {
    throw InputError(
        fmt::format("new-plugin: {}.py would hide the Python module of that name; expected "
                    "another, such as {}",
                    name, placeholder));
  }
}

std::string named(std::string_view text, const std::string& name) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find(placeholder, at)) != std::string::npos; at += name.size())
    out.replace(at, placeholder.size(), name);
  return out;
}

struct Written {
  fs::path path;
  std::string text;
};

/// What is to be written; nothing is there yet, but for what all examples share.
std::vector<Written> files_to_write(const fs::path& folder, const std::string& name) {
  std::vector<Written> out;
  for (const NewPluginFile& file : new_plugin_files()) {
    Written w{folder / (file.is_example ? named(file.name, name) : std::string(file.name)),
              file.is_example ? named(file.text, name) : std::string(file.text)};
    std::error_code error;
    if (fs::exists(fs::symlink_status(w.path, error))) {
      const bool same = !file.is_example && fs::is_regular_file(w.path, error) && read_file(w.path) == w.text;
      if (same) continue;
      throw InputError(fmt::format("{}: is there already; nothing was written", w.path.string()));
    }
    out.push_back(std::move(w));
  }
  return out;
}

/// g++, or where only the other is found, clang++.
std::string_view compiler_here() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  bool clang = false;
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    if (fs::exists(fs::path(folder) / "g++", error)) return "g++";
    clang = clang || fs::exists(fs::path(folder) / "clang++", error);
  }
  return clang ? "clang++" : "g++";
}

}  // namespace

Exit run_new_plugin(const Options& options) {
  const std::string& name = options.names.front();
  require_name(name);
  const fs::path folder = options.folder;
  const fs::path there = folder.empty() ? fs::path(".") : folder;
  const std::vector<Written> files = files_to_write(folder, name);
  make_folder(there, "--out");
  require_writable(there, "--out");
  fmt::print("written\n");
  for (const Written& w : files) {
    write_file_atomically(w.path, w.text);
    fmt::print("  {}\n", w.path.string());
  }
  const std::string base = shell_word((folder / name).string());
  fmt::print("\nnext: check that they pass as they are, then put your own kernel in\n");
  for (const std::string& kernel : {base, base + "_launcher"}) {
    fmt::print("  {3} -std=c++17 -O2 -shared -fPIC {0}.cpp -o {0}.so && {1} check {2}{0}.so\n", kernel,
               options.program, kernel.find('/') == std::string::npos ? "./" : "", compiler_here());
  }
  fmt::print("  {} check {}\n", options.program, shell_word(fmt::format("exec:python3 {}.py", base)));
  return Exit::well;
}

}  // namespace normcheck

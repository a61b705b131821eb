// Runs the command as a process and reads what it said.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "props/promise.h"

namespace normcheck {

struct Told {
  int code;
  std::string out;
  std::string err;
};

/// An empty folder of this name, for this process alone.
inline std::filesystem::path fresh_folder(const std::string& name) {
  const char* base = std::getenv("NORMCHECK_OUT");
  const auto folder =
      std::filesystem::absolute(base != nullptr ? base : ".") / "command" / (name + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

/// The folder of this process for what it runs.
inline const std::filesystem::path& run_folder() {
  static const std::filesystem::path folder = fresh_folder("run");
  return folder;
}

/// Gives the shell a line.
inline Told type(const std::string& line) {
  const auto out = run_folder() / "stdout", err = run_folder() / "stderr";
  const int status =
      std::system(fmt::format("{} >{} 2>{} </dev/null", line, out.string(), err.string()).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(out), read_file(err)};
}

/// Runs `normcheck ARGUMENTS`. Findings go to a folder of the test unless it says --out.
inline Told run(std::string arguments) {
  const bool writes = arguments.starts_with("check") || arguments.starts_with("report");
  if (writes && arguments.find("--out") == std::string::npos)
    arguments += " --out " + (run_folder() / "out").string();
  return type(fmt::format("{} {}", NORMCHECK_COMMAND, arguments));
}

/// Rows of mean `mean` and spread 1.
inline Case drawn_case(DType dtype, std::int64_t rows, std::int64_t n, double mean) {
  Case c;
  c.id = "drawn";
  c.x = Tensor(dtype, {rows, n});
  CounterRng rng(promise_seed(), 7);
  for (std::int64_t i = 0; i < rows * n; ++i)
    c.x.set_value(i, mean + (rng.coin() ? 1 : -1) * (0.75 + rng.uniform() / 2));
  return c;
}

inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.back() == '\n' && std::count(text.begin(), text.end(), '\n') == 1;
}

}  // namespace normcheck

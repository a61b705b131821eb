// Fuzzes for an hour, or one target for a minute: what ./run fuzz and ./run nightly call.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <exception>
#include <thread>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/night/night.h"

namespace {

namespace fs = std::filesystem;
using normcheck::InputError;

/// The names in <programs>/targets.txt, which the build writes.
std::vector<std::string> listed_targets(const fs::path& programs) {
  std::vector<std::string> out;
  const std::string text = normcheck::read_file(programs / "targets.txt");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(out.begin(), out.end());
  if (out.empty()) {
    throw InputError(
        fmt::format("{}: names no target; expected one a line", (programs / "targets.txt").string()));
  }
  return out;
}

/// "60s", "5m", "1h", or a number of seconds.
double seconds_of(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const int factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || factor == 0 || value < 1 || value > 1000000) {
    throw InputError(fmt::format("--time {}: expected a number of seconds, or one with s, m or h", text));
  }
  return static_cast<double>(value) * factor;
}

void choose(normcheck::NightOptions& options, const std::string& target) {
  if (target.empty()) return;
  for (const std::string& name : {target, "fuzz_" + target}) {
    if (std::find(options.targets.begin(), options.targets.end(), name) == options.targets.end()) continue;
    options.targets = {name};
    options.everything = false;
    return;
  }
  throw InputError(fmt::format("no target '{}'; there are {}", target, fmt::join(options.targets, ", ")));
}

int run(int argc, char** argv) {
  CLI::App app("Fuzzes the targets, keeps what they find, and compares it with what is accepted.");
  app.require_subcommand(1);
  normcheck::NightOptions options;
  fs::path programs = fs::absolute(fs::path(argv[0])).parent_path();
  options.seeds = programs / "seeds";
  options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string target, time = "60s", baseline;
  double minutes = 60;

  CLI::App* fuzz = app.add_subcommand("fuzz", "one target, or each, for the time that is given");
  fuzz->add_option("TARGET", target, "a target's name, with or without fuzz_; all without it");
  fuzz->add_option("--time", time, "of each target: 60s, 5m, 1h")->capture_default_str();
  CLI::App* night =
      app.add_subcommand("nightly", "all targets share the time; for a job that runs every night");
  night->add_option("--minutes", minutes, "of the whole night")
      ->check(CLI::Range(0.01, 100000.0))
      ->required();
  night->add_option("--baseline", baseline, "the findings that are accepted (see fuzz/night/README.md)");
  night->add_option("--today", options.today,
                    "the day that expiries are compared with; by default the clock's");
  for (CLI::App* verb : {fuzz, night}) {
    verb->add_option("--state", options.state, "the folder that is kept from run to run")->required();
    verb->add_option("--jobs", options.jobs, "targets that run at once")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    verb->add_option("--seed", options.seed, "of libFuzzer; each run of a state folder draws on")
        ->capture_default_str();
    verb->add_option("--targets", programs, "the folder of the targets and their list, targets.txt");
    verb->add_option("--seeds", options.seeds, "what make_seeds wrote");
    verb->add_option("--options", options.options, "the folder of <target>.options and dictionaries");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);
    return 0;
  } catch (const CLI::ParseError& error) {
    throw InputError(error.what());
  }

  options.programs = programs;
  options.targets = listed_targets(programs);
  options.each = fuzz->parsed();
  if (fuzz->parsed()) choose(options, target);
  options.seconds = fuzz->parsed() ? seconds_of(time) : minutes * 60;
  if (!baseline.empty()) options.baseline = normcheck::read_baseline(baseline);
  if (options.today.empty()) options.today = normcheck::today_by_clock();
  if (!normcheck::is_date(options.today)) {
    throw InputError(fmt::format("--today {}: expected a day as YYYY-MM-DD", options.today));
  }
  return normcheck::run_night(options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fflush(stdout);
    fmt::print(stderr, "nightly: {}\n", error.what());
    return 2;
  }
}

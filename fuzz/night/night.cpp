// The night: plans, starts workers, waits for them, and judges what they tell.
#include "fuzz/night/night.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/night/durable.h"
#include "fuzz/night/process.h"
#include "fuzz/night/summary.h"
#include "fuzz/night/target_log.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* state_format = "normcheck-night 1";
constexpr double pulse_seconds = 60;
/// A planted defect is found in seconds; what is not found by then is not found.
constexpr double planted_seconds = 60;

/// What one run tells the next.
struct State {
  std::int64_t runs = 0;
  std::map<std::string, std::int64_t> corpus;  ///< inputs of each target at the end of its last night
};

State read_state(const fs::path& path) {
  State out;
  if (!fs::exists(path)) return out;
  try {
    const auto json = nlohmann::json::parse(read_file(path));
    if (json.at("format") != state_format)
      throw InputError(fmt::format("{}: expected '{}'", path.string(), state_format));
    json.at("runs").get_to(out.runs);
    json.at("corpus").get_to(out.corpus);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(
        fmt::format("{}: {}; expected the state of a night (or no file)", path.string(), error.what()));
  }
  return out;
}

void write_state(const fs::path& path, const State& state) {
  const nlohmann::json json = {{"format", state_format}, {"runs", state.runs}, {"corpus", state.corpus}};
  write_durably(path, json.dump(1) + "\n");
}

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::string without_planted(std::string name) {
  if (is_planted(name)) name.resize(name.size() - std::string_view("_planted").size());
  return name;
}

class Night {
 public:
  explicit Night(const NightOptions& options)
      : options_(options), state_path_(options.state / "state.json"), state_(read_state(state_path_)) {
    report_.run = ++state_.runs;
    report_.day = options.today;
    report_.planned = options.targets.size();
    report_.jobs = options.jobs;
    write_state(state_path_, state_);  // before anything runs: no two runs draw from one seed
  }

  int run(const std::string& taken_over) {
    if (!taken_over.empty())
      remark(fmt::format("taken over: the run before ({}) did not end by itself", taken_over));
    check_list();
    plan();
    work();
    close();
    return report_.red.empty() ? 0 : 1;
  }

 private:
  void red(std::string line) {
    say("RED " + line);
    report_.red.push_back(std::move(line));
  }
  void remark(std::string line) {
    say(line);
    report_.notes.push_back(std::move(line));
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// A target that ran in earlier nights and is not there any more has stopped running.
  void check_list() {
    const auto listed = [&](const std::string& name) {
      return std::find(options_.targets.begin(), options_.targets.end(), name) != options_.targets.end();
    };
    if (!options_.everything) return;
    for (const auto& [name, inputs] : state_.corpus) {
      if (listed(name) || !fs::exists(options_.state / name)) continue;
      red(fmt::format(
          "{} stopped running: it ran in an earlier night and is no target now (if that is meant, "
          "remove {})",
          name, (options_.state / name).string()));
    }
  }

  void plan() {
    for (const std::string& name : options_.targets) {
      TargetPlan t;
      t.name = name;
      t.program = options_.programs / name;
      t.state = options_.state;
      const std::string base = without_planted(name);
      t.seeds = options_.seeds / (base.starts_with("fuzz_") ? base.substr(5) : base);
      t.flags = read_flags(options_.options / (base + ".options"));
      for (const BaselineEntry& e : options_.baseline) {
        if (e.target() == name) t.baseline.push_back(e);
      }
      t.seed = options_.seed + static_cast<std::uint32_t>(report_.run) * 1000;
      const auto known = state_.corpus.find(name);
      if (known != state_.corpus.end()) t.corpus_expected = known->second;
      t.today = options_.today;
      plans_.push_back(std::move(t));
    }
    // The planted first: a check that cannot see is no reason to go on for an hour before saying so.
    for (std::size_t i = 0; i < plans_.size(); ++i) order_.push_back(i);
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return is_planted(plans_[a].name) && !is_planted(plans_[b].name);
    });
    results_.resize(plans_.size());
    say(fmt::format("run {} in {}: {} targets, {} at once", report_.run, options_.state.string(),
                    plans_.size(), options_.jobs));
  }

  fs::path result_path(std::size_t index) const {
    return options_.state / plans_[index].name / "result.json";
  }

  /// The time is shared out as targets start, so that what the planted ones leave goes to the others.
  void give_time(TargetPlan& t) {
    if (is_planted(t.name)) {
      t.fuzz_seconds = options_.each ? options_.seconds : planted_seconds;
      return;
    }
    const auto to_start = std::count_if(plans_.begin(), plans_.end(), [](const TargetPlan& other) {
      return !is_planted(other.name) && other.fuzz_seconds == 0;
    });
    const Shares shares =
        options_.each ? Shares{options_.seconds, std::max(10.0, options_.seconds / 2)}
                      : share_time(options_.seconds - seconds(), static_cast<int>(to_start), options_.jobs);
    t.fuzz_seconds = shares.fuzz_seconds;
    t.merge_seconds = shares.merge_seconds;
  }

  void start(std::size_t index) {
    give_time(plans_[index]);
    fs::remove(result_path(index));
    const pid_t pid = start_worker([&] {
      write_durably(result_path(index), result_text(run_target(plans_[index])));
      return 0;
    });
    running_[pid] = index;
  }

  void work() {
    auto next = order_.begin();
    double pulse = pulse_seconds;
    while (next != order_.end() || !running_.empty()) {
      while (next != order_.end() && running_.size() < static_cast<std::size_t>(options_.jobs))
        start(*next++);
      const int signal = wait_for_signal(std::max(0.1, pulse - seconds()));
      if (signal == SIGINT || signal == SIGTERM) {
        for (const auto& [pid, index] : running_) kill_worker(pid);
        running_.clear();
        return red(fmt::format("stopped by signal {}", signal));
      }
      for (EndedWorker ended = take_ended_worker(); ended.pid != 0; ended = take_ended_worker()) take(ended);
      if (seconds() < pulse) continue;
      pulse += pulse_seconds;
      say_pulse();
    }
  }

  void take(const EndedWorker& ended) {
    const auto at = running_.find(ended.pid);
    if (at == running_.end()) return;
    const std::size_t index = at->second;
    running_.erase(at);
    TargetResult result;
    result.name = plans_[index].name;
    if (ended.clean && fs::exists(result_path(index))) {
      result = read_result(read_file(result_path(index)));
    } else {
      result.faults.push_back("its worker ended without a result");
    }
    result.processor_seconds = ended.processor_seconds;
    result.peak_kib = ended.peak_kib;
    if (!is_planted(result.name)) {
      state_.corpus[result.name] =
          std::max(result.corpus_after, result.faults.empty() ? 0 : plans_[index].corpus_expected);
      write_state(state_path_, state_);
    }
    say(heartbeat(result));
    for (const std::string& fault : result.faults) red(result.name + ": " + fault);
    for (const std::string& line : result.notes) remark(result.name + ": " + line);
    for (const std::string& name : result.found) {
      if (!is_planted(result.name) && !accepts(options_.baseline, name)) red("finding " + name);
    }
    results_[index] = std::move(result);
    write_summary();
  }

  /// Something a minute, so that nobody takes a silent job for a dead one.
  void say_pulse() const {
    for (const auto& [pid, index] : running_) {
      const fs::path log = options_.state / plans_[index].name / "log.txt";
      const RunFigures figures = fs::exists(log) ? read_figures(read_file(log)) : RunFigures{};
      say(fmt::format("  {:.0f} min  {}: {} executions, {} features", seconds() / 60, plans_[index].name,
                      figures.executions, figures.features));
    }
  }

  void write_summary() {
    report_.targets.clear();
    std::vector<std::string> seen;
    double processor = 0;
    for (const TargetResult& r : results_) {
      if (r.name.empty()) continue;
      report_.targets.push_back(r);
      processor += r.processor_seconds;
      report_.peak_kib = std::max(report_.peak_kib, r.peak_kib);
      seen.insert(seen.end(), r.found.begin(), r.found.end());
    }
    report_.findings = kept_findings(options_.state / "findings", [&](const std::string& name) {
      return std::find(seen.begin(), seen.end(), name) != seen.end();
    });
    report_.minutes = seconds() / 60;
    report_.processor_minutes = processor / 60;
    report_.disk_bytes = disk_use(options_.state);
    write_durably(options_.state / "summary.md", summary(report_, options_.baseline));
  }

  void close() {
    std::vector<Replayed> replayed;
    for (const TargetResult& r : results_)
      replayed.insert(replayed.end(), r.replayed.begin(), r.replayed.end());
    for (std::string& line : baseline_complaints(options_.baseline, replayed, options_.today)) {
      red("baseline: " + std::move(line));
    }
    write_summary();
    say(fmt::format(
        "{}: {:.1f} minutes, {:.1f} processor minutes, the largest process {} MiB, {:.1f} MiB in {}",
        report_.red.empty() ? "green" : "red", report_.minutes, report_.processor_minutes,
        report_.peak_kib / 1024, static_cast<double>(report_.disk_bytes) / (1 << 20),
        options_.state.string()));
  }

  const NightOptions& options_;
  const fs::path state_path_;
  State state_;
  NightReport report_;
  const Clock::time_point start_ = Clock::now();
  std::vector<TargetPlan> plans_;
  std::vector<std::size_t> order_;
  std::vector<TargetResult> results_;  ///< by the order of the plans; without a name where none is there yet
  std::map<pid_t, std::size_t> running_;  ///< workers, and the index of their plan
};

}  // namespace

Shares share_time(double seconds, int targets, int jobs) {
  constexpr double least = 3;
  const double round = seconds * 0.95 / std::max(1, (targets + jobs - 1) / jobs);
  Shares out;
  out.merge_seconds = std::max(least, round * 0.1);
  out.fuzz_seconds =
      std::max(least, round - out.merge_seconds - 1);  // a second to start, to replay and to write
  return out;
}

int run_night(const NightOptions& options) {
  fs::create_directories(options.state);
  block_signals();
  const Lock lock(options.state);
  return Night(options).run(lock.taken_over());
}

}  // namespace normcheck

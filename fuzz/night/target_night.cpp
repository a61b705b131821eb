// The steps of a target's night, one after the other.
#include "fuzz/night/target_night.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"
#include "fuzz/night/harvest.h"
#include "fuzz/night/merge.h"
#include "fuzz/night/process.h"
#include "fuzz/night/target_log.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr double grace_seconds = 30;  ///< beyond -max_total_time: the corpus is loaded whatever the time
constexpr int most_stuck_runs = 3;    ///< in a row that fail before the corpus is loaded

std::int64_t count(const fs::path& folder) { return static_cast<std::int64_t>(files_in(folder).size()); }

class TargetNight {
 public:
  explicit TargetNight(const TargetPlan& plan) : plan_(plan), place_(plan), harvest_(plan, place_, result_) {
    result_.name = plan.name;
  }

  TargetResult run() {
    prepare();
    if (!fs::exists(plan_.program)) {
      fault(fmt::format("there is no program {}", plan_.program.string()));
      return result_;
    }
    harvest_.take_leftovers();
    if (!is_planted(plan_.name)) replay_known();
    fuzz();
    if (!is_planted(plan_.name)) merge();
    fs::remove_all(place_.seeds);  // what is kept from night to night is what it found
    if (result_.executions == 0) fault("ran nothing");
    if (is_planted(plan_.name) && result_.found.empty()) {
      fault(fmt::format("the planted defect was not found in {:.0f} s", result_.seconds));
    }
    return result_;
  }

 private:
  void fault(std::string line) { result_.faults.push_back(std::move(line)); }
  void note(std::string line) { result_.notes.push_back(std::move(line)); }

  void prepare() {
    settle_folder(place_.corpus);
    fs::remove_all(place_.seeds);
    fs::remove_all(place_.again);
    if (is_planted(plan_.name)) fs::remove_all(place_.corpus);  // it must be found from the seeds every night
    for (const fs::path& folder : {place_.corpus, place_.seeds, place_.artifacts, place_.found, place_.again})
      fs::create_directories(folder);
    for (const fs::path& file : files_in(plan_.seeds)) fs::copy_file(file, place_.seeds / file.filename());
    if (fs::exists(plan_.seeds.parent_path()) && files_in(plan_.seeds).empty()) {
      note(fmt::format("no seeds in {}", plan_.seeds.string()));
    }
    result_.corpus_before = count(place_.corpus);
    if (result_.corpus_before * 2 < plan_.corpus_expected) {
      fault(fmt::format("the corpus vanished: {} inputs of {} are left in {}", result_.corpus_before,
                        plan_.corpus_expected, place_.corpus.string()));
    }
  }

  /// The findings of earlier nights, and the entries of the baseline.
  void replay_known() {
    for (const KeptFinding& kept : std::vector<KeptFinding>(harvest_.kept().all())) {
      if (harvest_.seen(kept.name)) continue;
      if (harvest_.show(kept.input).failed) {
        harvest_.see(kept.name);
      } else if (kept.name.ends_with(".once")) {
        continue;  // that it does not repeat was its news
      } else {
        note(kept.name + " does not fail any more");
        harvest_.kept().retire(kept.name);
      }
    }
    for (const BaselineEntry& entry : plan_.baseline) {
      Replayed out;
      out.finding = entry.finding;
      if (fs::exists(entry.input)) {
        const Shown shown = harvest_.show(entry.input);
        out.ran = shown.ran;
        out.failed = shown.failed;
        if (shown.failed) {
          out.now = plan_.name + "-" + shown.words.key();
          out.says = shown.words.says;
        }
      }
      result_.replayed.push_back(std::move(out));
    }
  }

  /// An input of the corpus or the seeds that ends the target at once would keep it from fuzzing all night.
  bool set_aside(const fs::path& artifact) {
    const std::string bytes = read_file(artifact);
    bool out = false;
    for (const fs::path& folder : {place_.corpus, place_.seeds}) {
      for (const fs::path& file : files_in(folder)) {
        if (fs::file_size(file) != bytes.size() || read_file(file) != bytes) continue;
        fs::create_directories(place_.home / "set_aside");
        fs::rename(file, place_.home / "set_aside" / file.filename());
        out = true;
      }
    }
    return out;
  }

  void fuzz() {
    // By the clock, not by the runs: where much is found, looking at it is what takes the time.
    const auto start = std::chrono::steady_clock::now();
    int stuck = 0;
    for (std::uint32_t pass = 0; stuck < most_stuck_runs; ++pass) {
      const std::chrono::duration<double> used = std::chrono::steady_clock::now() - start;
      const double left = plan_.fuzz_seconds - used.count();
      if (left < 1) return;
      Command command = target_command(plan_, place_,
                                       {fmt::format("-max_total_time={:.0f}", left),
                                        fmt::format("-seed={}", (plan_.seed + pass) % 0x7fffffffu + 1),
                                        "-artifact_prefix=" + place_.artifacts.string() + "/",
                                        place_.corpus.string(), place_.seeds.string()},
                                       place_.found, "log.txt");
      command.limit_seconds = left + grace_seconds;
      const Ended ended = run_command(command);
      const std::string log = fs::exists(command.log) ? read_file(command.log) : "";
      const RunFigures figures = read_figures(log);
      result_.seconds += ended.seconds;
      result_.executions += figures.executions;
      result_.coverage = std::max(result_.coverage, figures.coverage);
      result_.features = std::max(result_.features, figures.features);
      if (!figures.records.empty()) result_.records = figures.records;
      if (ended.out_of_time) fault(fmt::format("hung: {}", ending_text(ended)));
      if (ended.code == 0 || ended.out_of_time) return harvest_.take(log);

      const std::vector<fs::path> artifacts = files_in(place_.artifacts);
      if (artifacts.empty() && files_in(place_.found).empty()) {
        const FindingWords words = read_finding(log, plan_.name, ending_text(ended));
        return fault(fmt::format("died ({}) and left no input: {}", ending_text(ended), words.says));
      }
      bool aside = false;
      if (!figures.loaded && !is_planted(plan_.name)) {
        for (const fs::path& artifact : artifacts) aside |= set_aside(artifact);
      }
      stuck = figures.loaded || aside ? 0 : stuck + 1;
      harvest_.take(log);
      if (is_planted(plan_.name)) return;
    }
    note(fmt::format("stopped after {:.0f} s: it fails before its corpus is loaded", result_.seconds));
  }

  void merge() {
    result_.corpus_grown = count(place_.corpus);
    const Command step = target_command(
        plan_, place_, {"-artifact_prefix=" + place_.artifacts.string() + "/"}, place_.found, "");
    const MergeResult merged = merge_corpus(step.words, place_.corpus, place_.home, plan_.merge_seconds);
    harvest_.take("");  // of inputs that ended the merge's process
    result_.corpus_after = merged.after;
    if (!merged.complete) note("the merge was not finished; what it did not look at was kept");
    if (merged.crashed != 0)
      note(fmt::format("{} inputs of the corpus fail and were dropped", merged.crashed));
  }

  const TargetPlan& plan_;
  const TargetPlace place_;
  TargetResult result_;
  Harvest harvest_;
};

}  // namespace

bool is_planted(std::string_view target) { return target.ends_with("_planted"); }

TargetResult run_target(const TargetPlan& plan) { return TargetNight(plan).run(); }

}  // namespace normcheck

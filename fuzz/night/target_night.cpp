// The steps of a target's night, one after the other.
#include "fuzz/night/target_night.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"
#include "fuzz/night/findings.h"
#include "fuzz/night/merge.h"
#include "fuzz/night/process.h"
#include "fuzz/night/target_log.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr double replay_seconds = 60;  ///< one input; libFuzzer's own limit below comes first
constexpr double minimise_seconds = 10;
constexpr double grace_seconds = 30;  ///< beyond -max_total_time: the corpus is loaded whatever the time
constexpr int most_stuck_runs = 3;    ///< in a row that fail before the corpus is loaded

std::int64_t count(const fs::path& folder) { return static_cast<std::int64_t>(files_in(folder).size()); }

/// What running the target on one input showed.
struct Shown {
  bool ran = false;
  bool failed = false;
  FindingWords words;
  fs::path file;         ///< the `.case` that it wrote, else the input
  std::string shown_as;  ///< the path that its words use
};

class TargetNight {
 public:
  explicit TargetNight(const TargetPlan& plan)
      : plan_(plan),
        home_(plan.state / plan.name),
        corpus_(home_ / "corpus"),
        seeds_(home_ / "seeds"),
        artifacts_(home_ / "artifacts"),
        found_(home_ / "found"),
        again_(home_ / "again"),
        findings_(plan.state / "findings", plan.name) {
    result_.name = plan.name;
  }

  TargetResult run() {
    prepare();
    if (!fs::exists(plan_.program)) {
      fault(fmt::format("there is no program {}", plan_.program.string()));
      return result_;
    }
    take_leftovers();
    if (!is_planted(plan_.name)) replay_known();
    fuzz();
    if (!is_planted(plan_.name)) merge();
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
    settle_folder(corpus_);
    fs::remove_all(seeds_);
    fs::remove_all(again_);
    if (is_planted(plan_.name)) fs::remove_all(corpus_);  // it must be found from the seeds every night
    for (const fs::path& folder : {corpus_, seeds_, artifacts_, found_, again_})
      fs::create_directories(folder);
    for (const fs::path& file : files_in(plan_.seeds)) fs::copy_file(file, seeds_ / file.filename());
    result_.corpus_before = count(corpus_);
    if (result_.corpus_before * 2 < plan_.corpus_expected) {
      fault(fmt::format("the corpus vanished: {} inputs of {} are left in {}", result_.corpus_before,
                        plan_.corpus_expected, corpus_.string()));
    }
  }

  Command target_command(std::vector<std::string> arguments, const fs::path& cases, const char* log) const {
    Command out{{plan_.program.string(), "-timeout=25", "-rss_limit_mb=2048", "-print_final_stats=1"},
                {{"NORMCHECK_FINDINGS", cases.string()}},
                home_ / log};
    out.words.insert(out.words.end(), plan_.flags.begin(), plan_.flags.end());
    out.words.insert(out.words.end(), arguments.begin(), arguments.end());
    return out;
  }

  Shown show(const fs::path& input) const {
    fs::remove_all(again_);
    fs::create_directories(again_);
    Command command =
        target_command({"-artifact_prefix=" + again_.string() + "/", input.string()}, again_, "again.txt");
    command.limit_seconds = replay_seconds;
    const Ended ended = run_command(command);
    Shown out;
    out.ran = ended.code != 127;
    out.failed = ended.code != 0;
    if (!out.failed || !out.ran) return out;
    out.words = read_finding(read_file(command.log), plan_.name, ending_text(ended));
    out.file = input;
    for (const fs::path& file : files_in(again_)) {
      if (file.extension() != ".case") continue;
      out.file = file;
      out.words.given_name = file.stem().string();  // the target names its cases by what they show
    }
    out.shown_as = out.file.string();
    return out;
  }

  /// Raw bytes in fewer, by libFuzzer; a case is as small as the target can make it already.
  Shown minimised(const Shown& shown) const {
    if (shown.file.extension() == ".case") return shown;
    const fs::path large = home_ / "large.input", small = home_ / "small.input";
    fs::copy_file(shown.file, large, fs::copy_options::overwrite_existing);
    fs::remove(small);
    Command command = target_command(
        {"-minimize_crash=1", "-runs=2000", "-exact_artifact_path=" + small.string(), large.string()}, again_,
        "minimise.txt");
    command.limit_seconds = minimise_seconds;
    run_command(command);
    const Shown out = fs::exists(small) ? show(small) : Shown{};
    if (out.failed && out.words.key() == shown.words.key()) return out;
    Shown kept = shown;
    kept.file = large;
    return kept;
  }

  bool seen(const std::string& name) const {
    return std::find(result_.found.begin(), result_.found.end(), name) != result_.found.end();
  }
  void see(const std::string& name) {
    if (!seen(name)) result_.found.push_back(name);
  }

  /// Keeps what the input shows. One that shows nothing is left (`only_if_repeats`), or kept under what `log`
  /// said when it was found. False where it was left.
  bool take(const fs::path& input, const std::string& log, bool only_if_repeats) {
    Shown shown = show(input);
    if (!shown.failed && only_if_repeats) return false;
    if (!shown.failed) {
      shown.words = read_finding(log, plan_.name, "no repeat");
      shown.words.says += " (once: it does not repeat)";
      shown.words.shape = "once";
      shown.file = input;
    }
    const std::string raw_name = plan_.name + "-" + shown.words.key();
    const bool known = std::find(raw_names_.begin(), raw_names_.end(), raw_name) != raw_names_.end();
    if (known || findings_.holds(raw_name)) {
      if (!known) see(raw_name);
      return true;
    }
    raw_names_.push_back(raw_name);
    if (shown.failed) shown = minimised(shown);
    const std::string name = plan_.name + "-" + shown.words.key();
    see(name);
    if (findings_.holds(name)) return true;
    const KeptFinding& kept =
        findings_.keep(shown.words, shown.file, shown.shown_as, plan_.program.string(), plan_.today);
    result_.fresh.push_back(name);
    fmt::print("finding {}: {}\n", name, kept.says);
    std::fflush(stdout);
    return true;
  }

  /// Everything that a run left behind as a finding. Slow units are told of and dropped.
  void take_artifacts(const std::string& log) {
    // A case that the target wrote says more than the bytes that it came from, if it shows anything.
    bool told = false;
    for (const fs::path& file : files_in(found_)) {
      if (file.extension() == ".case") told |= take(file, log, true);
    }
    for (const fs::path& file : files_in(artifacts_)) {
      if (file.filename().string().starts_with("slow-unit-")) {
        note("slow unit " + file.filename().string());
      } else if (!told) {
        take(file, log, false);
      }
    }
    for (const fs::path& folder : {artifacts_, found_}) {
      for (const fs::path& file : files_in(folder)) fs::remove(file);
    }
  }

  void take_leftovers() {
    if (files_in(artifacts_).empty() && files_in(found_).empty()) return;
    note("findings of a run that was stopped were taken up");
    const fs::path log = home_ / "log.txt";
    take_artifacts(fs::exists(log) ? read_file(log) : "");
  }

  /// The findings of earlier nights, and the entries of the baseline.
  void replay_known() {
    for (const KeptFinding& kept : std::vector<KeptFinding>(findings_.all())) {
      if (seen(kept.name)) continue;
      if (show(kept.input).failed) {
        see(kept.name);
      } else if (kept.name.ends_with(".once")) {
        continue;  // that it does not repeat was its news
      } else {
        note(kept.name + " does not fail any more");
        findings_.retire(kept.name);
      }
    }
    for (const BaselineEntry& entry : plan_.baseline) {
      Replayed out;
      out.finding = entry.finding;
      if (fs::exists(entry.input)) {
        const Shown shown = show(entry.input);
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
    for (const fs::path& folder : {corpus_, seeds_}) {
      for (const fs::path& file : files_in(folder)) {
        if (fs::file_size(file) != bytes.size() || read_file(file) != bytes) continue;
        fs::create_directories(home_ / "set_aside");
        fs::rename(file, home_ / "set_aside" / file.filename());
        out = true;
      }
    }
    return out;
  }

  void fuzz() {
    int stuck = 0;
    for (std::uint32_t pass = 0; stuck < most_stuck_runs; ++pass) {
      const double left = plan_.fuzz_seconds - result_.seconds;
      if (left < 1) return;
      Command command =
          target_command({fmt::format("-max_total_time={:.0f}", left),
                          fmt::format("-seed={}", (plan_.seed + pass) % 0x7fffffffu + 1),
                          "-artifact_prefix=" + artifacts_.string() + "/", corpus_.string(), seeds_.string()},
                         found_, "log.txt");
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
      if (ended.code == 0 || ended.out_of_time) return take_artifacts(log);

      const std::vector<fs::path> artifacts = files_in(artifacts_);
      if (artifacts.empty() && files_in(found_).empty()) {
        const FindingWords words = read_finding(log, plan_.name, ending_text(ended));
        return fault(fmt::format("died ({}) and left no input: {}", ending_text(ended), words.says));
      }
      bool aside = false;
      if (!figures.loaded && !is_planted(plan_.name)) {
        for (const fs::path& artifact : artifacts) aside |= set_aside(artifact);
      }
      stuck = figures.loaded || aside ? 0 : stuck + 1;
      take_artifacts(log);
      if (is_planted(plan_.name)) return;
    }
    note(fmt::format("stopped after {:.0f} s: it fails before its corpus is loaded", result_.seconds));
  }

  void merge() {
    result_.corpus_grown = count(corpus_);
    const Command step = target_command({"-artifact_prefix=" + artifacts_.string() + "/"}, found_, "");
    const MergeResult merged = merge_corpus(step.words, corpus_, home_, plan_.merge_seconds);
    take_artifacts("");  // of inputs that ended the merge's process
    result_.corpus_after = merged.after;
    if (!merged.complete) note("the merge was not finished; what it did not look at was kept");
    if (merged.crashed != 0)
      note(fmt::format("{} inputs of the corpus fail and were dropped", merged.crashed));
  }

  const TargetPlan& plan_;
  const fs::path home_, corpus_, seeds_, artifacts_, found_, again_;
  Findings findings_;
  TargetResult result_;
  std::vector<std::string> raw_names_;  ///< as they were found, before they were minimised
};

}  // namespace

bool is_planted(std::string_view target) { return target.ends_with("_planted"); }

TargetResult run_target(const TargetPlan& plan) { return TargetNight(plan).run(); }

}  // namespace normcheck

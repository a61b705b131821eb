// Findings from artifacts and cases.
#include "fuzz/night/harvest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr double replay_seconds = 60;  ///< one input; libFuzzer's own limit below comes first
constexpr double minimise_seconds = 10;

}  // namespace

TargetPlace::TargetPlace(const TargetPlan& plan)
    : home(plan.state / plan.name),
      corpus(home / "corpus"),
      seeds(home / "seeds"),
      artifacts(home / "artifacts"),
      found(home / "found"),
      again(home / "again") {}

Command target_command(const TargetPlan& plan, const TargetPlace& place,
                       const std::vector<std::string>& arguments, const fs::path& cases, const char* log) {
  Command out{{plan.program.string(), "-timeout=25", "-rss_limit_mb=2048", "-print_final_stats=1"},
              {{"NORMCHECK_FINDINGS", cases.string()}},
              place.home / log};
  out.words.insert(out.words.end(), plan.flags.begin(), plan.flags.end());
  out.words.insert(out.words.end(), arguments.begin(), arguments.end());
  return out;
}

Harvest::Harvest(const TargetPlan& plan, const TargetPlace& place, TargetResult& result)
    : plan_(plan), place_(place), result_(result), kept_(plan.state / "findings", plan.name) {}

Shown Harvest::show(const fs::path& input) const {
  fs::remove_all(place_.again);
  fs::create_directories(place_.again);
  Command command =
      target_command(plan_, place_, {"-artifact_prefix=" + place_.again.string() + "/", input.string()},
                     place_.again, "again.txt");
  command.limit_seconds = replay_seconds;
  const Ended ended = run_command(command);
  Shown out;
  out.ran = ended.code != 127;
  out.failed = ended.code != 0;
  if (!out.failed || !out.ran) return out;
  out.words = read_finding(read_file(command.log), plan_.name, ending_text(ended));
  out.file = input;
  for (const fs::path& file : files_in(place_.again)) {
    if (file.extension() != ".case") continue;
    out.file = file;
    out.words.given_name = file.stem().string();  // the target names its cases by what they show
  }
  out.shown_as = out.file.string();
  return out;
}

/// Raw bytes in fewer, by libFuzzer; a case is as small as the target can make it already.
Shown Harvest::minimised(const Shown& shown) const {
  if (shown.file.extension() == ".case") return shown;
  const fs::path large = place_.home / "large.input", small = place_.home / "small.input";
  fs::copy_file(shown.file, large, fs::copy_options::overwrite_existing);
  fs::remove(small);
  Command command = target_command(
      plan_, place_,
      {"-minimize_crash=1", "-runs=2000", "-exact_artifact_path=" + small.string(), large.string()},
      place_.again, "minimise.txt");
  command.limit_seconds = minimise_seconds;
  run_command(command);
  Shown out = fs::exists(small) ? show(small) : Shown{};
  if (out.failed && out.words.key() == shown.words.key()) return out;
  Shown kept = shown;
  kept.file = large;
  return kept;
}

bool Harvest::seen(const std::string& name) const {
  return std::find(result_.found.begin(), result_.found.end(), name) != result_.found.end();
}
void Harvest::see(const std::string& name) {
  if (!seen(name)) result_.found.push_back(name);
}

/// Keeps what the input shows. One that shows nothing is left (`only_if_repeats`), or kept under what `log`
/// said when it was found. False where it was left.
bool Harvest::take_input(const fs::path& input, const std::string& log, bool only_if_repeats) {
  Shown shown = show(input);
  if (!shown.failed && only_if_repeats) return false;
  if (!shown.failed) {
    shown.words = read_finding(log, plan_.name, "no repeat");
    shown.words.says += " (once: it does not repeat)";
    shown.words.shape = "once";
    shown.file = input;
  }
  const std::string raw_name = plan_.name + "-" + shown.words.key();
  if (known(raw_name)) return true;
  raw_names_.push_back(raw_name);
  if (shown.failed) shown = minimised(shown);
  const std::string name = plan_.name + "-" + shown.words.key();
  see(name);
  if (kept_.holds(name)) return true;
  const KeptFinding& kept =
      kept_.keep(shown.words, shown.file, shown.shown_as, plan_.program.string(), plan_.today);
  result_.fresh.push_back(name);
  fmt::print("finding {}: {}\n", name, kept.says);
  std::fflush(stdout);
  return true;
}

bool Harvest::known(const std::string& name) {
  const bool raw = std::find(raw_names_.begin(), raw_names_.end(), name) != raw_names_.end();
  if (!raw && !kept_.holds(name)) return false;
  if (!raw) see(name);  // a raw one was seen under the name that it has in small
  return true;
}

void Harvest::take(const std::string& log) {
  // A case that the target wrote says more than the bytes that it came from, if it shows anything.
  bool told = false;
  for (const fs::path& file : files_in(place_.found)) {
    if (file.extension() != ".case") continue;
    told |= known(plan_.name + "-" + file.stem().string()) || take_input(file, log, true);
  }
  std::vector<fs::path> artifacts;
  for (const fs::path& file : files_in(place_.artifacts)) {
    if (file.filename().string().starts_with("slow-unit-")) {
      result_.notes.push_back("slow unit " + file.filename().string());
    } else {
      artifacts.push_back(file);
    }
  }
  // Of a single one the log speaks; what is known need not be run again.
  told |= artifacts.size() == 1 && known(plan_.name + "-" + read_finding(log, plan_.name, "").key());
  for (const fs::path& file : artifacts) {
    if (!told) take_input(file, log, false);
  }
  for (const fs::path& folder : {place_.artifacts, place_.found}) {
    for (const fs::path& file : files_in(folder)) fs::remove(file);
  }
}

void Harvest::take_leftovers() {
  if (files_in(place_.artifacts).empty() && files_in(place_.found).empty()) return;
  result_.notes.push_back("findings of a run that was stopped were taken up");
  const fs::path log = place_.home / "log.txt";
  take(fs::exists(log) ? read_file(log) : "");
}

}  // namespace normcheck

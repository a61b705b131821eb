// Runs the parts of a report one after the other.
#include "reports/results/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <set>
#include <tuple>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "reports/console.h"
#include "reports/folklore/folklore.h"
#include "reports/in_order.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/provenance.h"
#include "reports/results/champions.h"
#include "reports/results/published.h"
#include "reports/results/timing.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t default_evaluations = 60000;  ///< of generated rows, over the whole run
constexpr std::int64_t full_evaluations =
    20000;  ///< from here on, or from so many seconds on, the grids are full
constexpr double full_seconds = 60;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

/// One example of each row that fails, from the corpus if it can be, the smallest; and all that was not
/// expected.
std::vector<Finding*> examples(std::vector<SweepEntry>& entries) {
  std::vector<Finding*> chosen;
  for (SweepEntry& entry : entries) {
    // Worst first in each regime; a kernel that is wrong everywhere is shown to be by a few.
    constexpr std::size_t most = 8;
    std::size_t taken = 0;
    for (Finding& finding : entry.findings) {
      if (!finding.expected && ++taken <= most) chosen.push_back(&finding);
    }
  }
  for (const Row& row : table()) {
    Finding* best = nullptr;
    // A known input in the type that the row accumulates in, with something to normalize, and short.
    const auto rank = [&row](const Finding& f) {
      const auto& worst = f.judgement.worst;
      return std::tuple(f.regime != "corpus/public", f.problem.x.dtype != row.accumulate,
                        !worst || worst->output != Output::y || worst->want == 0, row_length(f.problem) < 3,
                        f.problem.x.size());
    };
    for (SweepEntry& entry : entries) {
      if (entry.row != &row) continue;
      for (Finding& finding : entry.findings) {
        if (finding.expected && (best == nullptr || rank(finding) < rank(*best))) best = &finding;
      }
    }
    if (best != nullptr) chosen.push_back(best);
  }
  return chosen;
}

/// Whether there was no time for all of the corpus.
bool was_cut(const SweepEntry& entry) {
  return std::any_of(entry.notes.begin(), entry.notes.end(),
                     [](const std::string& note) { return note.starts_with("the budget is short"); });
}

std::vector<Unexpected> find_unexpected(const std::vector<SweepEntry>& entries,
                                        const std::vector<Finding*>& kept, const Contract& contract) {
  std::vector<Unexpected> out;
  std::vector<const Row*> rows;
  for (const SweepEntry& entry : entries) {
    if (std::find(rows.begin(), rows.end(), entry.row) == rows.end()) rows.push_back(entry.row);
    const std::string name = fmt::format("{} {}", entry.row->name, dtype_name(entry.dtype));
    if (entry.unexpected_findings > 0) {
      const Finding* shows = nullptr;
      for (const Finding* f : kept) {
        if (shows == nullptr && !f->expected && f->impl == entry.row->name &&
            f->problem.x.dtype == entry.dtype)
          shows = f;
      }
      out.push_back({fmt::format("{} should be right and failed {} of {} cases", name,
                                 entry.unexpected_findings, entry.total().cases),
                     shows});
    }
    for (const std::string& file : entry.unexpected_passes) {
      out.push_back({fmt::format("{} passed corpus/{}, which says that it fails there", name, file)});
    }
  }
  for (const Row* row : rows) {
    if (is_right(*row) || contract.kind != ContractKind::stable) continue;
    const bool failed = std::any_of(entries.begin(), entries.end(), [row](const SweepEntry& e) {
      // What would have shown it may be what there was no time for.
      return e.row == row && (e.total().findings() > 0 || was_cut(e));
    });
    if (!failed)
      out.push_back({fmt::format("{} is expected to fail ({}) and never did", row->name, row->expect)});
  }
  return out;
}

/// Each storage dtype of the jobs once.
std::vector<DType> storages(const std::vector<SweepJob>& jobs) {
  std::vector<DType> out;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    if (std::any_of(jobs.begin(), jobs.end(), [&](const SweepJob& job) { return job.dtype == dtype; }))
      out.push_back(dtype);
  }
  return out;
}

/// Keeps the cases of the largest errors, and lets go of them in the entry.
void shelve(SweepEntry& entry, CaseShelf& shelf) {
  const auto keep = [&](std::shared_ptr<const Case>& source) {
    if (source) shelf.add(*source);
    source.reset();
  };
  for (Tally& tally : entry.regimes) {
    keep(tally.largest.source);
    keep(tally.largest_finite.source);
    keep(tally.normwise.source);
  }
}

/// "build/release/normcheck report ...", without where it writes.
std::string repeated(const Options& options) {
  std::string out(built_command);
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    if (options.arguments[i] == "--out") {
      ++i;
    } else if (!options.arguments[i].starts_with("--out=")) {
      out += " " + options.arguments[i];
    }
  }
  return out;
}

/// The corpus as seen from the root of the checkout.
std::filesystem::path corpus_place(const Options& options) {
  return options.corpus.empty() ? "corpus" : options.corpus;
}

/// The eps of the generated cases, as far as the first two of each regime show them: the least, the largest,
/// and those between that somebody would write.
std::vector<double> eps_of_cases(const ReportData& data) {
  std::set<double> all;
  for (const DType dtype : storages(data.jobs)) {
    for (std::uint64_t item = 0; item < 2 * data.plan.regimes.size(); ++item)
      all.insert(generated_case(data.plan, dtype, item, 1).eps);
  }
  std::vector<double> out;
  for (const double eps : all) {
    const bool is_round = exact_decimal(eps).size() <= 6;
    if (is_round || eps == *all.begin() || eps == *all.rbegin()) out.push_back(eps);
  }
  return out;
}

/// What of the plan the budget leaves to each implementation and dtype.
void share_budget(ReportData& data, bool& is_small) {
  SweepPlan& plan = data.plan;
  data.whole_budget = plan.budget;
  const auto share = static_cast<std::int64_t>(data.jobs.size());
  plan.budget.evaluations = (plan.budget.evaluations + share - 1) / share;
  plan.keeps_cases = true;
  plan.long_rows = std::min<std::int64_t>(plan.long_rows, 2);
  const double seconds = data.whole_budget.seconds;
  is_small = seconds > 0 ? seconds < full_seconds : data.whole_budget.evaluations < full_evaluations;
  if (seconds > 0) {
    // Six tenths of the time for the sweep, on as many threads as there are.
    const auto threads = static_cast<double>(std::min<std::size_t>(most_threads(), data.jobs.size()));
    plan.budget.seconds = 0.3 * seconds * threads / static_cast<double>(share);
    plan.corpus_seconds = plan.budget.seconds;
    if (is_small) plan.long_rows = 0;
  }
}

void say_what_is_left_out(ReportData& data, bool is_small) {
  if (is_small) {
    data.not_run.push_back(
        "lengths beyond 4096 and between the powers of two, and most lengths of the kappa x n maps: the "
        "budget is "
        "small (20,000 evaluations or 60 s run them)");
  }
  const auto short_of = std::count_if(data.entries.begin(), data.entries.end(), was_cut);
  if (short_of > 0) {
    data.not_run.push_back(
        fmt::format("some cases of the corpus, for {} of {} implementations x dtypes: the budget is short",
                    short_of, data.entries.size()));
  }
  const bool outside = std::any_of(data.jobs.begin(), data.jobs.end(),
                                   [](const SweepJob& job) { return job.row->outside != nullptr; });
  if (outside) data.not_run.push_back("the probes of kernels from outside (normcheck check runs them)");
  if (data.plan.corpus_missing) data.not_run.push_back("the corpus: no folder of it was found");
  if (data.peers.is_null())
    data.not_run.push_back(
        "the real libraries: nothing is published (peers.json lies neither in reports/published of the "
        "checkout "
        "nor in share/normcheck/published beside the command)");
  if (data.detection.is_null())
    data.not_run.push_back(
        "what finds known mistakes: nothing is published (detection.json lies neither in reports/published "
        "nor in "
        "share/normcheck/published)");
  if (data.times.empty()) data.not_run.push_back("times");
  if (data.champions.empty())
    data.not_run.push_back(
        "the largest known errors: there are no records of what was run (corpus/found/records.tsv)");
}

}  // namespace

std::unique_ptr<ReportData> measure_report(const Options& options, const std::filesystem::path& out) {
  const auto start = std::chrono::steady_clock::now();
  auto made = std::make_unique<ReportData>(options.out);
  ReportData& data = *made;
  data.jobs = make_jobs(options);
  data.program = options.program;
  data.command = repeated(options);
  data.plan = make_plan(options, default_evaluations);
  for (const CorpusCase& known : data.plan.corpus)
    data.shelf.know(known.problem.id, (corpus_place(options) / known.file).lexically_normal().string());
  bool is_small = false;
  share_budget(data, is_small);
  data.eps = data.plan.eps ? std::vector<double>{*data.plan.eps} : eps_of_cases(data);
  require_writable(options.out, "--out");
  {
    Progress progress;
    progress.step("the sweep", 0, 1);
    sweep_all(data.jobs, data.plan, [&](std::size_t i, SweepEntry entry) {
      progress.step(fmt::format("{} {}", entry.row->name, dtype_name(entry.dtype)),
                    static_cast<double>(i + 1), static_cast<double>(data.jobs.size()) / 0.7);
      shelve(entry, data.shelf);
      data.entries.push_back(std::move(entry));
    });
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - start;
    const double left =
        data.whole_budget.seconds > 0
            ? std::max(0.1 * data.whole_budget.seconds, 0.85 * data.whole_budget.seconds - so_far.count())
            : 0;
    data.curves = sweep_curves(
        options.names.empty() ? std::vector<SweepJob>() : data.jobs, data.plan,
        is_small ? Grid::rough : Grid::full, left, [&](const SweepJob& job, double share) {
          progress.step(fmt::format("{} {} by kappa and n", job.row->name, dtype_name(job.dtype)),
                        0.7 + 0.3 * share, 1);
        });
    if (data.curves.left_out > 0)
      data.not_run.push_back(fmt::format("the curves of {} implementations x dtypes: the budget is short",
                                         data.curves.left_out));
    if (options.names.empty()) data.floors = detection_floors(storages(data.jobs));
    data.accuracy = accuracy_points(data.jobs, data.plan);
    if (!options.no_timing) data.times = time_ratios(data.jobs);
  }
  data.half_sum = half_sum(data.plan.oracle);
  data.folklore = folklore_json(data.plan.seed, data.plan.oracle, data.shelf);
  data.inputs = public_inputs(data.entries, data.plan);
  const std::vector<Finding*> kept = examples(data.entries);
  for (Finding* finding : kept) {
    keep_finding(*finding, out / "cases");
    data.shelf.add(read_case(finding->kept), finding->kept.stem().string(),
                   data.shelf.input(data.shelf.add(finding->problem)));
    data.shown.push_back(finding);
  }
  if (const auto published = find_published()) {
    data.peers = published_peers(*published);
    data.detection = published_detection(*published);
  }
  if (const auto corpus = find_corpus(options.corpus)) {
    data.champions = champions_json(
        *corpus / "found", corpus_place(options) / "found",
        [&](std::string_view impl, DType dtype) {
          const auto is_it = [&](const SweepJob& job) { return job.row->name == impl && job.dtype == dtype; };
          // The libraries stand in a report on all, though they are not run in it.
          return std::any_of(data.jobs.begin(), data.jobs.end(), is_it) ||
                 (options.names.empty() && find_row(impl) == nullptr);
        },
        data.shelf);
  }
  data.four = family_results(data.entries);
  data.unexpected = find_unexpected(data.entries, kept, data.plan.contract);
  say_what_is_left_out(data, is_small);
  data.run = provenance();
  data.run.emplace_back("finished", utc_now());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  data.run.emplace_back("seconds", fmt::format("{:.1f}", took.count()));
  return made;
}

}  // namespace normcheck

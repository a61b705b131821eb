// normcheck report: everything judged at once, told in words, and written as results.json, report.md and a
// plot.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <tuple>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/folklore/folklore.h"
#include "reports/numbers.h"
#include "reports/provenance.h"
#include "reports/render_summary.h"
#include "reports/results/published.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"
#include "reports/results/results.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t default_evaluations = 60000;  ///< of generated rows, over the whole run

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
    for (Finding& finding : entry.findings) {
      if (!finding.expected) chosen.push_back(&finding);
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

std::vector<Unexpected> find_unexpected(const std::vector<SweepEntry>& entries,
                                        const std::vector<Finding*>& kept, const Contract& contract) {
  std::vector<Unexpected> out;
  std::vector<const Row*> rows;
  for (const SweepEntry& entry : entries) {
    if (std::find(rows.begin(), rows.end(), entry.row) == rows.end()) rows.push_back(entry.row);
    const std::string name = fmt::format("{} {}", entry.row->name, dtype_name(entry.dtype));
    if (entry.unexpected_findings > 0) {
      std::string replay;
      for (const Finding* f : kept) {
        if (replay.empty() && !f->expected && f->impl == entry.row->name && f->problem.x.dtype == entry.dtype)
          replay = f->replay;
      }
      out.push_back({fmt::format("{} should be right and failed {} of {} cases", name,
                                 entry.unexpected_findings, entry.total().cases),
                     replay});
    }
    for (const std::string& file : entry.unexpected_passes) {
      out.push_back({fmt::format("{} passed corpus/{}, which says that it fails there", name, file), ""});
    }
  }
  for (const Row* row : rows) {
    if (is_right(*row) || contract.kind != ContractKind::stable) continue;
    const bool failed = std::any_of(entries.begin(), entries.end(), [row](const SweepEntry& e) {
      return e.row == row && e.total().findings() > 0;
    });
    if (!failed)
      out.push_back({fmt::format("{} is expected to fail ({}) and never did", row->name, row->expect), ""});
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

/// "normcheck report ...", without where it writes.
std::string repeated(const Options& options) {
  std::string out(bare_command);
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    if (options.arguments[i] == "--out") {
      ++i;
    } else if (!options.arguments[i].starts_with("--out=")) {
      out += " " + options.arguments[i];
    }
  }
  return out;
}

}  // namespace

Exit run_report(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  ReportData data;
  data.jobs = make_jobs(options);
  const auto& jobs = data.jobs;
  data.program = options.program;
  data.command = repeated(options);
  data.plan = make_plan(options, default_evaluations);
  data.whole_budget = data.plan.budget;
  if (data.plan.eps) data.eps = {*data.plan.eps};
  if (const auto published = find_published()) {
    data.peers = published_peers(*published);
    data.detection = published_detection(*published);
  }
  const auto share = static_cast<std::int64_t>(jobs.size());
  const std::int64_t whole = data.plan.budget.evaluations;
  data.plan.budget.evaluations = (whole + share - 1) / share;
  data.plan.budget.seconds /= static_cast<double>(share);
  data.plan.keeps_cases = true;
  data.plan.long_rows = std::min<std::int64_t>(data.plan.long_rows, 2);
  require_writable(options.out, "--out");
  {
    Progress progress;
    const auto total = static_cast<double>(jobs.size()) + 2;
    progress.step("the sweep", 0, total);
    sweep_all(jobs, data.plan, [&](std::size_t i, SweepEntry entry) {
      progress.step(fmt::format("{} {}", entry.row->name, dtype_name(entry.dtype)),
                    static_cast<double>(i + 1), total);
      shelve(entry, data.shelf);
      data.entries.push_back(std::move(entry));
    });
    const bool small = data.whole_budget.seconds > 0 ? data.whole_budget.seconds < 60
                                                     : data.whole_budget.evaluations < 20000;
    const auto named = options.names.empty() ? std::vector<SweepJob>() : jobs;
    data.curves = sweep_curves(
        named, data.plan, small ? Grid::rough : Grid::full, [&](const SweepJob& job, double done, double of) {
          progress.step(fmt::format("{} {} by kappa and n", job.row->name, dtype_name(job.dtype)), done, of);
        });
    if (small)
      data.not_run.push_back(
          "Lengths beyond 4096 and between the powers of two, and most lengths of the kappa x n maps: the "
          "budget is small (20,000 evaluations or 60 s run them).");
    if (options.names.empty()) data.floors = detection_floors(storages(jobs));
  }
  data.half_sum = half_sum(data.plan.oracle);
  data.folklore = folklore_json(data.plan.seed, data.plan.oracle, data.shelf);
  data.inputs = public_inputs(data.entries, data.plan);
  const std::filesystem::path out = options.out;
  const std::vector<Finding*> kept = examples(data.entries);
  for (Finding* finding : kept) {
    keep_finding(*finding, out / "cases");
    data.shelf.add(read_case(finding->kept), finding->kept.stem().string());
    data.shown.push_back(finding);
  }
  data.four = family_results(data.entries);
  data.unexpected = find_unexpected(data.entries, kept, data.plan.contract);
  data.run = provenance();
  data.run.emplace_back("finished", utc_now());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  data.run.emplace_back("seconds", fmt::format("{:.1f}", took.count()));

  const std::string text = results_text(results_json(data));
  make_folder(out, "--out");
  write_file_atomically(out / "results.json", text);
  // Of what was written, as `render` does it.
  std::vector<std::string> notes;
  const std::vector<RenderedFile> files = rendered_files(parse_results(text, "results.json"), notes);
  write_rendered(out, files);
  for (const std::string& note : notes) fmt::print(stderr, "NOTE     {}\n", note);
  const auto cases = std::count_if(files.begin(), files.end(),
                                   [](const RenderedFile& file) { return file.path.starts_with("cases/"); });
  fmt::print("{}", summary_text(data, Style{colour_wanted()}));
  fmt::print(
      "\nwritten to {}\n  index.html    the page, to read\n  report.md     the tables, to paste\n"
      "  results.json  every number, with hexfloats; normcheck render makes the other files of it\n"
      "  results.csv, junit.xml, svg/\n  cases/        {}, to replay\n",
      out.string(), counted(cases, "input"));
  if (!options.no_timing) {
    std::fflush(stdout);
    fmt::print(stderr, "took {:.1f} s\n", took.count());
  }
  return data.unexpected.empty() ? Exit::well : Exit::finding;
}

}  // namespace normcheck

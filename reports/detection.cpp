// Runs every mistake under check, seed by seed, and under the tests of others, on all cores.
#include "reports/detection.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "corpus/error.h"
#include "reports/plugins.h"
#include "reports/provenance.h"
#include "reports/select.h"
#include "reports/sweep.h"

namespace normcheck {
namespace {

constexpr int seeds = 3;

/// Does work(i) for i below `count` on all cores; the first exception is thrown on.
template <class Work>
void on_all_cores(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex lock;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard hold(lock);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> pool;
  const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
  for (std::size_t t = 0; t < threads; ++t) pool.emplace_back(run);
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

/// The defects' plug-in, opened for one piece of work: in this process, where it can stay, and else, afresh,
/// in one of its own.
class Defects {
 public:
  const Row& row(std::string_view id) {
    const Defect* defect = find_defect(id);
    if (defect != nullptr && defect->own_process) {
      Options options;
      own_ = std::make_unique<OpenedPlugin>();
      open_into(*own_, std::string(defect_prefix), options);
      return find(*own_, id);
    }
    thread_local OpenedPlugin here = [] {
      Options options;
      options.in_process = true;
      OpenedPlugin out;
      open_into(out, std::string(defect_prefix), options);
      return out;
    }();
    return find(here, id);
  }

 private:
  static const Row& find(const OpenedPlugin& plugin, std::string_view id) {
    for (const Row& row : plugin.rows) {
      if (row.name == fmt::format("{}{}", defect_prefix, id)) return row;
    }
    throw InputError(fmt::format("no known mistake '{}' (normcheck list --defects)", id));
  }
  std::unique_ptr<OpenedPlugin> own_;
};

/// Of one test: its cases in each dtype, made once.
struct PreparedTest {
  std::vector<CommonCase> of[8];
};

/// Whether a test shows it, in any dtype that both have.
bool shows(const PreparedTest& test, const Row& row) {
  for (const DType dtype : row.storages) {
    for (const CommonCase& c : test.of[static_cast<std::size_t>(dtype)]) {
      if (fails(c, run_case(row, c.problem,
                            {.mean = c.rule == CommonCase::Rule::own_statistics,
                             .rstd = c.rule == CommonCase::Rule::own_statistics})))
        return true;
    }
  }
  return false;
}

void run_common_tests(DetectionData& data, const std::vector<const Row*>& right, bool huge) {
  data.by_test.assign(common_tests().size(), std::vector<bool>(data.defects.size()));
  data.right_by_test.assign(common_tests().size(), std::vector<bool>(right.size()));
  for (const Row* row : right) data.right.emplace_back(row->name);
  for (std::size_t t = 0; t < common_tests().size(); ++t) {
    const CommonTest& test = common_tests()[t];
    if (test.huge && !huge) continue;
    PreparedTest prepared;
    for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
      auto& cases = prepared.of[static_cast<std::size_t>(dtype)];
      cases = test.cases(dtype);
      for (CommonCase& c : cases) prepare(c);
    }
    std::vector<char> seen(data.defects.size() + right.size());
    on_all_cores(seen.size(), [&](std::size_t i) {
      Defects plugin;
      const Row& row =
          i < data.defects.size() ? plugin.row(data.defects[i]->id) : *right[i - data.defects.size()];
      seen[i] = shows(prepared, row) ? 1 : 0;
    });
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i < data.defects.size()) {
        data.by_test[t][i] = seen[i] != 0;
      } else {
        data.right_by_test[t][i - data.defects.size()] = seen[i] != 0;
      }
    }
  }
}

}  // namespace

SweepPlan detection_plan(const Options& options, bool with_corpus) {
  SweepPlan plan = make_plan(options, 4000);
  plan.stop_at_first = plan.probes.stop_at_first = true;
  plan.probes.run = true;
  if (!with_corpus) plan.corpus.clear();
  return plan;
}

Detected detect_one(const Defect& defect, const SweepPlan& plan) {
  Defects plugin;
  return detect_one(defect, plugin.row(defect.id), plan);
}

Detected detect_one(const Defect& defect, const Row& row, const SweepPlan& base) {
  const auto start = std::chrono::steady_clock::now();
  SweepPlan plan = base;
  plan.contracts = {{&row, contract_of(row, "stable")}};
  Detected out;
  out.defect = &defect;
  out.seed = plan.seed;
  out.with_corpus = !plan.corpus.empty();
  for (const DType dtype : row.storages) {
    SweepEntry entry = sweep(row, dtype, plan);
    out.evaluations += entry.total().evaluations;
    if (entry.findings.empty()) continue;
    Finding& finding = entry.findings.front();
    if (finding.probe.empty()) explain(finding);
    out.found = true;
    out.dtype = dtype;
    const bool plain = finding.probe.empty() && !finding.regime.starts_with("corpus/");
    out.where = finding.probe.empty() ? (plain ? "regime " : "") + finding.regime : "probe " + finding.probe;
    out.verdict = finding.judgement.verdict;
    out.reason = finding.judgement.reason;
    if (!finding.explanations.empty()) out.cause = finding.explanations.front().name;
    break;
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

DetectionData detect(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  DetectionData data;
  for (const std::string& id : options.names) {
    if (find_defect(id) == nullptr)
      throw InputError(fmt::format("no known mistake '{}' (normcheck list --defects)", id));
  }
  for (const Defect& d : defects()) {
    if (options.names.empty() ||
        std::find(options.names.begin(), options.names.end(), d.id) != options.names.end())
      data.defects.push_back(&d);
  }
  std::vector<SweepPlan> plans;
  for (int k = 0; k < seeds; ++k) {
    Options of_seed = options;
    of_seed.names.clear();
    of_seed.seed = options.seed + static_cast<std::uint64_t>(k);
    data.seeds.push_back(of_seed.seed);
    for (const bool with_corpus : {true, false}) plans.push_back(detection_plan(of_seed, with_corpus));
  }
  data.budget = plans.front().budget.evaluations;
  // The corpus counts once: it does not depend on the seed.
  std::sort(plans.begin(), plans.end(), [](const SweepPlan& a, const SweepPlan& b) {
    return std::pair(a.corpus.empty(), a.seed) < std::pair(b.corpus.empty(), b.seed);
  });
  data.detected.resize(data.defects.size() * plans.size());
  on_all_cores(data.detected.size(), [&](std::size_t i) {
    data.detected[i] = detect_one(*data.defects[i / plans.size()], plans[i % plans.size()]);
  });
  data.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<const Row*> right;
  for (const char* name :
       {"two_pass/f32", "two_pass/f64", "welford/f32", "lanes8/f32", "pairwise/f32", "two_pass/f32/folded"})
    right.push_back(find_row(name));
  run_common_tests(data, right, options.huge);
  data.huge = options.huge;
  data.run = provenance();
  data.command = fmt::format("normcheck detection --seed {} --budget {}{}", options.seed, data.budget,
                             options.huge ? " --huge" : "");
  return data;
}

std::vector<std::string> missed(const DetectionData& data) {
  std::vector<std::string> out;
  for (const Detected& d : data.detected) {
    if (!d.found)
      out.push_back(
          fmt::format("{} {} the corpus, seed {}", d.defect->id, d.with_corpus ? "with" : "without", d.seed));
  }
  return out;
}

}  // namespace normcheck

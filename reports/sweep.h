// The engine that check and report share: implementations x dtypes x regimes x lengths, and the corpus.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impl/table.h"
#include "oracles/judge.h"
#include "props/gen.h"
#include "reports/corpus_files.h"
#include "reports/evidence_stage.h"
#include "reports/finding.h"
#include "reports/options.h"
#include "reports/probes.h"
#include "reports/tally.h"

namespace normcheck {

/// What to run an implementation on. The same plan gives the same cases to every implementation.
struct SweepPlan {
  std::vector<const Regime*> regimes;
  Lengths lengths;
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes;  ///< rows x n; in place of lengths if any
  std::optional<double> eps;
  std::optional<std::int64_t> norm_ndim;
  Contract contract;  ///< `own` is of each row in turn
  /// Of plug-ins, which may claim something of themselves.
  std::vector<std::pair<const Row*, Contract>> contracts;
  OracleChoice oracle = OracleChoice::automatic;
  std::uint64_t seed = 1;
  Budget budget;  ///< of generated rows, an implementation and dtype
  /// Seconds in a kernel from outside after which no more generated cases, and no more probes, are begun, a
  /// NOTE saying so; 0: all are. Only where the budget was not asked for.
  double patience = 0;
  /// Hears of a kernel from outside, in words, once it has run the corpus: a first verdict.
  std::function<void(const std::string&)> first_look = {};
  std::int64_t long_rows = 16;     ///< rows at each of the two long lengths; 0: none
  std::vector<CorpusCase> corpus;  ///< run whole, beside the budget
  ProbePlan probes;                ///< of plug-ins
  EvidencePlan evidence;           ///< one tally, beside the budget
  bool corpus_missing = false;     ///< it was wanted, and there is none
  bool stop_at_first = false;      ///< ends with the first finding; probes come after some generated cases
  bool keeps_cases = false;        ///< the tallies keep the cases of their largest errors
  /// Seconds that an implementation and dtype has for the corpus, what is known of it first; 0: all of it.
  double corpus_seconds = 0;
  std::size_t findings_a_regime = 2;  ///< how many of the worst are kept; all of the corpus are
};

/// What the row is held to under the plan.
Contract held_to(const SweepPlan& plan, const Row& row);

/// One corpus case under one implementation.
struct CorpusResult {
  std::size_t index;  ///< in SweepPlan::corpus
  Verdict verdict;
  double max_ulp;
};

struct SweepEntry {
  const Row* row = nullptr;
  DType dtype = DType::f32;
  std::string contract;           ///< what it was held to
  std::vector<Tally> regimes;     ///< in the plan's order, then the corpus groups; none is empty of cases
  std::vector<Finding> findings;  ///< the worst few of each regime, worst first
  std::vector<std::int64_t> of_regime;  ///< beside `findings`: how many that regime has in all
  std::vector<CorpusResult> corpus;
  std::int64_t unexpected_findings = 0;
  std::vector<std::string> notes;              ///< what was not run, and why
  std::vector<std::string> unexpected_passes;  ///< corpus files that say `violates` of this row, and passed
  std::vector<ProbeTally> probes;              ///< of a plug-in; their findings are among `findings`
  Tally total() const;
  std::int64_t probe_findings() const;
  std::int64_t generated = 0;  ///< of the evaluations, those of generated cases
  /// Of cases and probes.
  std::int64_t all_findings() const { return total().findings() + probe_findings(); }
};

/// The generated case number `item` of a plan (its regime is that of item modulo their number), cut to at
/// most `most_rows` rows: the same for every implementation.
Case generated_case(const SweepPlan& plan, DType dtype, std::uint64_t item, std::int64_t most_rows);

SweepEntry sweep(const Row& row, DType dtype, const SweepPlan& plan);

struct SweepJob {
  const Row* row;
  DType dtype;
};
/// Sweeps the jobs, several at once where there are cores, and hands each result over in the jobs' order, in
/// the calling thread: what comes out does not depend on the number of threads.
void sweep_all(const std::vector<SweepJob>& jobs, const SweepPlan& plan,
               const std::function<void(std::size_t, SweepEntry)>& done);

/// Beside the two long lengths: rows of 4097 to 65,536 elements and batches of 9 to 4096 rows, so that no
/// code path of some widths or some numbers of rows is passed over. Their number is in proportion.
constexpr std::int64_t wide_per_long = 1, tall_per_long = 1;

/// The two lengths past 16,384 of a default run; neither is a power of two, the second is past 65,536.
constexpr std::array<std::int64_t, 2> long_lengths = {16411, 65543};

/// The jobs that the options name; for no names, every implementation. InputError for a name that is none and
/// for one that offers none of the dtypes asked for.
std::vector<SweepJob> make_jobs(const Options& options);

/// Builds the plan that the options ask for, looking up names and loading the corpus.
SweepPlan make_plan(const Options& options, std::int64_t default_evaluations);

}  // namespace normcheck

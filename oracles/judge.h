// The judge: the only place where an observation is compared with the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "oracles/contract.h"
#include "oracles/error_sketch.h"

namespace normcheck {

/// From best to worst of those that rank; a case has the worst of its rows. Beside them, what says that
/// nothing was judged: refused (rightly), unsupported, not_run.
enum class Verdict : std::uint8_t {
  pass,
  vacuous,
  void_bound,
  suspect,
  fail,
  timeout,
  crash,
  refused,
  unsupported,
  not_run
};
std::string_view verdict_name(Verdict verdict);  ///< "PASS", "VACUOUS", "VOID", "SUSPECT", "FAIL", ...
/// FAIL, SUSPECT, CRASH, TIMEOUT.
bool is_finding(Verdict verdict);

enum class Output : std::uint8_t { y, mean, rstd };
std::string_view output_name(Output output);

/// One element against the truth. Errors are signed; infinite for NaN or a wrong infinity.
struct ElementReport {
  Output output = Output::y;
  std::int64_t row = 0;
  std::int64_t column = 0;  ///< within the normalized elements; 0 for mean and rstd
  DType dtype = DType::f32;
  std::uint64_t got = 0;        ///< bits
  double want = 0;              ///< the exact value rounded to double
  std::uint64_t want_bits = 0;  ///< correctly rounded in dtype
  double error_ulp = 0;
  double allowed_ulp = 0;  ///< infinity where void
  double allowed_abs = 0;
  double normwise_u = 0;  ///< |error| in u*(|gamma*x_hat|+|beta|) of the output dtype
  bool of_class = false;  ///< a class (NaN, an infinity) is demanded: want is that, and no number is allowed
  std::string reason;     ///< in words, where the class is wrong: "NaN where ..."
};

/// What was seen of y, over the elements that were judged against a number.
struct ErrorStatistics {
  std::int64_t judged = 0;
  std::int64_t not_correctly_rounded = 0;
  double max_ulp = 0;  ///< largest |error|
  double max_normwise_u = 0;
  double mean_ulp = 0;
  double p99_ulp = 0;             ///< nearest-rank 99th percentile of |error|
  double max_share_of_bound = 0;  ///< largest |error|/allowance where the allowance is finite
  ErrorSketch sketch;             ///< of |error|, to be added up over cases
};

/// How the elements of y were settled; they add up to the number of elements.
struct ElementCounts {
  std::int64_t elements = 0;
  std::int64_t proved =
      0;  ///< within a finite allowance that is not vacuous, or exact class required and met
  std::int64_t failed = 0;
  std::int64_t voided = 0;   ///< only the class was judged
  std::int64_t vacuous = 0;  ///< within the allowance, in a row where ignoring x would pass too
  std::int64_t skipped = 0;  ///< not judged (outside the safe range)
};

struct Judgement {
  Verdict verdict = Verdict::pass;
  std::string reason;         ///< one line for anything but PASS
  std::vector<Verdict> rows;  ///< one a row
  ElementCounts counts;
  ErrorStatistics errors;
  std::int64_t wrong_rows = 0;
  std::optional<ElementReport> worst;  ///< the worst wrong element, or, when none is wrong, the largest error
  double kappa = 0;                    ///< of the worst element's row
  std::vector<std::string> faults;     ///< what was done beside the answer: a FAIL by themselves
  std::vector<std::string> notes;      ///< NOTE lines: never change a verdict
  std::string range_class;  ///< outside the safe range: what came out: "exact", "beta", "nan", "inf", "other"
};

/// The oracle that decides; automatic: the filter, an estimate with a proven error where that is not enough,
/// and exact where neither decides. wide: the independent one, of numbers within an allowance; classes, and
/// demands in ulp, remain with exact.
enum class OracleChoice : std::uint8_t { automatic, exact, wide };

/// What a judgement is asked for beside the verdicts and the counts: everything, or no more. Then `mean_ulp`
/// and `p99_ulp` are 0, `sketch` is empty, the largest errors are within 2^-20 ulp, and a `worst` that is not
/// wrong has the estimate of its exact value in place of the value.
enum class Detail : std::uint8_t { full, verdict };

/// Pure: no clock, no randomness, no state. `expect refused` is honoured; which rows must be NaN follows from
/// x.
Judgement judge(const Case& c, const Observation& observed, const Contract& contract,
                OracleChoice oracle = OracleChoice::automatic, Detail detail = Detail::full);

/// The first of the six steps that is out of its own bound under the contract, from a trace of the row
/// that ran; nothing if every step keeps its bound.
struct StageReport {
  std::string step;   ///< "variance"
  std::string shape;  ///< "[1,1]"
  double got = 0;
  double exact = 0;
  double allowed_abs = 0;
};
std::optional<StageReport> first_wrong_stage(const Case& c, const Row& row, std::int64_t row_index,
                                             const Contract& contract);

}  // namespace normcheck

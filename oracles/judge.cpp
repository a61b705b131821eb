// The judge over a whole case: statuses and shapes, then row by row; nothing else in the project compares
// an output with the truth.
#include "oracles/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracles/judge_row.h"

namespace normcheck {
namespace {

Judgement settled(Verdict verdict, std::string reason) {
  Judgement out;
  out.verdict = verdict;
  out.reason = std::move(reason);
  return out;
}

std::string of_message(const Observation& observed) {
  return observed.message.empty() ? std::string() : ": " + observed.message;
}

/// The first thing wrong with the outputs as arrays; empty if all have the shape and dtype asked for.
std::string shape_fault(const Case& c, const Observation& observed, const Contract& contract) {
  const auto fault = [](const char* name, const Tensor& t, DType dtype,
                        const std::vector<std::int64_t>& shape) {
    if (t.dtype != dtype) {
      return fmt::format("{} is {}, expected {}", name, dtype_name(t.dtype), dtype_name(dtype));
    }
    if (t.shape != shape || t.size() != checked_size(shape).value_or(-1)) {
      return fmt::format("{} has shape {}, expected {}", name, shape_text(t.shape), shape_text(shape));
    }
    return std::string();
  };
  std::string out = fault("y", observed.y, c.x.dtype, c.x.shape);
  const DType dtype = statistics_dtype(contract, c.x.dtype);
  if (out.empty() && observed.mean) out = fault("mean", *observed.mean, dtype, statistics_shape(c));
  if (out.empty() && observed.rstd) out = fault("rstd", *observed.rstd, dtype, statistics_shape(c));
  return out;
}

/// Verdicts that do not need the numbers.
std::optional<Judgement> judge_status(const Case& c, const Observation& observed) {
  const bool to_refuse = c.expect == Expect::refused;
  const bool nothing_to_normalize = !to_refuse && row_length(c) == 0;
  switch (observed.status) {
    case Status::crash:
      return settled(Verdict::crash, "crashed" + of_message(observed));
    case Status::timeout:
      return settled(Verdict::timeout, "did not answer in time" + of_message(observed));
    case Status::not_run: {
      Judgement out = settled(Verdict::not_run, "not run" + of_message(observed));
      out.notes.push_back(out.reason);
      return out;
    }
    case Status::failed:
      return settled(Verdict::fail, "kernel error" + of_message(observed));
    case Status::unsupported:
      return settled(Verdict::unsupported, "unsupported" + of_message(observed));
    case Status::invalid:
      if (to_refuse) return settled(Verdict::refused, "rightly refused" + of_message(observed));
      if (nothing_to_normalize) {
        Judgement out = settled(Verdict::refused, "refused an empty normalized shape, which is right");
        out.notes.push_back("an empty normalized shape: an empty y and a refusal are both right");
        return out;
      }
      return settled(Verdict::fail, "refused a valid call" + of_message(observed));
    case Status::ok:
      break;
  }
  if (to_refuse) return settled(Verdict::fail, "accepted a call that must be refused");
  return std::nullopt;
}

/// The worse of two wrong ones: y before the statistics, then by error against the allowance.
bool worse(const ElementReport& a, const ElementReport& b) {
  const auto weight = [](const ElementReport& e) {
    const double size = std::fabs(e.error_ulp);
    return e.allowed_ulp > 0 && std::isfinite(size) && std::isfinite(e.allowed_ulp) ? size / e.allowed_ulp
                                                                                    : size;
  };
  if ((a.output == Output::y) != (b.output == Output::y)) return a.output == Output::y;
  return weight(a) > weight(b);
}

void summarise(std::vector<double>& errors, ErrorStatistics& statistics) {
  if (errors.empty()) return;
  double sum = 0;
  for (const double e : errors) sum += e;
  statistics.mean_ulp = sum / static_cast<double>(errors.size());
  // Nearest rank: the smallest value that at least 99% of the values do not exceed.
  const std::size_t rank = (errors.size() * 99 + 99) / 100 - 1;
  std::nth_element(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(rank), errors.end());
  statistics.p99_ulp = errors[rank];
  statistics.sketch = ErrorSketch(errors);
}

std::string reason_for(const Judgement& j, const Case& c, const Contract& contract) {
  const std::string name = contract_name(contract);
  switch (j.verdict) {
    case Verdict::fail: {
      const std::string what(output_name(j.worst ? j.worst->output : Output::y));
      return fmt::format("{} of {} rows: {} outside what {} allows", j.wrong_rows, j.rows.size(), what, name);
    }
    case Verdict::void_bound:
      if (const auto dtype = rounded_on_reading(contract, c); dtype && j.counts.voided > 0)
        return fmt::format("{} has no bound here: {} rounds before it is computed with", name,
                           dtype_name(*dtype));
      return j.counts.skipped > 0
                 ? fmt::format("outside the safe range of {}: y is {}", name, j.range_class)
                 : fmt::format("{} has no bound here: the error of the variance can reach var+eps", name);
    case Verdict::vacuous:
      return fmt::format("{} allows so much here that ignoring x would pass", name);
    default:
      return {};
  }
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view names[] = {"PASS",    "VACUOUS", "VOID",    "SUSPECT",     "FAIL",
                                        "TIMEOUT", "CRASH",   "REFUSED", "UNSUPPORTED", "NOT RUN"};
  return names[static_cast<std::size_t>(verdict)];
}

bool is_finding(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::suspect || verdict == Verdict::crash ||
         verdict == Verdict::timeout;
}

std::string_view output_name(Output output) {
  constexpr std::string_view names[] = {"y", "mean", "rstd"};
  return names[static_cast<std::size_t>(output)];
}

namespace {

/// What was done beside the answer: a failure, also where every number is right.
void add_faults(const Observation& observed, Judgement& out) {
  out.faults = observed.faults;
  if (out.faults.empty() || is_finding(out.verdict)) return;
  out.verdict = Verdict::fail;
  out.reason = fmt::format("{}", fmt::join(out.faults, "; "));
  out.worst.reset();  // it was not wrong
}

/// Room for the rows of a case. That of short ones is kept from case to case: to take it costs as much as to
/// judge them.
RowInput& room_for(const Case& c, std::optional<RowInput>& once) {
  constexpr std::int64_t most_kept = 1 << 14;  // elements a row: some 3 MB
  if (row_length(c) > most_kept) return once.emplace(c);
  thread_local RowInput kept;
  kept.start(c);
  return kept;
}

Judgement judge_answer(const Case& c, const Observation& observed, const Contract& contract,
                       OracleChoice oracle, Detail detail) {
  if (auto done = judge_status(c, observed)) return *std::move(done);
  if (const std::string fault = shape_fault(c, observed, contract); !fault.empty())
    return settled(Verdict::fail, fault);

  Judgement out;
  if (row_length(c) == 0) {
    out.notes.push_back("an empty normalized shape: an empty y and a refusal are both right");
    return out;
  }
  if (row_count(c) == 0) return out;  // before a row's worth of space is taken
  std::optional<RowInput> once;
  RowInput& input = room_for(c, once);
  std::vector<double> errors;
  bool worst_is_wrong = false;
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    RowOutcome r = judge_row(input, row, observed, contract, oracle,
                             detail == Detail::full ? &errors : nullptr, out.errors);
    out.rows.push_back(r.verdict);
    out.verdict = std::max(out.verdict, r.verdict);
    out.counts.elements += r.counts.elements;
    out.counts.proved += r.counts.proved;
    out.counts.failed += r.counts.failed;
    out.counts.voided += r.counts.voided;
    out.counts.vacuous += r.counts.vacuous;
    out.counts.skipped += r.counts.skipped;
    if (r.verdict == Verdict::fail) ++out.wrong_rows;
    if (out.range_class.empty()) out.range_class = r.range_class;
    if (r.worst_wrong && (!worst_is_wrong || worse(*r.worst_wrong, *out.worst))) {
      out.worst = std::move(r.worst_wrong);
      out.kappa = r.kappa;
      worst_is_wrong = true;
    } else if (!worst_is_wrong && r.largest &&
               (!out.worst || std::fabs(r.largest->error_ulp) > std::fabs(out.worst->error_ulp))) {
      out.worst = std::move(r.largest);
      out.kappa = r.kappa;
    }
  }
  if (out.worst && (worst_is_wrong || detail == Detail::full)) settle_report(input, *out.worst);
  summarise(errors, out.errors);
  out.reason = reason_for(out, c, contract);
  if (!out.range_class.empty()) {
    out.notes.push_back("outside the safe range y is " + out.range_class + ": reported, not judged");
  }
  return out;
}

}  // namespace

Judgement judge(const Case& c, const Observation& observed, const Contract& contract, OracleChoice oracle,
                Detail detail) {
  Judgement out = judge_answer(c, observed, contract, oracle, detail);
  add_faults(observed, out);
  return out;
}

}  // namespace normcheck

// Calls, judges, counts, and keeps the first finding.
#include "reports/probe_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corpus/error.h"
#include "corpus/generate.h"

namespace normcheck {
namespace {

/// The first element in which a row differs; -1 where none does.
std::int64_t first_difference(const Tensor& a, std::int64_t row_a, const Tensor& b, std::int64_t row_b,
                              std::int64_t n) {
  const std::size_t size = size_of(a.dtype), bytes = static_cast<std::size_t>(n) * size;
  const std::byte *at = a.data.data() + static_cast<std::size_t>(row_a) * bytes,
                  *other = b.data.data() + static_cast<std::size_t>(row_b) * bytes;
  const auto where = std::mismatch(at, at + bytes, other).first - at;
  return where == static_cast<std::ptrdiff_t>(bytes) ? -1 : where / static_cast<std::ptrdiff_t>(size);
}

}  // namespace

Implementation& implementation_of(const Row& row) {
  auto* out = dynamic_cast<Implementation*>(row.outside);
  if (out == nullptr)
    throw InputError(
        fmt::format("{}: probes are for plug-ins; expected ./libmine.so or exec:COMMAND", row.name));
  return *out;
}

ProbeRun::ProbeRun(const Row& row, DType dtype, const Probe& probe, const Contract& contract,
                   const ProbePlan& plan)
    : row_(row), dtype_(dtype), implementation_(implementation_of(row)), contract_(contract), plan_(plan) {
  tally_.probe = &probe;
  if (contract.claims) claims_ = contract.claims->host;
  tally_.proves_nothing = claims_.memory_copy && probe.group == ProbeGroup::memory;
}

Observation ProbeRun::observe(const Case& c, Wanted wanted, Layout layout) {
  return implementation_.run(c, wanted, layout);
}

Seen ProbeRun::judged(const Case& c, Observation observation, std::string_view what) {
  Judgement j = judge(c, observation, contract_, plan_.oracle, Detail::verdict);
  const Verdict verdict = j.verdict;
  count(verdict);
  if (is_finding(verdict)) {
    if (verdict == Verdict::fail && j.faults.empty() && is_masked(c, observation)) {
      ++tally_.masked;
    } else {
      if (!finding_) j = judge(c, observation, contract_, plan_.oracle);
      keep(c, std::move(j), what);
    }
  }
  return {std::move(observation), verdict};
}

bool ProbeRun::is_masked(const Case& c, const Observation& observation) {
  constexpr int most_asked = 3;  // each is a process
  if (masked_ != Masked::rows_wrong_alone) return masked_ == Masked::all;
  if (!plan_.wrong_afresh || finding_) return false;
  if (tally_.probe->group == ProbeGroup::numbers && !tally_.probe->of_ordinary_rows) return false;
  const auto worst = judge(c, observation, contract_, plan_.oracle).worst;
  if (!worst || row_length(c) == 0) return false;
  if (asked_afresh_ == most_asked) return true;  // it was wrong alone each time
  ++asked_afresh_;
  return plan_.wrong_afresh(row_, with_rows(c, {worst->row}));
}

Seen ProbeRun::call(const Case& c, std::string_view what, Wanted wanted, Layout layout) {
  return judged(c, observe(c, wanted, layout), what);
}

Seen ProbeRun::plain(const Case& c, std::string_view what, Wanted wanted) {
  std::swap(tally_.verdicts, tally_.plain);
  Seen out = call(c, what, wanted);
  std::swap(tally_.verdicts, tally_.plain);
  return out;
}

Seen ProbeRun::demand(const Case& c, std::string_view what, std::string_view claim, Wanted wanted,
                      Layout layout) {
  Observation seen = observe(c, wanted, layout);
  if (claim.empty() || seen.status != Status::unsupported) return judged(c, std::move(seen), what);
  const std::string why = seen.message.empty() ? std::string() : ": " + seen.message;
  fail(c, fmt::format("claims {}, and answered UNSUPPORTED{}", claim, why), what);
  return {std::move(seen), Verdict::fail};
}

Seen ProbeRun::ask(const Case& c, std::string_view what) {
  const bool before = std::exchange(implementation_.ask_refusals, true);
  Observation seen = observe(c);
  implementation_.ask_refusals = before;
  return judged(c, std::move(seen), what);
}

void ProbeRun::convert(const Case& integers, const Case& as, std::string_view what) {
  const bool before = std::exchange(implementation_.ask_refusals, true);
  implementation_.y_dtype = as.x.dtype;
  Observation seen = observe(integers);
  implementation_.y_dtype.reset();
  implementation_.ask_refusals = before;
  if (seen.status == Status::unsupported || seen.status == Status::invalid)
    return fail(as,
                fmt::format("claims integers=convert, and refused{}{}", seen.message.empty() ? "" : ": ",
                            seen.message),
                what);
  judged(as, std::move(seen), what);
}

void ProbeRun::compare(const Case& c, const Tensor& before, const std::vector<std::int64_t>& rows_of_c,
                       std::string_view what, bool claimed) {
  Observation seen = observe(c);
  const std::int64_t n = row_length(c);
  std::int64_t others = 0, row = -1, column = -1;
  if (seen.status == Status::ok && seen.faults.empty() && seen.y.size() == c.x.size()) {
    for (std::size_t i = 0; i < rows_of_c.size(); ++i) {
      const std::int64_t at = first_difference(seen.y, static_cast<std::int64_t>(i), before, rows_of_c[i], n);
      if (at < 0) continue;
      if (others++ == 0) row = static_cast<std::int64_t>(i), column = at;
    }
    if (others == 0) return count(Verdict::pass);  // the same bits have the same verdict
  }
  const Tensor y = seen.y;
  if (!judged(c, std::move(seen), what).is_right() || others == 0) return;
  const std::int64_t of = rows_of_c[static_cast<std::size_t>(row)];
  const std::string words = fmt::format(
      "{}: {} of {} rows have other bits, such as row {} (before, {}), column {}: {:#x}, before {:#x} ({} "
      "and {}); both keep "
      "the contract",
      what, others, rows_of_c.size(), row, of, column, y.bits(row * n + column), before.bits(of * n + column),
      y.value(row * n + column), before.value(of * n + column));
  if (claimed || plan_.strict) return fail(c, words, what);
  note(words);
}

void ProbeRun::fail(const Case& c, std::string reason, std::string_view what, Verdict verdict) {
  count(verdict);
  Judgement j;
  j.verdict = verdict;
  j.reason = std::move(reason);
  keep(c, std::move(j), what);
}

void ProbeRun::keep(const Case& c, Judgement judgement, std::string_view what) {
  ++tally_.findings;
  if (finding_) return;
  finding_ = make_finding(row_, c, std::move(judgement), contract_);
  finding_->regime = fmt::format("{}{}", probe_regime, tally_.probe->name);
  finding_->probe = tally_.probe->name;
  finding_->probe_words = what;
  finding_->strict = plan_.strict;
  if (base_ != nullptr && base_ != &c) finding_->base = *base_;
}

Tensor converted(const Tensor& from, DType dtype) {
  Tensor out(dtype, from.shape);
  for (std::int64_t i = 0; i < from.size(); ++i) out.set_value(i, from.value(i));
  return out;
}

Case ordinary_case(const ProbeSubject& subject, std::vector<std::int64_t> shape, std::int64_t norm_ndim) {
  Case c;
  c.norm_ndim = norm_ndim;
  c.id = fmt::format("probe-{}", dtype_name(subject.dtype));
  for (const std::int64_t extent : shape) c.id += fmt::format("-{}", extent);
  if (norm_ndim != 1) c.id += fmt::format("-over{}", norm_ndim);
  c.x = Tensor(subject.dtype, std::move(shape));
  CounterRng rng(subject.seed, 0x70726f62);  // its own stream: "prob"
  for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_value(i, 1 + rng.normal());
  c.gamma = c.beta = Tensor(subject.parameters, normalized_shape(c));
  for (std::int64_t i = 0; i < c.gamma->size(); ++i) {
    c.gamma->set_value(i, 0.5 + rng.uniform());
    c.beta->set_value(i, rng.uniform() - 0.5);
  }
  return c;
}

Case with_rows(const Case& c, const std::vector<std::int64_t>& rows) {
  Case out;  // without a copy of x, which may be huge
  out.id = c.id;
  out.op = c.op;
  out.norm_ndim = c.norm_ndim;
  out.eps = c.eps;
  out.gamma = c.gamma;
  out.beta = c.beta;
  const auto bytes = static_cast<std::size_t>(row_length(c)) * size_of(c.x.dtype);
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(rows.size())};
  const auto last = normalized_shape(c);
  shape.insert(shape.end(), last.begin(), last.end());
  out.x = Tensor(c.x.dtype, shape);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(c.x.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rows[i]) * bytes),
                bytes, out.x.data.begin() + static_cast<std::ptrdiff_t>(i * bytes));
  return out;
}

}  // namespace normcheck

// Probes of semantics: whether bits are repeated, and what is refused.
#include <fmt/format.h>

#include <algorithm>

#include "reports/probe_run.h"

namespace normcheck {
namespace {

std::vector<std::int64_t> all_rows(const Case& c) {
  std::vector<std::int64_t> out;
  for (std::int64_t r = 0; r < row_count(c); ++r) out.push_back(r);
  return out;
}

std::vector<Case> batches(const ProbeSubject& subject) {
  // Many elements: in a half few of them show that sums were taken in another order.
  return {ordinary_case(subject, {17, 33}), ordinary_case(subject, {8, 1000}),
          ordinary_case(subject, {64, 16}), ordinary_case(subject, {24, 3000})};
}

bool has_rows(const Case& c) { return c.x.shape.size() >= 2 && row_count(c) > 0 && c.x.size() > 0; }

void run_repeat(ProbeRun& run, const Case& base) {
  const Seen first = run.plain(base, "the first call");
  if (!first.is_right()) return;
  for (int k = 0; k < 4; ++k)
    run.compare(base, first.observation.y, all_rows(base), "the same call again", run.claims().deterministic);
}

void run_row_position(ProbeRun& run, const Case& base) {
  const Seen first = run.plain(base, "the rows in their order");
  if (!first.is_right() || !has_rows(base)) return;
  std::vector<std::int64_t> order = all_rows(base);
  std::reverse(order.begin(), order.end());
  run.compare(with_rows(base, order), first.observation.y, order, "the rows in reverse order",
              run.claims().batch_invariant);
  order = all_rows(base);
  std::rotate(order.begin(), order.begin() + 1, order.end());
  run.compare(with_rows(base, order), first.observation.y, order, "each row one place further up",
              run.claims().batch_invariant);
}

void run_batch_size(ProbeRun& run, const Case& base) {
  const Seen first = run.plain(base, "all rows together");
  if (!first.is_right() || !has_rows(base)) return;
  const std::vector<std::int64_t> all = all_rows(base);
  for (const std::int64_t r : all)
    run.compare(with_rows(base, {r}), first.observation.y, {r}, "one row alone",
                run.claims().batch_invariant);
  const std::vector<std::int64_t> half(all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  run.compare(with_rows(base, half), first.observation.y, half, "the last half of the rows",
              run.claims().batch_invariant);
}

constexpr Probe listed[] = {
    {"repeat", ProbeGroup::semantics, "the same call again: the same bits (a NOTE if not, unless claimed)",
     &batches, &run_repeat},
    {"row_position", ProbeGroup::semantics,
     "a row at another place among the others: the same bits (likewise)", &batches, &run_row_position},
    {"batch_size", ProbeGroup::semantics, "a row with more or fewer beside it: the same bits (likewise)",
     &batches, &run_batch_size},
};

}  // namespace

std::span<const Probe> semantics_probes() { return listed; }

}  // namespace normcheck

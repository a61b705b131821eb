// Probes of memory: how tensors lie, and what a kernel keeps from one call to the next.
#include <fmt/format.h>

#include <algorithm>

#include "corpus/generate.h"
#include "reports/probe_run.h"

namespace normcheck {
namespace {

/// Rank 2, and rank 3 with one and two normalized dims; a length that no vector width divides, and one that
/// all do.
std::vector<Case> layout_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {5, 33}), ordinary_case(subject, {6, 64}),
          ordinary_case(subject, {2, 3, 10}), ordinary_case(subject, {3, 4, 10}, 2)};
}

/// What the claims say must be done with the layout; empty where UNSUPPORTED is right.
std::string_view layout_claim(const ProbeRun& run, Layout layout, const Case& c) {
  const auto strides = run.claims().strides;
  const bool strided = layout != Layout::element_aligned && layout != Layout::byte_offset;
  if (layout == Layout::in_place) return "inplace=yes";
  if (!strides || !strided || *strides == HostClaims::Strides::none) return {};
  if (*strides == HostClaims::Strides::any) return "strides=any";
  const bool rows = layout == Layout::padded_rows || (layout == Layout::sliced && c.x.shape.size() == 2);
  return rows ? "strides=rows" : "";
}

template <Layout layout>
void run_layout(ProbeRun& run, const Case& base) {
  if (!run.plain(base, "dense, for comparison").is_right()) return;
  run.demand(base, run.tally().probe->meaning, layout_claim(run, layout, base), {}, layout);
}

template <Layout layout>
constexpr Probe layout_probe(std::string_view name, std::string_view meaning) {
  return {name, ProbeGroup::memory, meaning, &layout_cases, &run_layout<layout>};
}

std::vector<Case> some_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {5, 33}), ordinary_case(subject, {8, 1024}),
          ordinary_case(subject, {1, 257})};
}

/// Other values of the same size, and nothing in their old place.
Tensor other_values(const Tensor& from) {
  Tensor out = from;
  for (std::int64_t i = 0; i < from.size(); ++i)
    out.set_value(i, 0.25 - 1.5 * from.value(from.size() - 1 - i));
  return out;
}

void run_same_addresses(ProbeRun& run, const Case& base) {
  if (!run.plain(base, "the first call").is_right()) return;
  Case c = base;
  c.x = other_values(base.x);
  c.generated.reset();
  run.call(c, "x alone has other values, at the same address");
  c.x = base.x;
  if (c.gamma) {
    c.gamma = other_values(*base.gamma);
    run.call(c, "gamma alone has other values, at the same address");
  }
  if (c.beta) {
    c.gamma = base.gamma;
    c.beta = other_values(*base.beta);
    run.call(c, "beta alone has other values, at the same address");
  }
  c = base;
  c.eps = base.eps == 0 ? 0.5 : 4 * base.eps + 0.125;
  run.call(c, "eps alone is another, all else as it was");
  run.call(base, "the first call again, after others at the same addresses");
}

/// Calls of several shapes, in one order and then shuffled: what is kept of one must not reach another.
void run_state(ProbeRun& run, const Case& base) {
  constexpr int in_a_row = 80;
  const Seen first = run.plain(base, "the first call");
  if (!first.is_right()) return;
  std::vector<Case> others = {base};
  const std::int64_t rows = row_count(base);
  if (base.x.shape.size() >= 2 && rows > 0) {
    std::vector<std::int64_t> all;
    for (std::int64_t r = 0; r < rows; ++r) all.push_back(r);
    others.push_back(with_rows(base, {rows - 1}));
    std::reverse(all.begin(), all.end());
    others.push_back(with_rows(base, all));
    for (std::int64_t r = 0; r < rows; ++r) all.push_back(r);
    others.push_back(with_rows(base, all));
  }
  Case c = base;
  c.x = other_values(base.x);
  c.generated.reset();
  c.eps = base.eps == 0 ? 0.5 : 2 * base.eps;
  others.push_back(c);
  c = base;
  c.gamma.reset();
  others.push_back(c);
  c.beta.reset();
  others.push_back(c);
  std::vector<Observation> seen;
  for (const Case& other : others) {
    Seen s = run.call(other, "one of several calls");
    if (is_finding(s.verdict)) return;
    seen.push_back(std::move(s.observation));
  }
  CounterRng rng(1, 0x73746174);  // "stat"
  int told = 0;
  for (int k = 0; k < in_a_row && told == 0; ++k) {
    const std::size_t i = rng.below(others.size());
    Observation now = run.observe(others[i]);
    if (now.status == seen[i].status && now.faults.empty() && now.y == seen[i].y) continue;
    if ((now.status == Status::unsupported || now.status == Status::ok) && now.status != seen[i].status) {
      run.fail(others[i], "answered UNSUPPORTED to a problem that it computes another time",
               "calls in shuffled order");
      ++told;
      continue;
    }
    told += is_finding(
                run.judged(others[i], std::move(now),
                           fmt::format("call {}, in shuffled order, of a problem that came out right before",
                                       others.size() + static_cast<std::size_t>(k) + 2))
                    .verdict)
                ? 1
                : 0;
  }
  if (told == 0) run.count(Verdict::pass);
}

std::string no_guard_pages(const ProbeRun& run) {
  return run.implementation().has_guard_pages ? "" : "for shared objects in a worker";
}

/// Sizes whose tensors begin at multiples of 64 bytes and end elsewhere, and others.
std::vector<Case> guard_cases(const ProbeSubject& subject) {
  return {ordinary_case(subject, {16, 17}), ordinary_case(subject, {3, 33}), ordinary_case(subject, {4, 64}),
          ordinary_case(subject, {1, 1})};
}

void run_guard_pages(ProbeRun& run, const Case& base) {
  if (!run.plain(base, "dense, for comparison").is_right()) return;
  const Wanted wanted =
      run.plain(base, "mean and rstd are asked for", {.mean = true, .rstd = true}).is_right()
          ? Wanted{.mean = true, .rstd = true}
          : Wanted{};
  run.call(base, "each tensor ends at a page that may not be touched", wanted, Layout::guard_after);
  run.call(base, "each tensor begins at a page that may not be touched", wanted, Layout::guard_before);
}

std::string no_in_place(const ProbeRun& run) {
  return run.claims().in_place ? "" : "inplace=yes is not claimed";
}

constexpr Probe watch(std::string_view name, std::string_view meaning) {
  Probe out{name, ProbeGroup::memory, meaning, nullptr, nullptr};
  out.watch = true;
  return out;
}

constexpr Probe listed[] = {
    watch("red_zones", "in every call: nothing is written outside y, mean, rstd and the workspace"),
    watch("unwritten", "in every call: each element of y, and of mean and rstd where asked for, is written"),
    watch("inputs", "in every call: x, gamma, beta and the call's description stay as they were"),
    watch("fp_environment", "in every call: rounding mode and flush-to-zero stay as they were"),
    watch("descriptors", "in every call: no descriptor is closed"),
    layout_probe<Layout::element_aligned>("element_aligned",
                                          "addresses are multiples of the element and of nothing larger"),
    layout_probe<Layout::padded_rows>("padded_rows", "rows of x and y lie apart, with NaN between them"),
    layout_probe<Layout::sliced>("sliced", "x and y are every second entry of a larger array's first dim"),
    layout_probe<Layout::inner_stride_2>("inner_stride_2", "x and y are every second element of an array"),
    layout_probe<Layout::transposed>("transposed", "x is column-major, y is dense"),
    layout_probe<Layout::strided_affine>("strided_affine", "gamma and beta are every second element"),
    layout_probe<Layout::byte_offset>("byte_offset", "the first element lies byte_offset bytes behind data"),
    {"guard_pages", ProbeGroup::memory,
     "each tensor ends, or begins, at a page that may not be touched: reads outside are seen too",
     &guard_cases, &run_guard_pages, &no_guard_pages},
    {"in_place", ProbeGroup::memory, "y is x's memory (only where inplace=yes is claimed)", &layout_cases,
     &run_layout<Layout::in_place>, &no_in_place},
    {"same_addresses", ProbeGroup::memory,
     "x, gamma, beta or eps alone changes, all addresses and shapes stay: nothing is kept by pointer",
     &some_cases, &run_same_addresses},
    {"state", ProbeGroup::memory, "the same problems again and again, in shuffled order, among others",
     &some_cases, &run_state},
};

}  // namespace

std::span<const Probe> memory_probes() { return listed; }

}  // namespace normcheck

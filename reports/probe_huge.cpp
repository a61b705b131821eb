// Probes of numbers that do not fit where 31 bits count rows or elements. Opt-in: they need memory.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "corpus/generate.h"
#include "reports/probe_run.h"

namespace normcheck {
namespace {

constexpr std::int64_t many_rows = (std::int64_t{1} << 23) + 1, few_columns = 8;
/// 98,305 past 2^31 elements.
constexpr std::int64_t long_rows = 32769, long_row = 65537;
constexpr std::int64_t sampled_rows = 512;
constexpr double elements_a_second = 5e7;

/// Bytes for one problem: the case, its place in shared memory with y, and the y that comes back.
double bytes_needed(std::int64_t elements, DType dtype) {
  return 4.2 * static_cast<double>(elements) * static_cast<double>(size_of(dtype)) + 0x1p28;
}

/// What the machine can give, in bytes; 0 where it does not say.
double bytes_available() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  double kib = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kib) return 1024 * kib;
  }
  return 0;
}

template <std::int64_t rows, std::int64_t n>
std::string why_not(const ProbeRun& run) {
  if (!run.plan().huge) return "--huge runs it";
  const double needed = bytes_needed(rows * n, run.dtype()), there = bytes_available();
  if (there >= needed) return {};
  return fmt::format("needs {:.1f} GB of memory in {}, {:.1f} are free", needed / 1e9,
                     dtype_name(run.dtype()), there / 1e9);
}

template <std::int64_t rows, std::int64_t n>
std::vector<Case> huge_case(const ProbeSubject& subject) {
  Case c = ordinary_case(subject, {1, n});
  c.id = fmt::format("probe-{}-{}-{}", dtype_name(subject.dtype), rows, n);
  c.x = generate_tensor("uniform", subject.seed, subject.dtype, {rows, n});
  const std::string_view bytes(reinterpret_cast<const char*>(c.x.data.data()), c.x.data.size());
  c.generated = Generated{"uniform", subject.seed, sha256_hex(bytes)};
  std::vector<Case> out;
  out.push_back(std::move(c));
  return out;
}

/// Judges rows spread over all, the first and the last, and those about 2^31 and 2^32 bytes or elements.
void run_huge(ProbeRun& run, const Case& base) {
  const std::int64_t rows = row_count(base), n = row_length(base);
  Implementation& implementation = run.implementation();
  implementation.extra_seconds = static_cast<double>(rows * n) / elements_a_second;
  Observation seen = run.observe(base);
  implementation.extra_seconds = 0;
  std::set<std::int64_t> some;
  const auto add = [&](std::int64_t row) {
    if (row >= 0 && row < rows) some.insert(row);
  };
  for (std::int64_t i = 0; i < sampled_rows; ++i) add(i * (rows - 1) / (sampled_rows - 1));
  for (const std::int64_t edge : {std::int64_t{1} << 31, std::int64_t{1} << 32}) {
    for (const std::int64_t elements : {edge, edge / static_cast<std::int64_t>(size_of(base.x.dtype))}) {
      for (const std::int64_t d : {-1, 0, 1}) add(elements / n + d);
    }
  }
  const std::vector<std::int64_t> chosen(some.begin(), some.end());
  const Case sample = with_rows(base, chosen);
  if (seen.status == Status::ok) {
    Case y;
    y.x = std::move(seen.y);
    seen.y = with_rows(y, chosen).x;
  }
  run.judged(sample, std::move(seen), fmt::format("{} of {} rows are judged", chosen.size(), rows));
}

constexpr Probe listed[] = {
    {"huge_rows", ProbeGroup::numbers, "2^23 + 1 rows of 8; 512 rows or so are judged (only with --huge)",
     &huge_case<many_rows, few_columns>, &run_huge, &why_not<many_rows, few_columns>},
    {"huge_elements", ProbeGroup::numbers,
     "more than 2^31 elements in rows of 65537: 18 GB of memory for halves, 36 in f32; 512 rows or so are "
     "judged "
     "(only with --huge)",
     &huge_case<long_rows, long_row>, &run_huge, &why_not<long_rows, long_row>},
};

}  // namespace

std::span<const Probe> huge_probes() { return listed; }

}  // namespace normcheck

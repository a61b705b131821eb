// normcheck detection: whether every known mistake is found, and by what.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "corpus/case_file.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/detection.h"
#include "reports/select.h"

namespace normcheck {

Exit run_detection(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Style style{colour_wanted()};
  require_writable(options.out, "--out");
  const DetectionData data = detect(options);
  const std::filesystem::path out = options.out;
  make_folder(out, "--out");
  write_file_atomically(out / "detection.md", detection_markdown(data));
  write_file_atomically(out / "detection.json", detection_json(data));
  std::vector<double> times;
  for (const Detected& d : data.detected) {
    times.push_back(d.seconds);
    if (options.verbose)
      fmt::print("{}  seed {}  {:<7}  {:>7} rows  {:>6.0f} ms  {}\n", d.defect->id, d.seed,
                 d.with_corpus ? "corpus" : "without", d.evaluations, 1000 * d.seconds,
                 d.found ? fmt::format("{} {} {}", dtype_name(d.dtype), verdict_name(d.verdict), d.where)
                         : "missed");
  }
  std::sort(times.begin(), times.end());
  const std::vector<std::string> not_found = missed(data);
  for (const std::string& what : not_found) fmt::print("{}  {}\n", style.red("MISSED"), what);
  for (std::size_t t = 0; t < common_tests().size(); ++t) {
    if (common_tests()[t].huge && !data.huge) continue;
    fmt::print("{:<26} shows {:>3} of {}\n", common_tests()[t].name,
               std::count(data.by_test[t].begin(), data.by_test[t].end(), true), data.defects.size());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const Exit code = not_found.empty() ? Exit::well : Exit::finding;
  fmt::print(
      "{} known mistakes, {} seeds, with the corpus and without: {} of {} runs found one, median {:.0f} ms, "
      "{:.1f} s; {:.1f} s with the tests of others\n",
      data.defects.size(), data.seeds.size(), data.detected.size() - not_found.size(), data.detected.size(),
      times.empty() ? 0.0 : 1000 * times[times.size() / 2], data.seconds, took.count());
  fmt::print("written to {}: detection.md, detection.json\nexit {}\n", out.string(), static_cast<int>(code));
  return code;
}

}  // namespace normcheck

// normcheck report: everything judged at once, told in words, and written as results.json and what is made of
// it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "corpus/case_file.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/numbers.h"
#include "reports/render_summary.h"
#include "reports/results/measure.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"
#include "reports/results/results.h"
#include "reports/select.h"

namespace normcheck {

Exit run_report(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path out = options.out;
  const std::vector<std::string> before = files_of_report(out);
  const std::unique_ptr<ReportData> data = measure_report(options, out);
  const std::string text = results_text(results_json(*data));
  make_folder(out, "--out");
  write_file_atomically(out / "results.json", text);
  // Of what was written, as `render` does it.
  std::vector<std::string> notes;
  const std::vector<RenderedFile> files = rendered_files(parse_results(text, "results.json"), notes);
  write_rendered(out, files);
  clear_older(out, before, files, notes);
  for (const std::string& note : notes) fmt::print(stderr, "NOTE     {}\n", note);
  const auto cases = std::count_if(files.begin(), files.end(),
                                   [](const RenderedFile& file) { return file.path.starts_with("cases/"); });
  fmt::print("{}", summary_text(*data, Style{colour_wanted()}));
  fmt::print(
      "\nwritten to {}\n  index.html    the page, to read\n  report.md     the tables, to paste\n"
      "  results.json  every number, with hexfloats; normcheck render makes the other files of it\n"
      "  results.csv, junit.xml, svg/\n  cases/        {}, to replay\n",
      out.string(), counted(cases, "input"));
  if (!options.no_timing) {
    std::fflush(stdout);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "took {:.1f} s\n", took.count());
  }
  return data->unexpected.empty() ? Exit::well : Exit::finding;
}

}  // namespace normcheck

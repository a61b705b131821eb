// normcheck render: the files of a report again, from its results.json alone.
#include <fmt/format.h>

#include <cstdio>

#include "corpus/error.h"
#include "reports/commands.h"
#include "reports/numbers.h"
#include "reports/results/complete.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"
#include "reports/select.h"

namespace normcheck {

Exit run_render(const Options& options) {
  const Json results = read_results(options.names.front());
  if (const std::string missing = missing_member(results); !missing.empty())
    throw InputError(fmt::format("{}: {}; expected the results.json of a report (reports/SCHEMA.md)",
                                 options.names.front(), missing));
  require_writable(options.out, "--out");
  const std::vector<std::string> before = files_of_report(options.out);
  std::vector<std::string> notes;
  const std::vector<RenderedFile> files = rendered_files(results, notes);
  write_rendered(options.out, files);
  clear_older(options.out, before, files, notes);
  for (const std::string& note : notes) fmt::print(stderr, "NOTE     {}\n", note);
  fmt::print("{} written to {}\n", counted(static_cast<std::int64_t>(files.size()), "file"), options.out);
  return Exit::well;
}

}  // namespace normcheck

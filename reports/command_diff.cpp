// normcheck diff: what changed between two reports.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "corpus/error.h"
#include "reports/commands.h"
#include "reports/diff/diff.h"
#include "reports/results/reader.h"

namespace normcheck {

Exit run_diff(const Options& options) {
  if (options.names.size() != 2)
    throw InputError(fmt::format("diff: {} files given, expected OLD.json NEW.json", options.names.size()));
  const auto before = read_results(options.names[0]), after = read_results(options.names[1]);
  const ResultsDiff diff = diff_results(before, after);
  if (diff.compared == 0)
    throw InputError(
        fmt::format("diff: {} and {} have no implementation, dtype and regime in common; expected two "
                    "reports of the same",
                    options.names[0], options.names[1]));
  fmt::print("{}", options.markdown ? diff_markdown(diff) : diff_text(diff, options.program));
  // Of numbers alone none is a finding: a largest known error may grow within its bound.
  const bool bad = std::any_of(diff.lines.begin(), diff.lines.end(), [](const DiffLine& l) {
    return l.finding && (l.change == Change::worse || l.change == Change::appeared);
  });
  return bad ? Exit::finding : Exit::well;
}

}  // namespace normcheck

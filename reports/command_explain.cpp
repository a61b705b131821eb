// normcheck explain: where the error of one output comes from, step by step.
#include <fmt/format.h>

#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "reports/commands.h"
#include "reports/console.h"
#include "reports/explain/explain.h"
#include "reports/named_case.h"
#include "reports/plugins.h"
#include "reports/select.h"

namespace normcheck {

Exit run_explain(const Options& options) {
  const std::string& file = options.names.front();
  const Case c = read_case_or_make(file);
  const Row& row = row_named(options.impl, options);
  require_file(options.svg, "--svg");
  const Explained e = explain_case(row, c, contract_of(row, options.contract));
  fmt::print("{}",
             explained_text(
                 e, fmt::format("{} {}", options.program, replay_arguments(file, row.name, options.contract)),
                 Style{colour_wanted()}));
  if (!options.svg.empty()) {
    std::error_code error;
    const auto folder = std::filesystem::absolute(options.svg).parent_path();
    const bool was_there = std::filesystem::exists(folder, error);
    write_asked_file(options.svg, "--svg", explained_svg(e));
    fmt::print("  picture  {}{}\n", options.svg, was_there ? "" : " (its folder was made)");
  }
  return Exit::well;
}

}  // namespace normcheck

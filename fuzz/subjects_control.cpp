// The fuzzed rows are two_pass alone: the control, on which nothing may ever be found.
#include <algorithm>
#include <vector>

#include "corpus/replay_line.h"
#include "fuzz/subjects.h"

namespace normcheck {

std::span<const Row> fuzzed_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> out;
    std::copy_if(table().begin(), table().end(), std::back_inserter(out),
                 [](const Row& row) { return row.algorithm == "two_pass" && is_right(row); });
    return out;
  }();
  return rows;
}

std::string replay_command(const Subject& subject, const std::string& file) {
  return replay_line(built_command,
                     replay_arguments(file, subject.row->name, contract_name(subject.contract)));
}

}  // namespace normcheck

// The fuzzed rows are the table's, and the command knows them.
#include "fuzz/subjects.h"

namespace normcheck {

std::span<const Row> fuzzed_rows() { return table(); }

std::string replay_command(const Row& row, const std::string& file) {
  return "normcheck replay " + file + " --impl " + std::string(row.name);
}

}  // namespace normcheck

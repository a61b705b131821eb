// The fuzzed rows are the table's, and the command knows them.
#include "corpus/replay_line.h"
#include "fuzz/subjects.h"

namespace normcheck {

std::span<const Row> fuzzed_rows() { return table(); }

std::string replay_command(const Subject& subject, const std::string& file) {
  return replay_line(built_command,
                     replay_arguments(file, subject.row->name, contract_name(subject.contract)));
}

}  // namespace normcheck

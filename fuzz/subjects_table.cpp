// The fuzzed rows are the table's.
#include "fuzz/subjects.h"

namespace normcheck {

std::span<const Row> fuzzed_rows() { return table(); }

}  // namespace normcheck

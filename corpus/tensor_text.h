// Reads the tensors of a `.case`: a header line, then one line an innermost row, or a generator.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "corpus/case.h"
#include "corpus/case_lines.h"

namespace normcheck {

/// Reads "DTYPE EXTENT..." from `words`, then the rows from the lines that follow; leaves `lines` at the
/// first line that is not the tensor's. `budget` is how many elements may still be written out; what is
/// read is taken off. With `generated` the header may end in "gen NAME seed=S sha256=H", for at most
/// `max_generated` elements. Throws by lines.fail.
Tensor read_tensor(Lines& lines, std::string_view field, Words& words, std::int64_t& budget,
                   std::optional<Generated>* generated = nullptr, std::int64_t max_generated = 0);

/// "0", "12", ...: an extent of a shape.
std::int64_t read_extent(const Lines& lines, std::string_view field, std::string_view word);

}  // namespace normcheck

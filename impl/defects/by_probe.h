// The known mistakes that no case of corpus/public shows, and what of `check` does: one list for the tests.
#pragma once

#include <string_view>

namespace normcheck {

struct ShownByProbe {
  std::string_view id;
  std::string_view probe;  ///< a name of `normcheck list --probes`; empty: a generated case
};

inline constexpr ShownByProbe shown_by_probe[] = {{"B059", "padded_rows"},     {"B097", "padded_rows"},
                                                  {"B106", "element_aligned"}, {"B110", "row_counts"},
                                                  {"B112", "row_counts"},      {"B139", "byte_offset"},
                                                  {"B140", "transposed"},      {"B142", "transposed"},
                                                  {"B145", "padded_rows"},     {"B147", "inputs"},
                                                  {"B149", "in_place"},        {"B195", "batch_size"},
                                                  {"B196", "batch_size"},      {"B200", ""}};

}  // namespace normcheck

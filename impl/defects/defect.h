// Known mistakes from public reports, each as a layer norm that makes it: one row and one function a report.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpus/dtype.h"
#include "impl/plugin/normcheck_plugin.h"

namespace normcheck {

/// One report. What it is about is told in our own words, and run by code of ours: a CPU twin of the mistake.
struct Defect {
  std::string_view id;    ///< "B001", as in corpus/public and accounted.tsv
  std::string_view kind;  ///< its class, "one-pass variance"
  std::string_view url;   ///< where it was reported
  std::string_view does;  ///< one sentence
  const char* right;      ///< what its right twin claims, and so what it is held to; null: `stable`
  std::span<const DType> dtypes;
  bool own_process;  ///< it crashes, reads what it may not, or keeps count of its calls: run it in a process
                     ///< of its own
  int (*run)(const nc_call*);
};

/// In the order of their ids.
std::span<const Defect> defects();
/// nullptr if there is none.
const Defect* find_defect(std::string_view id);

/// All of them as plug-ins, index by index, named by id; then, named "twin1" and on, a right layer norm for
/// each `right` that some row has, with these claims, behind the same calls.
const nc_plugin* defects_plugin(std::uint32_t host_minor, std::uint32_t index);

/// The name of the right twin of a defect among those plug-ins.
std::string_view twin_name(const Defect& defect);

// The parts of the list, one a source.
std::span<const Defect> one_pass_defects();  // cancellation, clamps, folded
std::span<const Defect> eps_defects();
std::span<const Defect> divisor_defects();  // another divisor, power or norm
std::span<const Defect> half_defects();
std::span<const Defect> range_defects();
std::span<const Defect> rounding_defects();
std::span<const Defect> merge_defects();
std::span<const Defect> padding_defects();
std::span<const Defect> launch_defects();  // indices, grids, races
std::span<const Defect> shape_defects();
std::span<const Defect> parameter_defects();
std::span<const Defect> memory_defects();

}  // namespace normcheck

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
std::span<const Defect> one_pass_defects();   // K01-K03: cancellation, clamps, folded
std::span<const Defect> eps_defects();        // K04-K07
std::span<const Defect> divisor_defects();    // K09, K10, K43-K45: another divisor, power or norm
std::span<const Defect> half_defects();       // K11, K12
std::span<const Defect> range_defects();      // K13, K31, K32
std::span<const Defect> rounding_defects();   // K14, K15, K30, K36, K40
std::span<const Defect> merge_defects();      // K16
std::span<const Defect> padding_defects();    // K17, K18
std::span<const Defect> launch_defects();     // K20, K38, K39: indices, grids, races
std::span<const Defect> shape_defects();      // K21-K23
std::span<const Defect> parameter_defects();  // K24, K25, K28, K29
std::span<const Defect> memory_defects();     // K19, K26, K27

}  // namespace normcheck

// What a target said: the figures that libFuzzer prints, and a finding's own words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck {

/// The figures of one run. What was not printed is 0.
struct RunFigures {
  std::int64_t executions = 0;
  std::int64_t coverage = 0;  ///< edges
  std::int64_t features = 0;
  bool loaded = false;               ///< every input of the corpus was run (INITED)
  std::vector<std::string> records;  ///< the target's own lines of figures: those that begin with "record "
};
RunFigures read_figures(std::string_view log);

/// A finding as its log tells it. Two findings with one key are taken for one problem.
struct FindingWords {
  std::string subject;     ///< a row of the table, a function, or the target
  std::string promise;     ///< the contract, the promise in a few words, or the sanitizer's name of the fault
  std::string dtype;       ///< "any" where there is no case
  std::string shape;       ///< the shape class: empty, n1, row, rows; "any" where there is no case
  std::string says;        ///< one line: what is wrong
  std::string replay;      ///< the target's replay line; empty where it prints none
  std::string excerpt;     ///< the lines that a person wants to read
  std::string given_name;  ///< by the same parts, where the target itself named the case; else empty

  /// "two_pass-f32.own.f32.row": letters, digits and . _ - only. It holds no line number and no value.
  std::string key() const;
};

/// Reads the log of a run that failed. `ending` is used where it says nothing ("signal 9").
FindingWords read_finding(std::string_view log, std::string_view target, std::string_view ending);

/// The class of "[1,4] over [4]": empty (no element), n1 (rows of one element), row (one row), rows.
std::string shape_class(std::string_view shape, std::string_view over);

}  // namespace normcheck

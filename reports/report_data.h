// All that a report tells, before it is rendered.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/detection_floor.h"
#include "reports/finding.h"
#include "reports/four.h"
#include "reports/kappa_sweep.h"
#include "reports/results/accuracy.h"
#include "reports/results/cases.h"
#include "reports/results/curves.h"
#include "reports/results/implementations.h"
#include "reports/sweep.h"

namespace normcheck {

/// What turns a report red.
struct Unexpected {
  std::string what;                ///< one line
  const Finding* shown = nullptr;  ///< what shows it, if anything does
};

struct ReportData {
  explicit ReportData(std::string folder) : shelf(std::move(folder)) {}
  std::string program;  ///< as it was invoked: for lines that a terminal shows, never for a file
  std::string command;  ///< with its arguments but for the output folder, as it is to be repeated
  SweepPlan plan;
  Budget whole_budget;               ///< of the run; that of the plan is of one implementation and dtype
  std::vector<double> eps;           ///< of the generated cases
  std::vector<std::string> not_run;  ///< sentences
  std::vector<SweepJob> jobs;
  TimeRatios times;
  std::vector<AccuracyPoint> accuracy;  ///< beside the times
  std::vector<SweepEntry> entries;
  std::vector<PublicInput> inputs;  ///< the inputs from public bug reports, under each of the four
  std::vector<FamilyResult> four;   ///< the four layer norms of the brief
  HalfSum half_sum;
  Curves curves;
  nlohmann::ordered_json peers, detection;  ///< what is published; null where nothing is
  nlohmann::ordered_json folklore = nlohmann::ordered_json::array();
  nlohmann::ordered_json champions = nlohmann::ordered_json::array();
  CaseShelf shelf;                 ///< the cases that are named
  std::vector<FloorPoint> floors;  ///< of a report on all implementations, else empty
  std::vector<Unexpected> unexpected;
  std::vector<const Finding*> shown;                     ///< the findings that were kept as files
  std::vector<std::pair<std::string, std::string>> run;  ///< provenance and clock
};

}  // namespace normcheck

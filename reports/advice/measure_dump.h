// What a user's tensors ask of a layer norm: condition number and eps against the variance, layer by layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "reports/dump_problem.h"

namespace normcheck {

/// One layer of a dump, over the rows that are finite and not constant.
struct LayerMeasure {
  std::string name;
  std::string shape;  ///< "f32 [8,768] over [768]"
  std::string error;  ///< why it could not be read; empty: it was
  DType dtype = DType::f32;
  std::int64_t n = 0, rows = 0, non_finite = 0, constant = 0;
  double kappa_median = 0, kappa = 0;  ///< kappa: the largest; 0 where no row has one
  std::int64_t worst_row = -1;         ///< of that kappa
  double eps = 0, eps_share = 0;       ///< the largest eps/var
  std::string cheapest;                ///< filled by advise(): the cheapest candidate proven to do on `kept`
  Case kept;                           ///< the rows that are run: the worst, and some spread evenly
};

/// Reads each, keeps about `elements` elements of all of them, and lets the rest go.
std::vector<LayerMeasure> measure_dump(const std::vector<ProblemSource>& problems, const Options& options,
                                       std::int64_t elements);

/// A table, 100 columns wide where the names of the layers let it.
std::string layers_text(const std::vector<LayerMeasure>& layers);

}  // namespace normcheck

// Pictures: one SVG, written by hand, for light and dark, with markers beside colours.
#pragma once

#include <string>
#include <vector>

#include "reports/kappa_sweep.h"

namespace normcheck {

/// Error of y (solid) and the row's own bound (dotted) against kappa, both axes logarithmic, one panel for
/// each n of the curves of that dtype.
std::string error_vs_kappa_svg(const std::vector<KappaCurve>& curves, DType dtype);

}  // namespace normcheck

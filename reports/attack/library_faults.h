// What was found wrong with real libraries, as their maintainers would want it.
#pragma once

#include <string>

#include "reports/options.h"

namespace normcheck {

/// Markdown: of each fault the input, what was expected, what comes out here, and why. Runs the libraries; of
/// one that is not installed it says so. InputError where a case cannot be read.
std::string library_faults_markdown(const Options& options);

}  // namespace normcheck

// The options that advise and tolerance share: which rows are asked about.
#pragma once

#include <optional>
#include <string>

#include "reports/advice/rows.h"
#include "reports/options.h"

namespace CLI {
class App;
}

namespace normcheck {

/// What these two take beside Options: of a process, as it has one command line.
struct AdviceOptions {
  std::string tolerance, passes;     ///< advise, as given; empty: not
  std::string ref;                   ///< tolerance: an implementation
  std::optional<double> atol, rtol;  ///< tolerance
};
AdviceOptions& advice_options();

/// The subcommands, as options.cpp adds its own.
void add_advise(CLI::App& app, Options& o);
void add_tolerance(CLI::App& app, Options& o);

/// --dtype, --n, --kappa and --eps.
void add_setting_options(CLI::App& app, Options& o);
/// InputError for a value that is none, whether or not it is used: a length of 2 to 65,536, a kappa of 1 or
/// more.
void check_setting(const Options& options);
/// What the options say; what they leave out is as in `otherwise`, and where that is absent an InputError.
Setting setting_asked(const Options& options, const std::optional<Setting>& otherwise = std::nullopt);

}  // namespace normcheck

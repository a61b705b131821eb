// Reads and checks them.
#include "reports/advice/asked.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>

#include "corpus/error.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t longest = 65536;

std::int64_t length_of(const Options& options) {
  const Lengths& l = options.lengths;
  const bool one = l.list.size() == 1 || (l.list.empty() && l.lo == l.hi);
  const std::int64_t n = l.list.empty() ? l.lo : l.list.front();
  if (!one || n < 2 || n > longest)
    throw InputError(fmt::format("--n: advice is on one length; expected a number from 2 to {}", longest));
  return n;
}

}  // namespace

AdviceOptions& advice_options() {
  static AdviceOptions options;
  return options;
}

void add_setting_options(CLI::App& app, Options& o) {
  app.add_option("--dtype", o.dtypes, "of x and y: f32, f64, f16 or bf16")->expected(1);
  app.add_option_function<std::string>(
      "--n", [&o](const std::string& t) { o.lengths = parse_lengths(t, "--n"); }, "elements of a row");
  app.add_option_function<std::string>(
      "--kappa", [&o](const std::string& t) { o.kappa = parse_number(t, "--kappa"); },
      "the condition number sqrt(1 + mean^2/var): about how many times its spread a row's mean is");
  app.add_option_function<std::string>(
      "--eps", [&o](const std::string& t) { o.eps = parse_number(t, "--eps"); },
      "eps, added inside the root (default 1e-5)");
}

void check_setting(const Options& options) {
  static_cast<void>(dtypes_named(options.dtypes));
  if (options.lengths.given) static_cast<void>(length_of(options));
  if (options.kappa && (!(*options.kappa >= 1) || !std::isfinite(*options.kappa)))
    throw InputError("--kappa: a condition number is 1 or more; expected such a number");
  if (options.eps && (!(*options.eps >= 0) || !std::isfinite(*options.eps)))
    throw InputError("--eps: expected a finite number, 0 or more");
}

Setting setting_asked(const Options& options, const std::optional<Setting>& otherwise) {
  check_setting(options);
  const auto require = [&](const char* option, bool given, const char* example) {
    if (!given && !otherwise)
      throw InputError(fmt::format("{} is required, such as {} {}", option, option, example));
  };
  require("--dtype", !options.dtypes.empty(), "f16");
  require("--n", options.lengths.given, "4096");
  require("--kappa", options.kappa.has_value(), "50");
  Setting out = otherwise.value_or(Setting{});
  if (!options.dtypes.empty()) out.dtype = dtype_named(options.dtypes[0]);
  if (options.lengths.given) out.n = length_of(options);
  if (options.kappa) out.kappa = *options.kappa;
  if (options.eps) out.eps = *options.eps;
  return out;
}

}  // namespace normcheck

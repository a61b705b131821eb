// What was asked for on the command line: plain values, parsed but not yet looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace normcheck {

/// How much to run: a number of evaluations (one row of data given to one implementation at one dtype),
/// or, where `seconds` is above 0, a time. A run under a time budget is not repeatable.
struct Budget {
  std::int64_t evaluations = 0;
  double seconds = 0;
};

/// The lengths to draw from: every one of `list`, or lo..hi.
struct Lengths {
  std::vector<std::int64_t> list;
  std::int64_t lo = 1;
  std::int64_t hi = 4096;
  bool given = false;  ///< by --n or --shapes; else the long rows are run beside lo..hi
};

struct Options {
  std::string program = "normcheck";   ///< as it was invoked, a shell word
  std::vector<std::string> arguments;  ///< all that stood behind it, a shell word each
  std::string command;                 ///< "list", "check", "compare", "replay", "minimise", "judge", ...
  std::vector<std::string> names;      ///< implementations, or files
  std::vector<std::string> programs;   ///< likewise, by --program; among the names once all is read
  std::vector<std::string> dtypes;
  std::vector<std::string> regimes;
  std::vector<std::string> shapes;  ///< "8x1024": rows x n
  Lengths lengths;
  std::optional<double> eps;
  std::optional<std::int64_t> norm_ndim;
  std::string contract = "stable";  ///< of minimise empty: stable, else own
  std::string oracle = "automatic";
  std::uint64_t seed = 1;
  std::optional<Budget> budget;
  std::string out = "build/out";
  std::string json, junit, baseline;  ///< files
  std::string corpus;
  std::string case_out;                           ///< minimise and import --out
  std::string folder;                             ///< new-plugin --out; empty: this one
  std::string impl;                               ///< replay and minimise --impl
  std::string x, y, y2, gamma, beta, mean, rstd;  ///< FILE or FILE:NAME
  std::string map;                                ///< --map: which tensor of a dump is which
  bool force = false;                             ///< import: write over what is there
  // Of plug-ins (impl/plugin/plugin.h).
  bool in_process = false;
  std::optional<double> deadline;    ///< seconds
  std::optional<double> memory_gib;  ///< 0: no limit
  bool strict = false;
  std::vector<std::string> skip_probes;
  std::string probe;  ///< replay --probe
  bool huge = false;
  std::string objective, against;            ///< attack; no objective: the share
  std::optional<double> kappa;               ///< attack: at most
  bool plain = false;                        ///< attack: neither gamma nor beta
  bool record = false;                       ///< attack: keep what is worse than what is known
  bool fresh = false;                        ///< attack: without the corpus
  bool all_rows = false, all_peers = false;  ///< attack
  bool no_timing = false;
  bool verbose = false;
  std::string svg;        ///< explain: a file
  bool markdown = false;  ///< diff
  bool algorithms = false, list_regimes = false, contracts = false, rows = false, floor = false,
       list_probes = false, list_peers = false, list_defects = false, missing = false;  ///< list
};

/// The program should end here with this code: help and version (0) or wrong usage (2). `text` goes to
/// stdout for 0, else it is one line for stderr.
struct EndOfProgram {
  int code;
  std::string text;
};

/// Throws EndOfProgram, or InputError for a value that cannot be read.
Options parse_command_line(int argc, const char* const* argv);

/// "1e-5" or a hexfloat; the whole text must be one number. `what` names it in the InputError.
double parse_number(const std::string& text, const std::string& what);
/// "4000" or "30s".
Budget parse_budget(const std::string& text);
/// "64", "1,2,33" or "1..4096".
Lengths parse_lengths(const std::string& text, const std::string& what);

}  // namespace normcheck

// Reads the command line with CLI11 and turns every mistake into one line.
#include "reports/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "corpus/tab_table.h"
#include "reports/advice/asked.h"
#include "reports/attack/attack_options.h"
#include "reports/provenance.h"

namespace normcheck {
namespace {

constexpr std::int64_t longest_row = std::int64_t{1} << 22;

std::int64_t parse_count(const std::string& text, const std::string& what) {
  const bool digits = !text.empty() && text.size() < 16 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) {
    throw InputError(
        fmt::format("{}: '{}' is not a whole number; expected digits, such as 4096", what, text));
  }
  return std::strtoll(text.c_str(), nullptr, 10);
}

std::int64_t parse_length(const std::string& text, const std::string& what) {
  const std::int64_t n = parse_count(text, what);
  if (n < 1 || n > longest_row) {
    throw InputError(fmt::format("{}: {} is out of range; expected 1 to {}", what, n, longest_row));
  }
  return n;
}

/// What inputs to draw, and where to write.
void add_input_options(CLI::App& app, Options& o) {
  app.add_option("--dtype", o.dtypes, "storage dtypes: f32, f64, f16, bf16 (default: all offered)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--regime", o.regimes, "regimes (default: all; see normcheck list --regimes)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
      "--n", [&o](const std::string& t) { o.lengths = parse_lengths(t, "--n"); },
      "row lengths: 64 or 1,2,33 or 1..4096 (default 1..4096, and a few rows past 16,384 and 65,536)");
  app.add_option("--shapes", o.shapes, "rows x length, such as 8x1024,3x33")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option_function<std::string>(
      "--eps", [&o](const std::string& t) { o.eps = parse_number(t, "--eps"); },
      "eps of every generated case (default: 1e-5, or what the regime chooses)");
  app.add_option_function<std::string>(
      "--norm-ndim", [&o](const std::string& t) { o.norm_ndim = parse_count(t, "--norm-ndim"); },
      "normalized dims (default: 1 to 3)");
  app.add_option("--oracle", o.oracle, "automatic (default), exact or wide");
  app.add_option_function<std::string>(
      "--seed", [&o](const std::string& t) { o.seed = static_cast<std::uint64_t>(parse_count(t, "--seed")); },
      "seed of the generated cases (default 1)");
  app.add_option_function<std::string>(
      "--budget", [&o](const std::string& t) { o.budget = parse_budget(t); },
      "generated rows, such as 4000, or a time, such as 30s (then not repeatable)");
  app.add_option("--out", o.out, "folder for what is written (default build/out)");
  app.add_option("--corpus", o.corpus, "corpus folder (default: the one that this build knows)");
}

/// Of kernels from outside, ./libmine.so and exec:COMMAND.
void add_plugin_options(CLI::App& app, Options& o) {
  app.add_flag("--in-process", o.in_process,
               "call a .so in this process, for a debugger or sanitizer: its crash is ours");
  app.add_option_function<std::string>(
      "--deadline",
      [&o](const std::string& t) {
        o.deadline = parse_number(t, "--deadline");
        if (!(*o.deadline > 0 && *o.deadline <= 86400))
          throw InputError(fmt::format("--deadline: '{}'; expected seconds, above 0 and up to 86400", t));
      },
      "seconds that a plug-in may take for a call (default 10; for programs 40 where they may compile)");
  app.add_option_function<std::string>(
      "--memory",
      [&o](const std::string& t) {
        o.memory_gib = parse_number(t, "--memory");
        if (!(*o.memory_gib >= 0 && *o.memory_gib <= 65536))
          throw InputError(fmt::format("--memory: '{}'; expected GiB, 0 (no limit) to 65536", t));
      },
      "GiB of address space of a plug-in's process (default 4; 0: no limit)");
}

void add_sweep_options(CLI::App& app, Options& o) {
  add_input_options(app, o);
  app.add_option("--contract", o.contract, "what is demanded: stable (default), own or claims");
  add_plugin_options(app, o);
  app.add_flag("--no-timing", o.no_timing, "do not print how long it took");
  app.add_flag("--verbose", o.verbose, "print every finding that was kept");
}

void add_list(CLI::App& app, Options& o) {
  CLI::App* list = app.add_subcommand("list", "implementations, algorithms, regimes, contracts, what shows");
  list->add_flag("--rows", o.rows, "the implementations (default)");
  list->add_flag("--algorithms", o.algorithms, "what each computes, costs, and how far off it can be");
  list->add_flag("--regimes", o.list_regimes, "the families of inputs");
  list->add_flag("--peers", o.list_peers,
                 "the real libraries: what is installed, and what installs the rest");
  list->add_flag("--defects", o.list_defects, "known mistakes from public reports, each to be run by its id");
  list->add_flag("--missing", o.missing,
                 "of the real libraries, a command for each of PyPI that is light and not installed");
  list->add_flag("--contracts", o.contracts, "what an implementation can be held to");
  list->add_flag("--probes", o.list_probes, "what a plug-in is tried with beside its cases");
  list->add_flag("--floor", o.floor, "the smallest fault that must show, by dtype and row length");
  list->add_option("--dtype", o.dtypes, "with --floor: f32, f64, f16, bf16 (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_check(CLI::App& app, Options& o) {
  CLI::App* check = app.add_subcommand("check", "judge implementations over all regimes and the corpus");
  check->add_option("IMPL", o.names,
                    "implementations, such as welford/f32 (normcheck list; default: all), ./libmine.so or "
                    "'exec:python3 mine.py'");
  check
      ->add_option_function<std::vector<std::string>>(
          "--program",
          [&o](const std::vector<std::string>& lines) {
            for (const std::string& line : lines) o.programs.push_back("exec:" + line);
          },
          "a program that speaks the protocol of plug-ins, in one word: 'python3 mine.py' (as exec:... does)")
      ->expected(1);
  add_sweep_options(*check, o);
  check->add_option("--json", o.json, "write the results to this file, as JSON lines");
  check->add_option("--junit", o.junit,
                    "write the results to this file, as JUnit XML: a suite a pair, a test a regime");
  check->add_option("--baseline", o.baseline,
                    "a list of findings that are accepted for a while: only what is not as listed is exit 1");
  check->add_flag(
      "--huge", o.huge,
      "probe a plug-in with 2^23 rows and with more than 2^31 elements too (up to 36 GB of memory)");
  check->add_flag(
      "--strict", o.strict,
      "a case that says an implementation fails there, and did not, counts as a finding; of a plug-in, "
      "other bits in another batch too, and all that is to be refused is asked of it");
  check
      ->add_option("--skip-probes", o.skip_probes,
                   "probes of a plug-in to leave out, or groups of them (normcheck list --probes)")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_compare(CLI::App& app, Options& o) {
  CLI::App* compare =
      app.add_subcommand("compare", "two implementations: who is closer, and the input that parts them most");
  compare->add_option("IMPL", o.names, "two implementations, such as two_pass/f32 welford/f32")
      ->required()
      ->expected(2);
  add_input_options(*compare, o);
  add_plugin_options(*compare, o);
}

/// Which tensors, and what the layer norm is: of judge, import, and replay.
void add_tensor_options(CLI::App& app, Options& o) {
  app.add_option(
      "--map", o.map,
      "which tensor of the files is which, such as x=input,y=output,gamma=weight; a '*' stands for "
      "any text, the same in every name: a layer each (default: by their names)");
  app.add_option_function<std::string>(
      "--eps", [&o](const std::string& t) { o.eps = parse_number(t, "--eps"); },
      "eps, added inside the root");
  app.add_option_function<std::string>(
      "--norm-ndim", [&o](const std::string& t) { o.norm_ndim = parse_count(t, "--norm-ndim"); },
      "how many of the last dims are normalized together (default: as many as gamma or beta has, else 1)");
  app.add_option("--dtype", o.dtypes,
                 "the dtype of x and y; bf16 must be said for .npy and .npz, which have no name for it");
}

void add_replay(CLI::App& app, Options& o) {
  CLI::App* replay = app.add_subcommand("replay", "run cases again and judge them");
  replay->add_option("FILE", o.names, ".case files, or tensors as judge takes them (x, gamma and beta)")
      ->required();
  add_tensor_options(*replay, o);
  replay->add_option("--impl", o.impl,
                     "the implementation (default: what the case says it violates, else all right ones)");
  replay->add_option("--contract", o.contract,
                     "stable (default), own or claims (normcheck list --contracts)");
  replay->add_option("--oracle", o.oracle, "automatic (default), exact or wide");
  add_plugin_options(*replay, o);
  replay->add_option("--probe", o.probe, "run this probe on the cases (normcheck list --probes)");
  replay->add_flag("--strict", o.strict, "with --probe: as check --strict has it");
  replay->add_flag("--verbose", o.verbose, "print the six steps with their shapes");
}

void add_minimise(CLI::App& app, Options& o) {
  CLI::App* minimise = app.add_subcommand("minimise", "make a case that fails as small as it gets");
  minimise->add_option("FILE", o.names, "a .case file that the implementation fails")
      ->required()
      ->expected(1);
  minimise->add_option("--impl", o.impl, "the implementation")->required();
  minimise->add_option("--contract", o.contract,
                       "stable, own or claims (default: stable, where it fails that, else own)");
  add_plugin_options(*minimise, o);
  minimise->add_option("-o,--out", o.case_out, "the file to write (default: FILE's name with .min.case)");
}

void add_attack(CLI::App& app, Options& o) {
  CLI::App* attack = app.add_subcommand("attack", "search for the input on which an implementation is worst");
  add_attack_options(*attack, o);
  add_plugin_options(*attack, o);
}

void add_judge(CLI::App& app, Options& o) {
  CLI::App* judge = app.add_subcommand("judge", "judge tensors from files; nothing is run");
  judge->add_option("DUMP", o.names,
                    ".npy, .npz, .safetensors, ONNX tensors (.pb), or folders of ONNX's test data");
  judge->add_option("--x", o.x, "the input: FILE or FILE:NAME, as for all that follow");
  judge->add_option("--y", o.y, "the output to judge");
  judge->add_option("--y2", o.y2, "a second output, to compare with the first");
  judge->add_option("--gamma", o.gamma, "the scale (default: none)");
  judge->add_option("--beta", o.beta, "the shift (default: none)");
  judge->add_option("--mean", o.mean, "the mean of each row, to judge too (default: none)");
  judge->add_option("--rstd", o.rstd, "1/sqrt(var+eps) of each row, to judge too (default: none)");
  add_tensor_options(*judge, o);
  judge->add_option("--contract", o.contract, "stable (default) or claims (normcheck list --contracts)");
  judge->add_option("--oracle", o.oracle, "automatic (default), exact or wide");
  judge->add_option("--json", o.json, "write the results to this file, as JSON lines: one an output");
  judge->add_option("--junit", o.junit, "write the results to this file, as JUnit XML: a test an output");
}

void add_new_plugin(CLI::App& app, Options& o) {
  CLI::App* made =
      app.add_subcommand("new-plugin", "write an example of a kernel, C++ and Python, that passes");
  made->add_option("NAME", o.names, "letters, digits and _: writes NAME.cpp, NAME_launcher.cpp and NAME.py")
      ->required()
      ->expected(1);
  made->add_option("--out", o.folder, "the folder to write to (default: this one); nothing is overwritten");
}

void add_import(CLI::App& app, Options& o) {
  CLI::App* import = app.add_subcommand("import", "make a .case of tensors from files");
  import
      ->add_option("DUMP", o.names,
                   ".npy, .npz, .safetensors, ONNX tensors (.pb), or folders of ONNX's test data")
      ->required();
  add_tensor_options(*import, o);
  import->add_option("-o,--out", o.case_out, "the file to write; of several layers FILE-LAYER.case each")
      ->required();
  import->add_flag("--force", o.force, "write over files that are there");
}

void add_report(CLI::App& app, Options& o) {
  CLI::App* report = app.add_subcommand(
      "report", "judge everything; write index.html, report.md, results.json, .csv, pictures, cases");
  report->add_option("IMPL", o.names, "implementations (default: all)");
  add_sweep_options(*report, o);
}

void add_render(CLI::App& app, Options& o) {
  CLI::App* render = app.add_subcommand("render", "write the files of a report again, from its results.json");
  render->add_option("FILE", o.names, "the results.json of a report")->required()->expected(1);
  render->add_option("--out", o.out, "folder for what is written (default build/out)");
}

void add_explain(CLI::App& app, Options& o) {
  CLI::App* explain = app.add_subcommand("explain", "where the error of one output comes from, step by step");
  explain->add_option("CASE", o.names, "a .case file")->required()->expected(1);
  explain->add_option("--impl", o.impl, "the implementation")->required();
  explain->add_option("--contract", o.contract,
                      "whose worst element is explained: stable (default), own or claims");
  explain->add_option("--svg", o.svg, "write the graph of the computation to this file");
  add_plugin_options(*explain, o);
}

void add_diff(CLI::App& app, Options& o) {
  CLI::App* diff = app.add_subcommand("diff", "what changed between two reports: worse, new, fixed, better");
  diff->add_option("RESULTS", o.names, "OLD.json NEW.json: results.json of two reports")
      ->required()
      ->expected(2);
  diff->add_flag("--markdown", o.markdown, "as tables, for a pull request");
}

void add_peers(CLI::App& app, Options& o) {
  CLI::App* judged = app.add_subcommand(
      "peers", "judge the real libraries that are installed; write peers.md and peers.json");
  judged->add_option("NAME", o.names, "peers (default: all that are installed; see normcheck list --peers)");
  add_sweep_options(*judged, o);
}

void add_detection(CLI::App& app, Options& o) {
  CLI::App* found = app.add_subcommand(
      "detection",
      "known mistakes from public reports: which are found, by what; write detection.md and detection.json");
  found->add_option("ID", o.names, "reports, such as B001 (default: all; see normcheck list --defects)");
  add_sweep_options(*found, o);
}

/// Runs the parser; help, the version and every mistake end the program.
void parse(CLI::App& app, int argc, const char* const* argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  const bool known = std::any_of(subcommands.begin(), subcommands.end(),
                                 [&](const CLI::App* sub) { return sub->get_name() == first; });
  if (!first.empty() && first[0] != '-' && !known) {
    throw EndOfProgram{
        2,
        fmt::format("unknown command '{}'; expected list, check, compare, replay, "
                    "minimise, attack, judge, import, new-plugin, report, render, peers, detection, advise "
                    "or tolerance",
                    first)};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      const bool version = dynamic_cast<const CLI::CallForVersion*>(&e) != nullptr;
      std::string help = app.help();
      for (const CLI::App* sub : app.get_subcommands()) help = sub->help();
      throw EndOfProgram{0, version ? version_text() + "\n" : help};
    }
    std::string line = e.what();
    std::replace(line.begin(), line.end(), '\n', ' ');
    throw EndOfProgram{2, line + "; see normcheck --help"};
  }
}

}  // namespace

double parse_number(const std::string& text, const std::string& what) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);  // the locale is never set, so it is "C"
  if (text.empty() || end != text.c_str() + text.size()) {
    throw InputError(
        fmt::format("{}: '{}' is not a number; expected one such as 1e-5 or 0x1p-17", what, text));
  }
  return value;
}

Budget parse_budget(const std::string& text) {
  Budget budget;
  if (!text.empty() && text.back() == 's') {
    budget.seconds = parse_number(text.substr(0, text.size() - 1), "--budget");
    if (!(budget.seconds > 0) || !std::isfinite(budget.seconds)) {
      throw InputError(fmt::format("--budget: '{}' is not a time; expected one such as 30s", text));
    }
    return budget;
  }
  budget.evaluations = parse_count(text, "--budget");
  return budget;
}

Lengths parse_lengths(const std::string& text, const std::string& what) {
  Lengths lengths;
  lengths.given = true;
  const auto dots = text.find("..");
  if (dots != std::string::npos) {
    lengths.lo = parse_length(text.substr(0, dots), what);
    lengths.hi = parse_length(text.substr(dots + 2), what);
    if (lengths.lo > lengths.hi)
      throw InputError(fmt::format("{}: '{}' is empty; expected lo..hi with lo <= hi", what, text));
    return lengths;
  }
  for (const std::string& part : split(text, ',')) lengths.list.push_back(parse_length(part, what));
  return lengths;
}

Options parse_command_line(int argc, const char* const* argv) {
  Options o;
  CLI::App app{"normcheck: how wrong is a layer norm? Judged, with proof, against the exact result.",
               "normcheck"};
  app.set_version_flag("--version", [] { return version_text(); });
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 all well, 1 a finding, 2 usage or unreadable input, 3 cannot load, 5 nothing was "
      "proved.");

  add_list(app, o);
  add_check(app, o);
  add_compare(app, o);
  add_replay(app, o);
  add_minimise(app, o);
  add_attack(app, o);
  add_judge(app, o);
  add_import(app, o);
  add_new_plugin(app, o);
  add_report(app, o);
  add_render(app, o);
  add_explain(app, o);
  add_diff(app, o);
  add_peers(app, o);
  add_detection(app, o);
  add_advise(app, o);
  add_tolerance(app, o);
  parse(app, argc, argv);
  const CLI::App& used = *app.get_subcommands().front();
  o.command = used.get_name();
  if (o.command == "minimise" && used.count("--contract") == 0) o.contract.clear();
  if (!o.shapes.empty()) o.lengths.given = true;
  o.names.insert(o.names.end(), o.programs.begin(), o.programs.end());
  if (argc > 0 && argv[0][0] != '\0') o.program = shell_word(argv[0]);
  for (int i = 1; i < argc; ++i) o.arguments.push_back(shell_word(argv[i]));
  return o;
}

}  // namespace normcheck

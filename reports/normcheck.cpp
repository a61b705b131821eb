// The command: reads the command line, runs one subcommand, and turns every failure into one line.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "corpus/error.h"
#include "impl/defects/defect.h"
#include "impl/plugin/worker_main.h"
#include "reports/commands.h"
#include "reports/provenance.h"

namespace {

normcheck::Exit run(const normcheck::Options& options) {
  if (options.command == "list") return normcheck::run_list(options);
  if (options.command == "check") return normcheck::run_check(options);
  if (options.command == "compare") return normcheck::run_compare(options);
  if (options.command == "replay") return normcheck::run_replay(options);
  if (options.command == "attack") return normcheck::run_attack(options);
  if (options.command == "minimise") return normcheck::run_minimise(options);
  if (options.command == "judge") return normcheck::run_judge(options);
  if (options.command == "new-plugin") return normcheck::run_new_plugin(options);
  if (options.command == "import") return normcheck::run_import(options);
  if (options.command == "detection") return normcheck::run_detection(options);
  if (options.command == "render") return normcheck::run_render(options);
  if (options.command == "explain") return normcheck::run_explain(options);
  if (options.command == "diff") return normcheck::run_diff(options);
  if (options.command == "advise") return normcheck::run_advise(options);
  if (options.command == "tolerance") return normcheck::run_tolerance(options);
  if (options.command == "peers") return normcheck::run_peers(options);
  return normcheck::run_report(options);
}

int complain(const char* line, normcheck::Exit code) {
  std::fflush(stdout);
  fmt::print(stderr, "normcheck: {}\n", line);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  // A worker around a plug-in is this program too.
  if (argc > 1 && std::string_view(argv[1]) == normcheck::plugin_worker_word)
    return normcheck::plugin_worker_main(argc - 2, argv + 2, normcheck::defects_plugin);
  try {
    const normcheck::Options options = normcheck::parse_command_line(argc, argv);
    const std::string fault = normcheck::float_environment_fault();
    if (!fault.empty())
      return complain(("cannot judge here: " + fault).c_str(), normcheck::Exit::cannot_load);
    const auto code = static_cast<int>(run(options));
    if (std::fflush(stdout) != 0) return complain("stdout: cannot be written", normcheck::Exit::usage);
    return code;
  } catch (const normcheck::EndOfProgram& end) {
    if (end.code != 0) return complain(end.text.c_str(), normcheck::Exit::usage);
    fmt::print("{}", end.text);
    return 0;
  } catch (const normcheck::InputError& e) {
    return complain(e.what(), normcheck::Exit::usage);
  } catch (const normcheck::LoadError& e) {
    return complain(e.what(), normcheck::Exit::cannot_load);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", normcheck::Exit::usage);
  } catch (const std::exception& e) {
    return complain(e.what(), normcheck::Exit::usage);
  }
}

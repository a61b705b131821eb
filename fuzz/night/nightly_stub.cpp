// A stand-in for a libFuzzer target: what it does stands, in one word, in a file beside it (<name>.does).
//   clean        loads the corpus, adds two inputs, ends well          dead     exits 3, says nothing
//   finds        the same, after one finding a pass, three times       silent   ends well, has run nothing
//   hangs        finds once, then starts a child and waits for ever    forgets  like clean, and empties the
//   corpus
// An input "normcheck-case BAD row promise dtype shape over" is a finding.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::string bad = "normcheck-case BAD ";

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}
void spill(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct Arguments {
  std::string artifacts, control;
  std::vector<fs::path> inputs;
};
Arguments read_arguments(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("-artifact_prefix=")) out.artifacts = word.substr(17);
    if (word.starts_with("-merge_control_file=")) out.control = word.substr(20);
    if (!word.starts_with("-")) out.inputs.push_back(word);
  }
  return out;
}

/// As a target does: words on stderr, a `.case` in the folder of findings, then the end.
void check(const std::string& bytes, const std::string& artifacts) {
  if (!bytes.starts_with(bad)) return;
  std::istringstream in(bytes.substr(bad.size()));
  std::string row, promise, dtype, shape, over;
  in >> row >> promise >> dtype >> shape >> over;
  const char* folder = std::getenv("NORMCHECK_FINDINGS");
  const std::string file = std::string(folder != nullptr ? folder : ".") + "/row-f32.own.f32.row.case";
  std::fprintf(stderr,
               "FAIL  %s  %s %s over %s  eps 0  contract %s\n  y[0,0] is wrong\n  replay normcheck replay %s "
               "--impl %s\n",
               row.c_str(), dtype.c_str(), shape.c_str(), over.c_str(), promise.c_str(), file.c_str(),
               row.c_str());
  spill(file, bytes);
  if (!artifacts.empty())
    spill(artifacts + "crash-" + std::to_string(std::hash<std::string>()(bytes)), bytes);
  std::_Exit(77);
}

int merge(const std::string& control, const std::string& artifacts) {
  std::istringstream in(slurp(control));
  long count = 0, started = -1;
  std::string line;
  std::vector<std::string> files;
  in >> count >> line;
  std::getline(in, line);
  for (long i = 0; i < count && std::getline(in, line); ++i) files.push_back(line);
  while (std::getline(in, line)) {
    if (line.starts_with("STARTED ")) started = std::stol(line.substr(8));
  }
  for (long i = started + 1; i < count; ++i) {
    const std::string bytes = slurp(files[static_cast<std::size_t>(i)]);
    std::ofstream(control, std::ios::app) << "STARTED " << i << ' ' << bytes.size() << '\n';
    check(bytes, artifacts);
    // The first byte is the feature that an input has.
    std::ofstream(control, std::ios::app) << "FT " << i << ' ' << (bytes.empty() ? 0 : int(bytes[0])) << '\n';
  }
  return 0;
}

/// How often this target was asked to fuzz, with this time.
int passes(const std::string& self) {
  const fs::path counter = self + ".passes";
  const int out = (fs::exists(counter) ? std::stoi(slurp(counter)) : 0) + 1;
  spill(counter, std::to_string(out));
  return out;
}

[[noreturn]] void wait_for_ever(const std::string& self) {
  const pid_t child = fork();  // no parent-death signal of its own: only its group can reach it
  if (child == 0) {
    for (;;) pause();
  }
  std::ofstream(self + ".fifo") << getpgrp() << ' ' << child
                                << std::endl;  // whoever reads it knows that it hangs
  for (;;) pause();
}

int fuzz(const std::string& self, const std::string& does, const Arguments& arguments) {
  if (does == "silent") return 0;
  int inputs = 0;
  for (const fs::path& folder : arguments.inputs) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      check(slurp(entry.path()), arguments.artifacts);
      ++inputs;
    }
  }
  std::fprintf(stderr, "#%d\tINITED cov: 5 ft: 7 corp: 1/1b\n", inputs + 1);
  const int pass = passes(self);
  const std::string extents = "[1," + std::to_string(pass + 1) + "] [" + std::to_string(pass + 1) + "]";
  if ((does == "finds" && pass <= 3) || (does == "hangs" && pass == 1))
    check(bad + "row/f32 own f32 " + extents, arguments.artifacts);
  if (does == "hangs" && pass == 2) wait_for_ever(self);
  if (does == "forgets") {
    for (const fs::directory_entry& entry : fs::directory_iterator(arguments.inputs[0]))
      fs::remove(entry.path());
  } else {
    for (const char* unit : {"a one", "b two", "a one, longer"}) spill(arguments.inputs[0] / unit, unit);
  }
  std::fprintf(stderr,
               "record largest share of the bound 0.5\n#%d\tDONE   cov: 9 ft: "
               "11\nstat::number_of_executed_units: %d\n",
               inputs + 100, inputs + 100);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string self = argv[0];
  std::istringstream in(slurp(self + ".does"));
  std::string does;
  in >> does;
  const Arguments arguments = read_arguments(argc, argv);
  if (does == "dead") return 3;
  if (!arguments.control.empty()) return merge(arguments.control, arguments.artifacts);
  if (!arguments.inputs.empty() && fs::is_directory(arguments.inputs[0])) return fuzz(self, does, arguments);
  for (const fs::path& input : arguments.inputs) check(slurp(input), arguments.artifacts);
  return 0;
}

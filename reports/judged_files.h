// What `judge` writes beside its text: JSON lines and JUnit XML, an output at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "oracles/judge.h"
#include "reports/junit.h"
#include "reports/options.h"

namespace normcheck {

class JudgedFiles {
 public:
  /// InputError, before anything is judged, where a file that the options ask for cannot be written.
  explicit JudgedFiles(const Options& options);
  /// `layer` may be empty; `output` is what the judged tensor is called; `text` the block that a person
  /// reads.
  void add(std::string_view layer, std::string_view output, const Case& c, const Judgement& j,
           const Contract& contract, const std::string& text);
  /// A layer that could not be judged.
  void add_error(std::string_view layer, std::string_view why);
  /// All at once, each file whole or not at all.
  void write() const;

 private:
  std::string json_, junit_;
  std::string lines_;
  std::vector<JUnitTest> tests_;
};

}  // namespace normcheck

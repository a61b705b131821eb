// Keeps a finding as a case, says what it is, and aborts.
#include "fuzz/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "corpus/case_file.h"
#include "fuzz/in_flight.h"
#include "props/shrink.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// The case as a file of its own: its history is another case's.
Case renamed(Case c, const Finding& finding) {
  for (auto* words : {&c.violates, &c.origin, &c.notes}) words->clear();
  c.id = finding_name(finding.who, finding.promise, c);
  c.notes.push_back(fmt::format("found by fuzzing: {} breaks '{}'", finding.who, finding.promise));
  return c;
}

fs::path file_of(const Case& c) { return findings_folder() / (c.id + ".case"); }

/// False where the file that is there already holds a case that is as simple.
bool write_if_simpler(const Case& c) {
  fs::create_directories(findings_folder());
  if (fs::exists(file_of(c))) {
    try {
      if (weight(read_case(file_of(c))) <= weight(c)) return false;
    } catch (const std::exception&) {  // not a case: to be replaced
    }
  }
  write_case(file_of(c), c);
  return true;
}

}  // namespace

fs::path findings_folder() {
  const char* folder = std::getenv("NORMCHECK_FINDINGS");
  return folder != nullptr && *folder != '\0' ? folder : "found";
}

std::string finding_head(std::string_view verdict, std::string_view who, const Case& c,
                         std::string_view promise) {
  const std::vector<std::int64_t> over = normalized_shape(c);
  return fmt::format("{}  {}  {} {} over {}  eps {:.6g}  contract {}\n", verdict, who, dtype_name(c.x.dtype),
                     shape_text(c.x.shape), shape_text(over), c.eps, promise);
}

void keep_finding(const Case& c, const Finding& finding, std::int64_t work) {
  Case kept = renamed(c, finding);
  std::string file = file_of(kept).string();
  try {
    // Before anything else: whoever ends the program while it minimises does not lose the finding.
    const bool written = write_if_simpler(kept);
    const Case small = renamed(minimal(kept, finding.again, work), finding);
    if (written && small.id != kept.id) fs::remove(file_of(kept));
    kept = small;
    file = file_of(kept).string();
    if (!write_if_simpler(kept)) kept = read_case(file);
  } catch (const std::exception& error) {
    file = fmt::format("(not written: {})", error.what());
  }
  const std::string text = finding.words(kept) + "  replay " + finding.replay(file) + "\n";
  std::fputs(text.c_str(), stderr);
}

void report_finding(const Case& c, const Finding& finding) {
  const InFlight nothing;  // the abort below is no crash of the case
  keep_finding(c, finding);
  std::abort();
}

}  // namespace normcheck

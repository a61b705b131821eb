// The findings of a state folder: one file a problem, kept before it is announced.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/night/target_log.h"

namespace normcheck {

/// A finding as it is kept: FOLDER/<name>.case (or .input where the bytes are no case), and FOLDER/<name>.txt
/// with the rest.
struct KeptFinding {
  std::string name;  ///< <target>-<key>
  std::string target;
  std::string input;   ///< the path of the file that shows it
  std::string says;    ///< one line
  std::string since;   ///< the day on which it was first seen
  std::string replay;  ///< a line to paste
  std::string excerpt;
};

class Findings {
 public:
  /// Those of `target` that the folder holds; the folder is made.
  Findings(std::filesystem::path folder, std::string target);

  const std::vector<KeptFinding>& all() const { return all_; }
  bool holds(const std::string& name) const;

  /// Keeps a new one, from a file that shows it: when this returns, a kill loses nothing of it. `shown_as` is
  /// the path that the words use for the file; they will use the kept one.
  const KeptFinding& keep(const FindingWords& words, const std::filesystem::path& file,
                          const std::string& shown_as, const std::string& replay_program,
                          const std::string& today);

  /// It does not fail any more: its files go to FOLDER/fixed.
  void retire(const std::string& name);

 private:
  std::filesystem::path folder_;
  std::string target_;
  std::vector<KeptFinding> all_;
};

/// The findings that the folder holds and whose name is `wanted`, by name. Others are not looked at: their
/// target may be at work on them.
std::vector<KeptFinding> kept_findings(const std::filesystem::path& folder,
                                       const std::function<bool(const std::string&)>& wanted);

}  // namespace normcheck

// The cases that results name: as text, or, where that is long and it was generated, by how it is made.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// "cases/NAME.case", and nothing that leads elsewhere.
bool is_case_path(const std::string& path);

class CaseShelf {
 public:
  /// `folder` is that of the report: where cases/ will lie, as seen from where the commands are pasted.
  explicit CaseShelf(std::string folder = {});
  ~CaseShelf();
  CaseShelf(const CaseShelf&) = delete;
  CaseShelf& operator=(const CaseShelf&) = delete;
  /// Keeps it, once; answers its file, "cases/NAME.case". `stem` is the name to be wished for (default: its
  /// id).
  /// `input` is where it lies in the checkout, if the shelf is not to find out.
  std::string add(const Case& c, std::string stem = {}, std::string input = {});
  /// A case of that id lies at `path` in the checkout.
  void know(const std::string& id, std::string path);
  /// What replay takes for a case that was kept: its path in the checkout, its name if that makes it, else
  /// its file below the folder.
  std::string input(const std::string& file) const;
  /// `cases` of results.json, in the order of the names of files.
  nlohmann::ordered_json json() const;

 private:
  struct Kept;
  std::string input_of(const Case& c, const std::string& text) const;
  std::string folder_;
  std::vector<Kept> kept_;
  std::map<std::string, std::string> known_;  ///< by id and bytes of x: the file
  std::map<std::string, std::string> paths_;  ///< by id: where it lies in the checkout
};

}  // namespace normcheck

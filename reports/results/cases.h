// The cases that results name: as text, or, where that is long and it was generated, by how it is made.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

class CaseShelf {
 public:
  CaseShelf();
  ~CaseShelf();
  CaseShelf(const CaseShelf&) = delete;
  CaseShelf& operator=(const CaseShelf&) = delete;
  /// Keeps it, once; answers its file, "cases/NAME.case". `stem` is the name to be wished for (default: its
  /// id).
  std::string add(const Case& c, std::string stem = {});
  /// `cases` of results.json, in the order of the names of files.
  nlohmann::ordered_json json() const;

 private:
  struct Kept;
  std::vector<Kept> kept_;
  std::map<std::string, std::string> known_;  ///< by id and bytes of x: the file
};

}  // namespace normcheck

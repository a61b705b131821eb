// The dumps that other programs wrote (props/dumps/make_dumps.py), and the error of a call.
#pragma once

#include <string>

#include "corpus/error.h"

namespace normcheck {

inline std::string dump_file(const std::string& name) {
  return std::string(NORMCHECK_SOURCE_DIR) + "/props/dumps/" + name;
}

/// The line of the InputError, empty if there is none.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace normcheck

// The one exception for input that cannot be used: it says what, where, and what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace normcheck {

/// Thrown for unreadable input or a wrong option. `what()` is one line, fit for stderr as it is;
/// the command prints it and exits 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& line) : std::runtime_error(line) {}
};

}  // namespace normcheck

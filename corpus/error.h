// The exceptions for what cannot be used, input and implementations: each says what, where, and why.
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

/// An implementation that exists by its name but cannot be loaded here: exit 3.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(const std::string& line) : std::runtime_error(line) {}
};

}  // namespace normcheck

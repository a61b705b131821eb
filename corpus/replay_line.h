// The line that runs a case file again: pasted into a shell in the folder where it was printed, it works.
#pragma once

#include <string>
#include <string_view>

namespace normcheck {

/// The command as the build leaves it, seen from the root of a checkout: for programs that are not it, and
/// for files, whose bytes must not depend on how it was invoked.
constexpr std::string_view built_command = "build/release/normcheck";

/// `word` as it is where no shell reads anything into it, else in single quotes.
std::string shell_word(std::string_view word);

/// "replay FILE --impl IMPL", without the latter for an empty impl, and with the contract before it where
/// that is not `stable`: what follows the command's name.
std::string replay_arguments(const std::string& file, std::string_view impl,
                             std::string_view contract = "stable");

/// The whole line; empty for no arguments. `command` is a shell word.
std::string replay_line(std::string_view command, std::string_view arguments);

}  // namespace normcheck

// The findings that somebody has looked at and accepted for a while, and what makes such a list wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck {

/// One accepted finding, a block of lines `name value`; blocks are parted by empty lines, # starts a comment
/// line. Every field is wanted, once:
///   finding  fuzz_forward-two_pass-f32.own.f32.row    the name that the summary gives it; it may end in .*
///   input    known/two_pass-subnormal.case            what shows it; relative to the file of the baseline
///   says     y[0,3]  got nan ...                      the line that the summary shows, word for word
///   reason   why it may fail for now
///   owner    who answers for it
///   expires  2026-03-31                               the last day on which it is accepted
struct BaselineEntry {
  std::string finding;
  std::filesystem::path input;  ///< resolved
  std::string says;
  std::string reason;
  std::string owner;
  std::string expires;

  /// The part of `finding` before the first dash: names of targets hold none.
  std::string target() const { return finding.substr(0, finding.find('-')); }
};

/// InputError "NAME:LINE: ..." on anything else. `folder` is where relative inputs start.
std::vector<BaselineEntry> parse_baseline(std::string_view text, std::string_view name,
                                          const std::filesystem::path& folder);
std::vector<BaselineEntry> read_baseline(const std::filesystem::path& path);

/// The block of a finding, ready to be completed: reason, owner and date are for a person to say.
std::string baseline_block(std::string_view finding, std::string_view input, std::string_view says);

/// True for a day that the calendar has, written YYYY-MM-DD.
bool is_date(std::string_view text);
/// The day in UTC.
std::string today_by_clock();

/// What became of an entry when its input was run this night.
struct Replayed {
  std::string finding;  ///< the entry's name
  bool ran = false;     ///< the target was run on the input and came to an end
  bool failed = false;
  std::string now;   ///< the name of what it found, where it failed
  std::string says;  ///< and what it says
};

/// Why the list does not fit the night, one line each; empty if it does:
///   expired                 the day after `expires` and later
///   stopped running         no target ran the input (no such target, or no such file)
///   unexpectedly passing    the input does not fail any more
///   changed                 it fails, but under another name or with other words
std::vector<std::string> baseline_complaints(const std::vector<BaselineEntry>& baseline,
                                             const std::vector<Replayed>& replayed, std::string_view today);

/// Whether the entry is of a finding of this name: it is the same, or ends in ".*" where this goes on.
bool stands_for(const BaselineEntry& entry, std::string_view finding);
/// True if the list accepts a finding of this name. (An expired entry is complained of by itself.)
bool accepts(const std::vector<BaselineEntry>& baseline, std::string_view finding);

}  // namespace normcheck

// Lines to and from a child, with deadlines, while what it prints is drained.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "impl/plugin/child.h"

namespace normcheck {

/// The beginning and the end of a stream, 64 KiB each.
class Kept {
 public:
  void add(std::string_view bytes);
  /// With a word about what is left out between the two.
  std::string text() const;

 private:
  std::string head_;
  std::string tail_;
  std::uint64_t dropped_ = 0;
};

class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Event : std::uint8_t { done, end_of_file, timeout, too_long };
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  /// Of another child from here on; what earlier ones printed stays.
  void attach(const Child& child);

  /// Writes the line and its end. end_of_file: nobody reads any more.
  Event write_line(std::string_view line, Clock::time_point deadline);
  /// `line` without its end. too_long: more than longest_line bytes without one.
  Event read_line(std::string& line, Clock::time_point deadline);
  /// Takes what was printed so far, without waiting.
  void drain();

  const Kept& out() const { return out_kept_; }
  const Kept& err() const { return err_kept_; }

 private:
  bool wait(short events, Clock::time_point deadline);
  static void take(int& descriptor, Kept& kept);
  int control_ = -1, out_ = -1, err_ = -1;
  std::string buffer_;
  Kept out_kept_, err_kept_;
};

}  // namespace normcheck

// Writes colour codes and a progress line, if a person is watching.
#include "reports/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace normcheck {

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

std::string wrapped(std::string_view text, std::size_t column) {
  std::string out;
  const std::size_t room = line_columns - column;
  while (text.size() > room) {
    std::size_t at = text.rfind(' ', room);
    if (at == std::string_view::npos || at == 0) at = std::min(text.find(' ', room), text.size());
    out += std::string(text.substr(0, at)) + "\n";
    if (at == text.size()) return out;
    text.remove_prefix(at + 1);
    out += std::string(column, ' ');
  }
  return out + std::string(text) + "\n";
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
  return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Progress::Progress() : on_(isatty(STDERR_FILENO) == 1), begun_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::step(std::string_view label, double done, double total) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double share = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 0;
  const std::chrono::duration<double> spent = now - begun_;
  std::string left;
  if (share > 0.02 && share < 1 && spent.count() > 2) {
    const auto seconds = static_cast<int>(spent.count() * (1 - share) / share + 1);
    left = seconds < 100 ? fmt::format("  {} s left", seconds)
                         : fmt::format("  {} min left", (seconds + 59) / 60);
  }
  const auto filled = static_cast<std::size_t>(share * 30);
  std::fputs(fmt::format("\r\x1b[K[{}{}] {:3.0f}%{}  {}", std::string(filled, '#'),
                         std::string(30 - filled, '.'), 100 * share, left, label)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace normcheck

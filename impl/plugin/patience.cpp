// The numbers of patience.
#include "impl/plugin/patience.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck {
namespace {

constexpr double usual = 10, compiling = 60, short_of_patience = 2;
constexpr int most_crashes = 3, most_timeouts = 3, timeouts_until_short = 2, timeouts_until_over = 5;

}  // namespace

double Patience::seconds(bool may_compile) const {
  const double base = deadline_.value_or(may_compile && timeouts_ == 0 ? compiling : usual);
  return timeouts_ >= timeouts_until_short ? std::min(base, short_of_patience) : base;
}

std::optional<std::string> Patience::given_up(DType dtype) const {
  const Strikes& s = strikes_[static_cast<std::size_t>(dtype)];
  if (timeouts_ >= timeouts_until_over) return fmt::format("it hung {} times", timeouts_);
  if (s.timeouts >= most_timeouts)
    return fmt::format("it hung {} times with {}", s.timeouts, dtype_name(dtype));
  if (s.crashes_in_a_row >= most_crashes)
    return fmt::format("it crashed {} times in a row with {}", s.crashes_in_a_row, dtype_name(dtype));
  return std::nullopt;
}

void Patience::count(DType dtype, Status status) {
  Strikes& s = strikes_[static_cast<std::size_t>(dtype)];
  s.crashes_in_a_row = status == Status::crash ? s.crashes_in_a_row + 1 : 0;
  if (status != Status::timeout) return;
  ++s.timeouts;
  ++timeouts_;
}

}  // namespace normcheck

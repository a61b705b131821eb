// The numbers of patience.
#include "impl/plugin/patience.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck {
namespace {

constexpr double usual = 10, compiling = 40, starting = 50, loading = 30, short_of_patience = 2,
                 most_lost = 48, slow = 1;
constexpr int most_crashes = 3, most_timeouts = 3, timeouts_until_short = 2, timeouts_until_over = 5;

}  // namespace

double Patience::seconds(bool may_compile) const {
  const double base = deadline_.value_or(may_compile && timeouts_ == 0 ? compiling : usual);
  const double limited = timeouts_ >= timeouts_until_short ? std::min(base, short_of_patience) : base;
  return deadline_ ? limited : std::min(limited, std::max(short_of_patience, most_lost - lost_));
}

double Patience::start_seconds(bool is_program) const {
  return deadline_.value_or(is_program ? starting : loading);
}

std::optional<std::string> Patience::given_up(DType dtype) const {
  const Strikes& s = strikes_[static_cast<std::size_t>(dtype)];
  if (timeouts_ >= timeouts_until_over) return fmt::format("it hung {} times", timeouts_);
  if (!deadline_ && lost_ >= most_lost) return fmt::format("it hung for {:.0f} s in all", lost_);
  if (!deadline_ && lost_ + slow_ >= most_lost)
    return fmt::format("answers that took more than a second each took {:.0f} s (--deadline S waits for all)",
                       lost_ + slow_);
  if (s.timeouts >= most_timeouts)
    return fmt::format("it hung {} times with {}", s.timeouts, dtype_name(dtype));
  if (s.crashes_in_a_row >= most_crashes)
    return fmt::format("it crashed {} times in a row with {}", s.crashes_in_a_row, dtype_name(dtype));
  return std::nullopt;
}

void Patience::count(DType dtype, Status status, double took, bool may_have_compiled) {
  Strikes& s = strikes_[static_cast<std::size_t>(dtype)];
  s.crashes_in_a_row = status == Status::crash ? s.crashes_in_a_row + 1 : 0;
  if (status != Status::timeout) {
    if (took > slow && !may_have_compiled) slow_ += took;
    return;
  }
  ++s.timeouts;
  ++timeouts_;
  lost_ += took;
}

}  // namespace normcheck

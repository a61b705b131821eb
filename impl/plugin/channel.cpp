// One poll over the control socket and both pipes: a child that floods a pipe must not block itself or us.
#include "impl/plugin/channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace normcheck {
namespace {

constexpr std::size_t kept_bytes = 65536;

int milliseconds_until(Channel::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Channel::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000));
}

}  // namespace

void Kept::add(std::string_view bytes) {
  const std::size_t first = std::min(bytes.size(), kept_bytes - head_.size());
  head_ += bytes.substr(0, first);
  tail_ += bytes.substr(first);
  if (tail_.size() > 2 * kept_bytes) {
    const std::size_t over = tail_.size() - kept_bytes;
    dropped_ += over;
    tail_.erase(0, over);
  }
}

std::string Kept::text() const {
  const std::size_t over = tail_.size() > kept_bytes ? tail_.size() - kept_bytes : 0;
  std::string out = head_;
  if (dropped_ + over > 0) out += fmt::format("\n[{} bytes left out]\n", dropped_ + over);
  return out + tail_.substr(over);
}

void Channel::attach(const Child& child) {
  control_ = child.control();
  out_ = child.out();
  err_ = child.err();
  buffer_.clear();
}

void Channel::take(int& descriptor, Kept& kept) {
  std::array<char, 65536> bytes;
  const ssize_t got = read(descriptor, bytes.data(), bytes.size());
  if (got > 0) {
    kept.add({bytes.data(), static_cast<std::size_t>(got)});
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    descriptor = -1;  // the child's owner closes it
  }
}

/// Until the control socket has one of `events`; false at the deadline.
bool Channel::wait(short events, Clock::time_point deadline) {
  for (;;) {
    std::array<pollfd, 3> polled = {{{control_, events, 0}, {out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    const int left = milliseconds_until(deadline);
    const int ready = poll(polled.data(), polled.size(), left);
    if (ready > 0) {
      if (polled[1].revents != 0) take(out_, out_kept_);
      if (polled[2].revents != 0) take(err_, err_kept_);
      if (polled[0].revents != 0) return true;
    }
    if (left == 0) return false;
  }
}

Channel::Event Channel::write_line(std::string_view line, Clock::time_point deadline) {
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t sent = send(control_, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait(POLLOUT, deadline)) return Event::timeout;
    } else {
      return Event::end_of_file;
    }
  }
  return Event::done;
}

Channel::Event Channel::read_line(std::string& line, Clock::time_point deadline) {
  std::array<char, 65536> bytes;
  for (std::size_t looked = 0;;) {
    const std::size_t end = buffer_.find('\n', looked);
    if (end != std::string::npos) {
      line.assign(buffer_, 0, end);
      buffer_.erase(0, end + 1);
      return line.size() > longest_line ? Event::too_long : Event::done;
    }
    if (buffer_.size() > longest_line) return Event::too_long;
    looked = buffer_.size();
    if (!wait(POLLIN, deadline)) return Event::timeout;
    const ssize_t got = recv(control_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Event::end_of_file;
    }
  }
}

void Channel::drain() {
  constexpr int most = 64;  // 4 MiB: somebody who left the group may still be writing
  for (int i = 0; i < most; ++i) {
    std::array<pollfd, 2> polled = {{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (poll(polled.data(), polled.size(), 0) <= 0) return;
    if (polled[0].revents != 0) take(out_, out_kept_);
    if (polled[1].revents != 0) take(err_, err_kept_);
    if (out_ < 0 && err_ < 0) return;
  }
}

}  // namespace normcheck

// A kernel as a program of its own, right, or with one of the faults that a host must survive.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "impl/plugin/arena.h"
#include "impl/plugin/protocol.h"

namespace {

using namespace std::string_literals;
using normcheck::Arena, normcheck::CallPlan, normcheck::Role;

void say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t sent = write(normcheck::control_descriptor, text.data() + at, text.size() - at);
    if (sent <= 0) _exit(9);
    at += static_cast<std::size_t>(sent);
  }
}

std::string read_line() {
  static std::string buffer;
  for (;;) {
    const auto end = buffer.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> bytes;
    const ssize_t got = read(normcheck::control_descriptor, bytes.data(), bytes.size());
    if (got <= 0) _exit(0);
    buffer.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

template <class T>
T* at(const CallPlan& plan, Role role, const Arena& arena) {
  const auto* t = plan.find(role);
  return t == nullptr ? nullptr : reinterpret_cast<T*>(arena.base() + t->first());
}

void norm(const CallPlan& plan, const Arena& arena) {
  const auto& shape = plan.find(Role::x)->shape;
  std::int64_t rows = 1, n = 1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    (d + static_cast<std::size_t>(plan.norm_ndim) < shape.size() ? rows : n) *= shape[d];
  const auto *x = at<float>(plan, Role::x, arena), *gamma = at<float>(plan, Role::gamma, arena),
             *beta = at<float>(plan, Role::beta, arena);
  float *y = at<float>(plan, Role::y, arena), *mean = at<float>(plan, Role::mean, arena),
        *rstd = at<float>(plan, Role::rstd, arena);
  for (std::int64_t r = 0; r < rows; ++r, x += n, y += n) {
    double m = 0, v = 0;
    for (std::int64_t i = 0; i < n; ++i) m += double{x[i]};
    m /= double(n);
    for (std::int64_t i = 0; i < n; ++i) v += (double{x[i]} - m) * (double{x[i]} - m);
    const double s = 1 / std::sqrt(v / double(n) + plan.eps);
    for (std::int64_t i = 0; i < n; ++i)
      y[i] = float((double{x[i]} - m) * s * (gamma ? double{gamma[i]} : 1) + (beta ? double{beta[i]} : 0));
    if (mean) mean[r] = float(m);
    if (rstd) rstd[r] = float(s);
  }
}

bool is_dense(const CallPlan& plan) {
  return std::all_of(plan.tensors.begin(), plan.tensors.end(),
                     [](const auto& t) { return t.strides == normcheck::dense_strides(t.shape); });
}

/// Holds the pipe open until it dies, and tells its reader that it does.
[[noreturn]] void hold(const char* fifo) {
  const int held = open(fifo, O_WRONLY);
  if (write(held, "x", 1) != 1) _exit(9);
  signal(SIGTERM, SIG_IGN);
  for (;;) pause();
}

/// What goes wrong in place of the third answer.
void misbehave(const std::string& how, std::uint64_t id, char** rest) {
  if (how == "garbage") say("y = x");
  if (how == "binary") say("\x01\xff\xfe{{{{"s);
  if (how == "status") say(fmt::format(R"({{"id":{},"status":7}})", id));
  if (how == "stale") say(fmt::format(R"({{"id":{},"status":0}})", id - 1));
  if (how == "long") say(std::string(std::size_t{3} << 20, 'a'));
  if (how == "leaves") _exit(5);
  if (how == "segv") raise(SIGSEGV);
  if (how == "mute") close(normcheck::control_descriptor);
  if (how == "loud") {
    const std::string text(1 << 16, 'o');
    for (int i = 0; i < 64; ++i) {
      if (write(2, text.data(), text.size()) < 0 || write(1, text.data(), text.size()) < 0) _exit(9);
    }
    say(fmt::format(R"({{"id":{},"status":0}})", id));
    return;
  }
  if (how == "hold") hold(rest[0]);
  if (how == "child" && fork() == 0) hold(rest[0]);
  if (how == "session" && fork() == 0) {  // of its own, and its parent leaves it
    setsid();
    if (fork() == 0) hold(rest[0]);
    _exit(0);
  }
  for (;;) pause();
}

}  // namespace

int main(int, char** argv) {
  const std::string how = argv[1];
  if (how == "silent") pause();
  if (how == "rude") say("Traceback (most recent call last):");
  if (how == "none") return 3;
  const bool few = how == "few";  // it leaves where it is asked for more than it allows
  std::set<std::vector<std::int64_t>> shapes;
  say(fmt::format(
      R"({{"normcheck":1,"name":"program","version":"1","ops":["layernorm_fwd"],"dtypes":["f32"],"claims":""{}}})",
      few ? R"(,"max_calls":100,"max_shapes":40)" : ""));
  Arena arena = Arena::attach(normcheck::arena_descriptor);
  for (int calls = 1;;) {
    const auto message = normcheck::parse_host_line(read_line());
    if (std::holds_alternative<normcheck::ResizeMessage>(message)) {
      arena.remap();
      continue;
    }
    const auto& call = std::get<normcheck::CallMessage>(message);
    shapes.insert(call.plan.find(Role::x)->shape);
    if (few && (++calls > 101 || shapes.size() > 40)) _exit(6);
    if (!is_dense(call.plan)) {
      say(fmt::format(R"({{"id":{},"status":1,"msg":"strides"}})", call.id));
      continue;
    }
    norm(call.plan, arena);
    if (how != "right" && !few && calls++ == 3) {
      misbehave(how, call.id, argv + 2);
    } else {
      say(fmt::format(R"({{"id":{},"status":0,"msg":""}})", call.id));
    }
  }
}

// Serves calls of a shared object, one at a time, and notices what a kernel does to its process.
#include "impl/plugin/worker_main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/error.h"
#include "impl/plugin/arena.h"
#include "impl/plugin/child.h"
#include "impl/plugin/guard_pages.h"
#include "impl/plugin/loaded_object.h"
#include "impl/plugin/protocol.h"
#include "impl/plugin/python.h"

namespace normcheck {
namespace {

/// Lines over the control socket, waited for without a limit: the host has one.
class Control {
 public:
  std::optional<std::string> read_line() {
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      std::array<char, 4096> bytes;
      const ssize_t got = read(control_descriptor, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }
  /// False where the descriptor is no longer the socket.
  static bool write_line(std::string line) {
    line += '\n';
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t sent = send(control_descriptor, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return errno != EBADF && errno != ENOTSOCK;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

 private:
  std::string buffer_;
};

/// Descriptors that were there before the call and are not any more.
std::vector<std::string> closed_descriptors() {
  constexpr std::string_view names[] = {"stdin", "stdout", "stderr", "the line to normcheck", "the arena"};
  std::vector<std::string> out;
  for (int d = 0; d <= arena_descriptor; ++d) {
    if (fcntl(d, F_GETFD) < 0) out.push_back(fmt::format("closed descriptor {} ({})", d, names[d]));
  }
  return out;
}

int serve(const std::string& path, LoadedObject::Entry linked) {
  end_with_parent();
  signal(SIGPIPE, SIG_IGN);
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);  // so that a crash does not swallow what was printed before
  Arena arena = Arena::attach(arena_descriptor);
  Control control;
  std::optional<LoadedObject> object;
  Hello hello;
  try {
    if (linked == nullptr) {
      object.emplace(path);
    } else {
      object.emplace(linked, path);
    }
    for (const nc_plugin* p : object->plugins()) {
      const auto text = [](const char* t) { return std::string(t == nullptr ? "" : t); };
      hello.implementations.push_back({p->name, text(p->version), text(p->claims), {}});
    }
    hello.faults = object->load_faults();
  } catch (const LoadError& e) {
    hello.error = e.what();
  }
  if (!Control::write_line(hello_line(hello))) return closed_control_exit;
  if (!object) return 1;
  GuardPages guards;
  while (const auto line = control.read_line()) {
    const auto message = parse_host_line(*line);
    if (std::holds_alternative<ResizeMessage>(message)) {
      arena.remap();
      guards.forget();
      continue;
    }
    const auto& call = std::get<CallMessage>(message);
    guards.close(call.plan, arena.base(), arena.size(), call.id);
    Answer answer = object->call(call.implementation, call.plan, arena.base());
    guards.open(call.plan);
    const std::vector<std::string> closed = closed_descriptors();
    answer.faults.insert(answer.faults.end(), closed.begin(), closed.end());
    answer.is_last = !closed.empty();
    if (!Control::write_line(answer_line(call.id, answer))) return closed_control_exit;
  }
  return 0;
}

}  // namespace

int plugin_worker_main(int argc, const char* const* argv, LinkedEntry linked) {
  const std::vector<std::string> words(argv, argv + argc);
  int code = 2;
  try {
    if (words.size() >= 2 && words[0] == "program") {
      offer_python_module();
      code = supervise({words.begin() + 1, words.end()});
    }
    if (words.size() == 2 && words[0] == "object") code = serve(words[1], nullptr);
    if (words.size() == 2 && words[0] == "linked" && linked != nullptr) code = serve(words[1], linked);
  } catch (const std::exception& e) {
    fmt::print(stderr, "normcheck: {}\n", e.what());
  }
  // Destructors of what a kernel left behind are not ours to run: a crash there says nothing of a call.
  std::fflush(stdout);
  _exit(code);
}

}  // namespace normcheck

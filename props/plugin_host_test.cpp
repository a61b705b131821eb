// Promise: whatever a kernel from outside does, the caller gets an observation that says so in words, and
// nothing of it is left behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "corpus/error.h"
#include "impl/plugin/patience.h"
#include "impl/plugin/plugin.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

std::string object(const std::string& name) {
  return fmt::format("{}/plugin_{}.so", NORMCHECK_PLUGINS, name);
}

PluginOptions short_options(bool in_process = false) {
  PluginOptions out;
  out.in_process = in_process;
  out.worker = NORMCHECK_COMMAND;
  return out;
}

Case small_case() { return drawn_case(DType::f32, 3, 8, 2); }

/// The first of a dozen calls in which something was not as it should be.
Observation first_wrong(Implementation& implementation) {
  const Case c = small_case();
  for (int i = 0; i < 12; ++i) {
    Observation seen = implementation.run(c, {});
    if (seen.status != Status::ok || !seen.faults.empty()) return seen;
  }
  return {};
}

std::string words(const Observation& seen) {
  return seen.message + fmt::format("{}", fmt::join(seen.faults, "; "));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// No process of this one is there, dead or alive, and no descriptor more than before.
void expect_nothing_left(std::size_t descriptors) {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(open_descriptors(), descriptors);
}

struct Expected {
  std::string what;
  Status status;
  std::string words;
};

TEST(PluginHost, WhatAnObjectDoesIsSaid) {
  const std::vector<Expected> faults = {
    {"right", Status::ok, ""},
    {"floods", Status::ok, ""},
    {"over", Status::ok, "wrote outside y: 0 bytes past its end"},
    {"before", Status::ok, "wrote outside y: 12 bytes before its beginning"},
    {"input", Status::ok, "changed its input x"},
    {"unwritten", Status::ok, "left 3 of 24 elements of y unwritten, the first at 7"},
    {"segv", Status::crash, "signal 6 (aborted)"},
    {"crashes", Status::crash, "signal 11 (segmentation fault)"},
    {"sends_segv", Status::crash, "signal 11 (segmentation fault)"},
    {"ends", Status::crash, "exit 3"},
    {"raises", Status::crash, "exception out of run: no such kernel"},
    {"thrown_int", Status::crash, "exception out of run, of an unknown type"},
    {"closes", Status::ok, "closed descriptor 1 (stdout)"},
    {"mutes", Status::crash, "closed descriptor 3"},
    {"rounding", Status::ok, "changed the floating-point environment in run: rounding upward"},
#if defined(__x86_64__)
    {"flushes", Status::ok, "in run: flush-to-zero on, denormals-are-zero on"},
    {"flushes_at_load", Status::ok, "in loading: flush-to-zero on, denormals-are-zero on"},
#endif
  };
  // Where this is built with a sanitizer, its handlers are to leave a worker's end as it is.
  setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:detect_leaks=0", 0);
  { Plugin::open_object(object("right"), short_options()); }  // what is made once is made now
  const std::size_t descriptors = open_descriptors();
  for (const Expected& e : faults) {
    const auto plugin = Plugin::open_object(object(e.what), short_options());
    const Observation seen = first_wrong(plugin->implementations().front());
    EXPECT_EQ(seen.status, e.status) << e.what << ": " << words(seen);
    EXPECT_NE(words(seen).find(e.words), std::string::npos) << e.what << ": " << words(seen);
    if (e.what == "segv" || e.what == "mutes" || e.what == "closes") {
      EXPECT_EQ(plugin->implementations().front().run(small_case(), {}).status, Status::ok)
          << e.what << ": it is started again";
    }
    if (e.what == "floods") {
      EXPECT_GT(plugin->output().size(), 65536U);
      EXPECT_LT(plugin->output().size(), 140000U);
    }
  }
  expect_nothing_left(descriptors);
  fmt::print("{} objects in workers, nothing left of them\n", faults.size());
}

TEST(PluginHost, InThisProcessTheSameIsSaidAndTheEnvironmentIsRestored) {
  std::vector<Expected> faults = {{"right", Status::ok, ""},
                                  {"over", Status::ok, "past its end"},
                                  {"input", Status::ok, "changed its input x"},
                                  {"raises", Status::crash, "no such kernel"},
                                  {"rounding", Status::ok, "rounding upward"}};
#if defined(__x86_64__)
  faults.push_back({"flushes", Status::ok, "flush-to-zero on"});
  faults.push_back({"flushes_at_load", Status::ok, "in loading: flush-to-zero on"});
#endif
  volatile float tiny = 1e-40F, half = 0.5F;
  for (const Expected& e : faults) {
    const auto plugin = Plugin::open_object(object(e.what), short_options(true));
    const Observation seen = first_wrong(plugin->implementations().front());
    EXPECT_EQ(seen.status, e.status) << e.what;
    EXPECT_NE(words(seen).find(e.words), std::string::npos) << e.what << ": " << words(seen);
    EXPECT_GT(tiny * half, 0) << e.what;
    EXPECT_EQ(1.0 + tiny, 1.0) << e.what;
  }
}

TEST(PluginHost, WhatCannotBeLoadedIsSaid) {
  const std::size_t descriptors = open_descriptors();
  const std::vector<std::pair<std::string, std::string>> foreign = {
      {"symbol", "exports no normcheck_plugin_v1"},
      {"major", "built for version 2 of the interface"},
      {"short_struct", "struct_size of 8"},
      {"nameless", "a name that is no word"},
      {"empty", "gives no plug-in"},
      {"crashing", "signal 6 (aborted) before it said hello"},
      {"leaves", "exit 4 before it said hello"},
      {"throws", "exception out of normcheck_plugin_v1: not today"},
      {"endless", "gives 'foreign' again for index 1"}};
  for (const auto& [name, said] : foreign) {
    try {
      Plugin::open_object(object(name), short_options());
      ADD_FAILURE() << name << " was loaded";
    } catch (const LoadError& e) {
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << name << ": " << e.what();
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_THROW(Plugin::open_object(NORMCHECK_COMMAND "_not_there.so", short_options()), LoadError);
  EXPECT_THROW(Plugin::open_program({"no such program"}, short_options()), LoadError);
  expect_nothing_left(descriptors);
  fmt::print("{} objects that are no plug-in of ours\n", foreign.size());
}

TEST(PluginHost, WhatAProgramDoesIsSaid) {
  const std::vector<Expected> faults = {
      {"right", Status::ok, ""},
      {"loud", Status::ok, ""},
      {"garbage", Status::crash, "answered garbage: no JSON object: 'y = x'"},
      {"binary", Status::crash, "answered garbage: no JSON object: '???{{{{'"},
      {"status", Status::crash, "answered garbage: status 7; expected 0 to 3"},
      {"stale", Status::crash, "answered garbage: id 2 where 3 was asked"},
      {"long", Status::crash, "answered garbage: a line of more than 1048576 bytes"},
      {"leaves", Status::crash, "exit 5"},
      {"segv", Status::crash, "signal 11 (segmentation fault)"},
      {"mute", Status::crash, "closed its control socket and went on"},
      {"hangs", Status::timeout, "no answer within 0.3 s"}};
  const std::size_t descriptors = open_descriptors();
  for (const Expected& e : faults) {
    PluginOptions options = short_options();
    if (e.what == "hangs") options.deadline = 0.3;
    const auto plugin = Plugin::open_program({NORMCHECK_PROGRAM, e.what}, options);
    Implementation& implementation = plugin->implementations().front();
    EXPECT_EQ(implementation.dtypes, std::vector{DType::f32});
    const Observation seen = first_wrong(implementation);
    EXPECT_EQ(seen.status, e.status) << e.what << ": " << words(seen);
    EXPECT_NE(words(seen).find(e.words), std::string::npos) << e.what << ": " << words(seen);
    EXPECT_EQ(implementation.run(small_case(), {true, true}).status, Status::ok) << e.what << ": it goes on";
  }
  const std::vector<std::pair<std::string, std::string>> silent = {
      {"none", "exit 3 before it said hello"},
      {"silent", "no answer within 0.3 s before it said hello"},
      {"rude", "said no hello: no JSON object: 'Traceback (most recent call last):'"}};
  for (const auto& [how, said] : silent) {
    PluginOptions options = short_options();
    options.deadline = how == "silent" ? 0.3 : 10;
    try {
      Plugin::open_program({NORMCHECK_PROGRAM, how}, options);
      ADD_FAILURE() << how;
    } catch (const LoadError& e) {
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
    }
  }
  expect_nothing_left(descriptors);
  fmt::print("{} programs that answer, {} that do not start\n", faults.size(), silent.size());
}

TEST(PluginHost, OneThatKeepsFailingIsNotRunAnyMore) {
  PluginOptions options = short_options();
  options.deadline = 0.1;
  const auto hangs = Plugin::open_object(object("hangs"), options);
  std::vector<Status> seen;
  for (int i = 0; i < 4; ++i) seen.push_back(hangs->implementations().front().run(small_case(), {}).status);
  // One timeout was spent on asking for its dtypes.
  const std::vector<Status> wanted = {Status::timeout, Status::timeout, Status::not_run, Status::not_run};
  EXPECT_EQ(seen, wanted);

  const auto raises = Plugin::open_object(object("raises"), short_options());
  seen.clear();
  for (int i = 0; i < 4; ++i) seen.push_back(raises->implementations().front().run(small_case(), {}).status);
  EXPECT_EQ(seen, (std::vector{Status::crash, Status::crash, Status::not_run, Status::not_run}));
}

TEST(PluginHost, NoMoreShapesAreCalledThanAProgramAllows) {
  const auto plugin = Plugin::open_program({NORMCHECK_PROGRAM, "few"}, short_options());
  Implementation& implementation = plugin->implementations().front();
  for (std::int64_t n = 1; n <= 45; ++n) {
    const Observation seen = implementation.run(drawn_case(DType::f32, 1, n, 2), {});
    EXPECT_EQ(seen.status, n <= 40 ? Status::ok : Status::not_run) << n << ": " << words(seen);
    if (n > 40)
      EXPECT_NE(words(seen).find("40 shapes with f32 are used up, of its max_shapes"), std::string::npos);
  }
  EXPECT_EQ(implementation.run(drawn_case(DType::f32, 1, 7, 2), {}).status, Status::ok)
      << "a shape that is known";
}

TEST(PluginHost, WhatAlwaysHangsIsDoneWithInAMinute) {
  constexpr DType dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
  for (const bool program : {false, true}) {
    Patience patience({});
    double lost = 0;
    std::size_t calls = 0;
    for (; calls < 100; ++calls) {
      const DType dtype = dtypes[calls % 4];
      if (patience.given_up(dtype)) break;
      const double waited = patience.seconds(program);
      patience.count(dtype, Status::timeout, waited);
      lost += waited;
    }
    EXPECT_LT(lost, 55) << "a few seconds are left for all else";
    EXPECT_GE(calls, 2U);
    EXPECT_LT(patience.start_seconds(program), 55);
    fmt::print("{} that always hangs: {} calls, {} s\n", program ? "a program" : "an object", calls, lost);
  }
  Patience slow({});
  std::size_t answers = 0;
  for (; answers < 100 && !slow.given_up(DType::f32); ++answers) slow.count(DType::f32, Status::ok, 3);
  EXPECT_EQ(answers, 16U) << "three seconds each";
  EXPECT_TRUE(slow.given_up(DType::f64)) << "whatever the dtype";
  Patience compiling({});
  for (int i = 0; i < 100; ++i) compiling.count(DType::f32, Status::ok, 3, true);
  for (int i = 0; i < 1000; ++i) compiling.count(DType::f32, Status::ok, 0.9);
  EXPECT_FALSE(compiling.given_up(DType::f32)) << "it compiles, and is none of the fast";
  Patience asked(90);
  for (int i = 0; i < 100; ++i) asked.count(DType::f32, Status::ok, 3);
  EXPECT_FALSE(asked.given_up(DType::f32));
  EXPECT_EQ(asked.seconds(false), 90) << "a deadline that is given holds";
  EXPECT_EQ(asked.start_seconds(true), 90);
}

TEST(PluginHost, EachLayoutIsDescribedAsItLies) {
  Case c;
  c.x = drawn_case(DType::f32, 6, 8, 2).x;
  c.x.shape = {2, 3, 8};
  c.gamma = drawn_case(DType::f32, 1, 8, 1).x;
  c.beta = drawn_case(DType::f32, 1, 8, -1).x;
  c.gamma->shape = c.beta->shape = {8};
  const auto strided = Plugin::open_object(object("in_c"), short_options());
  const auto plain = Plugin::open_object(object("right"), short_options());
  const auto careless = Plugin::open_object(object("in_c_dense"), short_options());
  const Observation dense = strided->implementations().front().run(c, {true, true});
  ASSERT_EQ(dense.status, Status::ok) << words(dense);
  for (const Layout layout :
       {Layout::element_aligned, Layout::padded_rows, Layout::sliced, Layout::inner_stride_2,
        Layout::transposed, Layout::strided_affine, Layout::byte_offset}) {
    const Observation got = strided->implementations().front().run(c, {true, true}, layout);
    EXPECT_EQ(got.status, Status::ok) << layout_name(layout);
    EXPECT_EQ(words(got), "") << layout_name(layout);
    EXPECT_EQ(got.y, dense.y) << layout_name(layout);
    EXPECT_EQ(got.mean, dense.mean) << layout_name(layout);

    // A wrapped function takes what is contiguous, wherever it lies.
    const bool contiguous = layout == Layout::element_aligned || layout == Layout::byte_offset;
    const Observation wrapped = plain->implementations().front().run(c, {}, layout);
    EXPECT_EQ(wrapped.status, contiguous ? Status::ok : Status::unsupported) << layout_name(layout);
    EXPECT_TRUE(wrapped.faults.empty());

    // One that takes all for dense without looking: the red zones tell, or the numbers do.
    if (layout == Layout::element_aligned) continue;
    const Observation wrong = careless->implementations().front().run(c, {}, layout);
    EXPECT_TRUE(!wrong.faults.empty() || wrong.y != dense.y) << layout_name(layout);
    if (layout != Layout::transposed && layout != Layout::strided_affine)
      EXPECT_NE(words(wrong).find("wrote outside y"), std::string::npos) << layout_name(layout);
  }
}

/// A pipe with a name, that a process holds open until it dies.
class Held {
 public:
  explicit Held(const std::string& name) : path_((run_folder() / name).string()) {
    mkfifo(path_.c_str(), 0600);
    reader_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }
  ~Held() { close(reader_); }
  const std::string& path() const { return path_; }
  bool is_held() const { return waits_for(POLLIN) && read_byte(); }
  bool is_let_go() const { return waits_for(POLLHUP); }

 private:
  bool waits_for(short event) const {
    constexpr int patience_ms = 20000;
    pollfd polled{reader_, event, 0};
    return poll(&polled, 1, patience_ms) == 1 && (polled.revents & event) != 0;
  }
  bool read_byte() const {
    char byte = 0;
    return read(reader_, &byte, 1) == 1;
  }
  std::string path_;
  int reader_;
};

TEST(PluginHost, AWholeGroupIsEnded) {
  Held held("group");
  PluginOptions options = short_options();
  options.deadline = 0.5;
  const auto plugin = Plugin::open_program({NORMCHECK_PROGRAM, "child", held.path()}, options);
  EXPECT_EQ(first_wrong(plugin->implementations().front()).status, Status::timeout);
  EXPECT_TRUE(held.is_held());
  EXPECT_TRUE(held.is_let_go());
}

TEST(PluginHost, WhatLeavesTheGroupIsEndedWithIt) {
  Held held("session");
  PluginOptions options = short_options();
  options.deadline = 0.5;
  const auto plugin = Plugin::open_program({NORMCHECK_PROGRAM, "session", held.path()}, options);
  EXPECT_EQ(first_wrong(plugin->implementations().front()).status, Status::timeout);
  EXPECT_TRUE(held.is_held());
  EXPECT_TRUE(held.is_let_go());
}

TEST(PluginHost, NothingOutlivesAHostThatIsKilled) {
  for (const std::string how : {"hold", "child"}) {
    Held held("killed_" + how);
    const std::string program = fmt::format("{} {} {}", NORMCHECK_PROGRAM, how, held.path());
    const pid_t host = fork();
    ASSERT_GE(host, 0);
    if (host == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      dup2(nothing, 1);
      dup2(nothing, 2);
      execl(NORMCHECK_COMMAND, NORMCHECK_COMMAND, "check", "--program", program.c_str(), "--deadline", "100",
            nullptr);
      _exit(127);
    }
    EXPECT_TRUE(held.is_held()) << how;
    kill(host, SIGKILL);
    EXPECT_TRUE(held.is_let_go()) << how;
    waitpid(host, nullptr, 0);
  }
}

}  // namespace
}  // namespace normcheck

// The host's side of the protocol.
#include "impl/plugin/worker.h"

#include <fmt/format.h>

#include "corpus/error.h"
#include "impl/plugin/python.h"
#include "impl/plugin/worker_main.h"

namespace normcheck {
namespace {

/// For a process whose socket is closed to end by itself, so that its own ending can be told.
constexpr double grace = 0.5;

Channel::Clock::time_point after(double seconds) {
  return Channel::Clock::now() +
         std::chrono::duration_cast<Channel::Clock::duration>(std::chrono::duration<double>(seconds));
}

/// What may make a program compile anew.
std::string signature(const CallPlan& plan) {
  std::string out = std::to_string(plan.norm_ndim);
  for (const PlacedTensor& t : plan.tensors)
    out += fmt::format(" {}{}{}", role_name(t.role), dtype_name(t.dtype), shape_text(t.shape));
  return out;
}

}  // namespace

Hello Worker::start(double seconds) {
  end();
  child_ = Child({start_.words, arena_.descriptor(), address_space(), start_.environment});
  channel_.attach(child_);
  told_arena_ = arena_.size();
  std::string line;
  const Channel::Event event = channel_.read_line(line, after(seconds));
  if (event != Channel::Event::done) {
    const Answer answer = failed(event, "before it said hello", seconds);
    throw LoadError(fmt::format("{}: {}", start_.name, answer.message));
  }
  try {
    Hello hello = parse_hello(line);
    if (hello.error.empty()) return hello;
    end();
    throw LoadError(hello.error + remedy(start_.name, hello.error));
  } catch (const InputError& e) {
    end();
    throw LoadError(fmt::format("{}: said no hello: {}", start_.name, e.what()));
  }
}

bool Worker::knows(const CallPlan& plan) const {
  return child_.is_there() && known_.count(signature(plan)) > 0;
}

Answer Worker::call(std::size_t implementation, const CallPlan& plan, double seconds, double start_seconds) {
  if (!child_.is_there()) {
    try {
      const Hello hello = start(start_seconds);
      if (implementation >= hello.implementations.size())
        return {Status::crash, "started again, it has fewer implementations than before", {}};
    } catch (const LoadError& e) {
      return {Status::crash, fmt::format("could not be started again: {}", e.what()), {}};
    }
  }
  const auto deadline = after(seconds);
  Channel::Event event = Channel::Event::done;
  if (told_arena_ != arena_.size()) {
    if (start_.memory > 0) child_.limit_address_space(address_space());
    event = channel_.write_line(resize_line(arena_.size()), deadline);
    told_arena_ = arena_.size();
  }
  const std::uint64_t id = ++calls_;
  if (event == Channel::Event::done)
    event = channel_.write_line(call_line(id, implementation, plan), deadline);
  std::string line;
  if (event == Channel::Event::done) event = channel_.read_line(line, deadline);
  if (event != Channel::Event::done) return failed(event, "", seconds);
  Answer answer;
  try {
    answer = parse_answer(line, id);
  } catch (const InputError& e) {
    answer = {Status::crash, fmt::format("answered garbage: {}", e.what()), {}};
  }
  known_.insert(signature(plan));
  if (answer.status == Status::crash || answer.is_last) end();
  return answer;
}

Answer Worker::died(std::string_view during) {
  const auto ending = child_.wait(grace);
  channel_.drain();
  std::string text = ending ? ending_text(*ending) : "closed its control socket and went on";
  if (ending && ending->code == closed_control_exit) text = "closed descriptor 3, its line to normcheck";
  if (!during.empty()) text += fmt::format(" {}", during);
  if (const std::string said = last_words(channel_.err().text()); !said.empty())
    text += fmt::format("; stderr ends with: {}{}", said, remedy(start_.name, said));
  return {Status::crash, text, {}};
}

Answer Worker::failed(Channel::Event event, std::string_view during, double seconds) {
  Answer out;
  const std::string when = during.empty() ? std::string() : fmt::format(" {}", during);
  if (event == Channel::Event::end_of_file) {
    out = died(during);
  } else if (event == Channel::Event::timeout) {
    out = {Status::timeout, fmt::format("no answer within {:g} s{}", seconds, when), {}};
  } else {
    out = {Status::crash,
           fmt::format("answered garbage: a line of more than {} bytes{}", Channel::longest_line, when),
           {}};
  }
  end();
  return out;
}

void Worker::end() {
  if (!child_.is_there()) return;
  channel_.drain();
  child_.end();
  known_.clear();
}

std::string Worker::output() const {
  std::string out;
  if (const std::string text = channel_.out().text(); !text.empty())
    out += fmt::format("stdout:\n{}\n", text);
  if (const std::string text = channel_.err().text(); !text.empty())
    out += fmt::format("stderr:\n{}\n", text);
  return out;
}

}  // namespace normcheck

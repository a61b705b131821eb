// A process with kernels in it, started again whenever it ends; what it does wrong becomes an answer.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "impl/plugin/answer.h"
#include "impl/plugin/arena.h"
#include "impl/plugin/channel.h"
#include "impl/plugin/child.h"
#include "impl/plugin/protocol.h"

namespace normcheck {

struct WorkerStart {
  std::string name;                           ///< in complaints
  std::vector<std::string> words;             ///< the command line
  std::uint64_t memory = 0;                   ///< address space beside the arena; 0: no limit
  std::vector<std::string> environment = {};  ///< "NAME=value", in place of this process's
};

class Worker {
 public:
  Worker(WorkerStart start, const Arena& arena) : start_(std::move(start)), arena_(arena) {}

  /// Starts the process and waits for its hello. LoadError: how it failed, in words.
  Hello start(double seconds);
  /// Whether it is there and was called with these shapes and dtypes before.
  bool knows(const CallPlan& plan) const;
  /// Starts it first where it is not there, for which it gets `start_seconds` more. Whatever happens is in
  /// the answer: crash ("signal 11 (segmentation fault)", "answered garbage: ..."), or timeout. After either
  /// the process is ended.
  Answer call(std::size_t implementation, const CallPlan& plan, double seconds, double start_seconds);
  /// What its processes printed.
  std::string output() const;

 private:
  Answer died(std::string_view during);
  Answer failed(Channel::Event event, std::string_view during, double seconds);
  void end();
  std::uint64_t address_space() const { return start_.memory == 0 ? 0 : start_.memory + arena_.size(); }
  WorkerStart start_;
  const Arena& arena_;
  Child child_;
  Channel channel_;
  std::uint64_t told_arena_ = 0;
  std::uint64_t calls_ = 0;
  std::set<std::string> known_;
};

}  // namespace normcheck

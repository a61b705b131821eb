// One thread, one request at a time.
#include "impl/plugin/spawner.h"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

namespace normcheck {
namespace {

class Spawner {
 public:
  Spawner() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

  pid_t run(const std::function<pid_t()>& work) {
    const std::lock_guard turn(turn_);
    std::unique_lock hold(lock_);
    work_ = &work;
    asked_.notify_one();
    done_.wait(hold, [&] { return work_ == nullptr; });
    return result_;
  }

 private:
  void serve(const std::stop_token& stop) {
    sigset_t all;  // signals are for the threads that expect them
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    std::unique_lock hold(lock_);
    while (asked_.wait(hold, stop, [&] { return work_ != nullptr; })) {
      result_ = (*work_)();
      work_ = nullptr;
      done_.notify_one();
    }
  }

  std::mutex turn_, lock_;
  std::condition_variable_any asked_;
  std::condition_variable done_;
  const std::function<pid_t()>* work_ = nullptr;
  pid_t result_ = -1;
  std::jthread thread_;  // the last, so that it starts with the rest made
};

}  // namespace

pid_t spawn(const std::function<pid_t()>& work) {
  static Spawner spawner;
  return spawner.run(work);
}

}  // namespace normcheck

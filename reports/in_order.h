// Work on several threads whose results come in order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace normcheck {

inline std::size_t most_threads() { return std::clamp(std::thread::hardware_concurrency(), 1U, 16U); }

/// Calls work(0) ... work(size - 1), several at once, and hands each result to `done` in that order, in the
/// calling thread: what comes out does not depend on the number of threads. What work throws is thrown here.
template <class Result>
void in_order(std::size_t size, const std::function<Result(std::size_t)>& work,
              const std::function<void(std::size_t, Result)>& done, std::size_t most = most_threads()) {
  std::vector<std::optional<Result>> waiting(size);
  std::vector<std::exception_ptr> failed(size);
  std::atomic<std::size_t> next = 0;
  std::mutex lock;
  std::condition_variable changed;
  const auto run = [&] {
    for (std::size_t i = next++; i < size; i = next++) {
      std::optional<Result> result;
      std::exception_ptr failure;
      try {
        result = work(i);
      } catch (...) {
        failure = std::current_exception();
        next = size;
      }
      const std::lock_guard hold(lock);
      waiting[i] = std::move(result);
      failed[i] = failure;
      changed.notify_all();
    }
  };
  std::vector<std::jthread> pool;
  for (std::size_t t = 0; t < std::min(size, most); ++t) pool.emplace_back(run);
  for (std::size_t i = 0; i < size; ++i) {
    std::unique_lock hold(lock);
    const auto ended = [&] {
      return std::any_of(failed.begin(), failed.end(), [](const auto& f) { return f != nullptr; });
    };
    changed.wait(hold, [&] { return waiting[i].has_value() || ended(); });
    for (const auto& failure : failed) {
      if (failure) std::rethrow_exception(failure);
    }
    Result result = std::move(*waiting[i]);
    waiting[i].reset();
    hold.unlock();
    done(i, std::move(result));
  }
}

}  // namespace normcheck

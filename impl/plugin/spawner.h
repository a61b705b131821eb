// A thread that makes child processes: a parent-death signal comes when the thread that forked ends, and the
// threads of a sweep end before their workers.
#pragma once

#include <sys/types.h>

#include <functional>

namespace normcheck {

/// Runs `work` in a thread that lives as long as this process, and returns what it returns.
pid_t spawn(const std::function<pid_t()>& work);

}  // namespace normcheck

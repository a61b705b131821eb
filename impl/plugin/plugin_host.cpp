// Plans, writes, calls, looks.
#include "impl/plugin/plugin_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "corpus/error.h"
#include "impl/plugin/call_memory.h"
#include "impl/plugin/worker_main.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

void announce(const LoadedObject& object, Hello& hello) {
  const auto text = [](const char* t) { return std::string(t == nullptr ? "" : t); };
  for (const nc_plugin* p : object.plugins())
    hello.implementations.push_back({p->name, text(p->version), text(p->claims), {}});
  hello.faults = object.load_faults();
}

}  // namespace

std::unique_ptr<PluginHost> PluginHost::of_linked(LoadedObject::Entry entry, const std::string& name,
                                                  const PluginOptions& options, Hello& hello) {
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  host->object_ = std::make_unique<LoadedObject>(entry, name);
  announce(*host->object_, hello);
  return host;
}

std::unique_ptr<PluginHost> PluginHost::of_object(const std::string& path, const PluginOptions& options,
                                                  Hello& hello) {
  if (!options.in_process) return in_worker("object", path, options, hello);
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  host->object_ = std::make_unique<LoadedObject>(path);
  announce(*host->object_, hello);
  return host;
}

std::unique_ptr<PluginHost> PluginHost::in_worker(const std::string& kind, const std::string& name,
                                                  const PluginOptions& options, Hello& hello) {
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  WorkerStart start{
      name, {options.worker, plugin_worker_word, kind, name}, options.memory, options.environment};
  host->worker_ = std::make_unique<Worker>(std::move(start), host->arena_);
  const auto begin = std::chrono::steady_clock::now();
  hello = host->worker_->start(host->patience_.start_seconds(false));
  host->start_took_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return host;
}

std::unique_ptr<PluginHost> PluginHost::of_program(const std::vector<std::string>& words,
                                                   const PluginOptions& options, Hello& hello) {
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  host->is_program_ = true;
  WorkerStart start{
      words.front(), {options.worker, plugin_worker_word, "program"}, options.memory, options.environment};
  start.words.insert(start.words.end(), words.begin(), words.end());
  host->worker_ = std::make_unique<Worker>(std::move(start), host->arena_);
  const auto begin = std::chrono::steady_clock::now();
  hello = host->worker_->start(host->patience_.start_seconds(true));
  host->start_took_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return host;
}

void PluginHost::allow(std::size_t implementation, std::optional<std::int64_t> calls,
                       std::optional<std::int64_t> shapes) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16})
    allowances_[{implementation, dtype}] = {calls, shapes, 0, {}};
}

/// Why the call is not made; where it is, it is counted.
std::optional<std::string> PluginHost::used_up(Allowance& allowance, const Case& c, double share) {
  if (!allowance.calls && !allowance.shapes) return std::nullopt;
  const auto most = [share](std::int64_t all) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(all)));
  };
  const std::string_view kept = share < 1 ? "; the rest is for probes" : "";
  if (allowance.calls && allowance.called >= most(*allowance.calls))
    return fmt::format("{} calls with {} are used up, of its max_calls{}", most(*allowance.calls),
                       dtype_name(c.x.dtype), kept);
  std::string shape;
  for (const Tensor* t : {&c.x, c.gamma ? &*c.gamma : nullptr, c.beta ? &*c.beta : nullptr})
    shape += t == nullptr ? "-" : fmt::format("{} {}", dtype_name(t->dtype), shape_text(t->shape));
  if (allowance.shapes && static_cast<std::int64_t>(allowance.seen.size()) >= most(*allowance.shapes) &&
      allowance.seen.count(shape) == 0)
    return fmt::format("{} shapes with {} are used up, of its max_shapes{}", most(*allowance.shapes),
                       dtype_name(c.x.dtype), kept);
  ++allowance.called;
  allowance.seen.insert(std::move(shape));
  return std::nullopt;
}

/// A program that meets such a call for the first time.
bool PluginHost::may_compile(const CallPlan& plan) const {
  return !object_ && is_program_ && !worker_->knows(plan);
}

Answer PluginHost::call(std::size_t implementation, const CallPlan& plan, double seconds) {
  if (object_) return object_->call(implementation, plan, arena_.base());
  // One that is slow to start may be so again.
  return worker_->call(implementation, plan, seconds, std::max(seconds, 2 * start_took_));
}

Observation PluginHost::run(std::size_t implementation, const Case& c, const HostCall& how) {
  const std::lock_guard turn(turn_);
  Observation out;
  // In this process nothing is started again and nothing is waited for: a debugger is to see every call.
  std::optional<std::string> why;
  if (!object_) why = patience_.given_up(c.x.dtype);
  if (!why) why = used_up(allowances_[{implementation, c.x.dtype}], c, how.share);
  if (why) {
    out.status = Status::not_run;
    out.message = *why;
    return out;
  }
  const CallPlan plan = plan_call(c, how.wanted, how.layout, how.y);
  arena_.grow(plan.arena_bytes);
  write_call(plan, c, arena_);
  const bool compiles = may_compile(plan);
  const auto begin = std::chrono::steady_clock::now();
  Answer answer = call(implementation, plan, patience_.seconds(compiles) + how.extra_seconds);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  patience_.count(c.x.dtype, answer.status, took.count() - how.extra_seconds, compiles);
  out.status = answer.status;
  out.message = std::move(answer.message);
  out.faults = memory_faults(plan, c, arena_);
  out.faults.insert(out.faults.end(), answer.faults.begin(), answer.faults.end());
  if (out.status == Status::ok) read_outputs(plan, arena_, out);
  return out;
}

std::string PluginHost::output() const {
  const std::lock_guard turn(turn_);
  return worker_ ? worker_->output() : std::string();
}

}  // namespace normcheck

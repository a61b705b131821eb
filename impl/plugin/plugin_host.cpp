// Plans, writes, calls, looks.
#include "impl/plugin/plugin_host.h"

#include <fmt/format.h>

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
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  if (options.in_process) {
    host->object_ = std::make_unique<LoadedObject>(path);
    announce(*host->object_, hello);
    return host;
  }
  WorkerStart start{path, {options.worker, plugin_worker_word, "object", path}, options.memory};
  host->worker_ = std::make_unique<Worker>(std::move(start), host->arena_);
  hello = host->worker_->start(host->patience_.seconds(false));
  return host;
}

std::unique_ptr<PluginHost> PluginHost::of_program(const std::vector<std::string>& words,
                                                   const PluginOptions& options, Hello& hello) {
  std::unique_ptr<PluginHost> host(new PluginHost(options));
  host->is_program_ = true;
  WorkerStart start{words.front(), {options.worker, plugin_worker_word, "program"}, options.memory};
  start.words.insert(start.words.end(), words.begin(), words.end());
  host->worker_ = std::make_unique<Worker>(std::move(start), host->arena_);
  hello = host->worker_->start(host->patience_.seconds(true));
  return host;
}

Answer PluginHost::call(std::size_t implementation, const CallPlan& plan) {
  if (object_) return object_->call(implementation, plan, arena_.base());
  const bool may_compile = is_program_ && !worker_->knows(plan);
  return worker_->call(implementation, plan, patience_.seconds(may_compile), patience_.seconds(is_program_));
}

Observation PluginHost::run(std::size_t implementation, const Case& c, Wanted wanted, Layout layout) {
  const std::lock_guard turn(turn_);
  Observation out;
  // In this process nothing is started again and nothing is waited for: a debugger is to see every call.
  if (const auto why = object_ ? std::nullopt : patience_.given_up(c.x.dtype)) {
    out.status = Status::not_run;
    out.message = *why;
    return out;
  }
  const CallPlan plan = plan_call(c, wanted, layout);
  arena_.grow(plan.arena_bytes);
  write_call(plan, c, arena_);
  Answer answer = call(implementation, plan);
  patience_.count(c.x.dtype, answer.status);
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

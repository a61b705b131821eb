// Opens plug-ins, asks what they offer, and passes cases on.
#include "impl/plugin/plugin.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "corpus/error.h"
#include "impl/plugin/plugin_host.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

/// Small valid problems, to be asked whether a dtype is done at all: a kernel may want a gamma and a beta,
/// and a row of whole vectors.
std::vector<Case> questions(DType dtype) {
  std::vector<Case> out;
  const auto add = [&](std::int64_t n, bool affine, DType parameters) {
    Case& c = out.emplace_back();
    c.id = "question";
    c.x = Tensor(dtype, {2, n});
    for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_value(i, static_cast<double>(i * i % 5));
    if (!affine) return;
    c.gamma = c.beta = Tensor(parameters, {n});
    for (std::int64_t i = 0; i < n; ++i) c.gamma->set_value(i, 1);
  };
  add(4, false, dtype);
  for (const std::int64_t n : {4, 64, 1024}) {
    add(n, true, dtype);
    if (is_half(dtype)) add(n, true, DType::f32);
  }
  return out;
}

}  // namespace

Observation Implementation::run(const Case& c, Wanted wanted, Layout layout) {
  if (c.normalized && *c.normalized != normalized_shape(c)) {
    Observation out;
    out.status = Status::not_run;
    out.message = "a stated normalized shape: a call has none beside norm_ndim";
    return out;
  }
  if (!ask_refusals && refusal(c)) {
    Observation out;
    out.status = Status::not_run;
    out.message = "a call to be refused; asked only where refuses= is claimed, or with --strict";
    return out;
  }
  if (!is_float(c.x.dtype) && !y_dtype && claims.find("integers=convert") != std::string::npos) {
    Observation out;
    out.status = Status::not_run;
    out.message = "it claims to convert integers: a y of integers is not asked for";
    return out;
  }
  wanted.as_x = statistics_as_x;
  if (!offers_statistics) wanted.mean = wanted.rstd = false;
  Observation out = host_->run(index_, c, {wanted, layout, y_dtype, share, extra_seconds});
  if (out.status == Status::not_run) return out;
  bool& told = told_load_faults_[static_cast<std::size_t>(c.x.dtype)];
  if (!told) out.faults.insert(out.faults.end(), load_faults_.begin(), load_faults_.end());
  told = true;
  Watches& watch = watches[static_cast<std::size_t>(c.x.dtype)];
  std::erase_if(out.faults, [&](const std::string& fault) {
    const auto of = watch_of(fault);
    if (!of) return false;
    ++watch.seen[static_cast<std::size_t>(*of)];
    return watch.off[static_cast<std::size_t>(*of)];
  });
  return out;
}

std::unique_ptr<Plugin> Plugin::make(std::unique_ptr<PluginHost> host, const Hello& hello,
                                     bool has_guard_pages, bool is_program) {
  std::unique_ptr<Plugin> out(new Plugin);
  out->host_ = std::move(host);
  out->load_faults_ = hello.faults;
  for (std::size_t i = 0; i < hello.implementations.size(); ++i) {
    const Announced& announced = hello.implementations[i];
    Implementation& implementation = out->implementations_.emplace_back();
    implementation.name = announced.name;
    implementation.version = announced.version;
    implementation.claims = announced.claims;
    implementation.host_ = out->host_.get();
    implementation.index_ = i;
    implementation.max_shapes = announced.max_shapes;
    implementation.is_program = is_program;
    out->host_->allow(i, announced.max_calls, announced.max_shapes);
    implementation.has_guard_pages = has_guard_pages;
    implementation.load_faults_ = hello.faults;
    if (announced.dtypes) {
      implementation.dtypes = *announced.dtypes;
    } else {
      out->ask_dtypes(implementation);
    }
  }
  return out;
}

std::unique_ptr<Plugin> Plugin::open_object(const std::string& path, const PluginOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw LoadError(fmt::format("{}: no such file; expected a shared object", path));
  Hello hello;
  auto host = PluginHost::of_object(path, options, hello);
  return make(std::move(host), hello, !options.in_process, false);
}

std::unique_ptr<Plugin> Plugin::open_linked(const nc_plugin* (*entry)(std::uint32_t, std::uint32_t),
                                            const std::string& name, const PluginOptions& options) {
  Hello hello;
  auto host = PluginHost::of_linked(entry, name, options, hello);
  return make(std::move(host), hello, false, false);
}

std::unique_ptr<Plugin> Plugin::open_linked_in_worker(const std::string& name, const PluginOptions& options) {
  Hello hello;
  auto host = PluginHost::in_worker("linked", name, options, hello);
  return make(std::move(host), hello, true, false);
}

std::unique_ptr<Plugin> Plugin::open_program(const std::vector<std::string>& words,
                                             const PluginOptions& options) {
  Hello hello;
  auto host = PluginHost::of_program(words, options, hello);
  return make(std::move(host), hello, false, true);
}

/// By calling it. What crashes or hangs offers the dtype: there is something to be found.
void Plugin::ask_dtypes(Implementation& implementation) {
  bool hung = false;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    if (!hung) {
      Status status = Status::unsupported;
      for (const Case& c : questions(dtype)) {
        status = host_->run(implementation.index_, c, {}).status;
        if (status != Status::unsupported) break;
      }
      if (status == Status::unsupported) continue;
      hung = status == Status::timeout;
    }
    implementation.dtypes.push_back(dtype);
  }
}

Plugin::Plugin() = default;
Plugin::~Plugin() = default;

Implementation* Plugin::find(std::string_view name) {
  for (Implementation& implementation : implementations_) {
    if (implementation.name == name) return &implementation;
  }
  return nullptr;
}

std::string Plugin::output() const { return host_->output(); }

Row row_of(Implementation& implementation, std::string_view name) {
  const auto claims = [&](std::string_view words) {
    return implementation.claims.find(words) != std::string::npos;
  };
  implementation.ask_refusals = claims("refuses=");
  implementation.statistics_as_x = claims("stats=x");
  implementation.offers_statistics = !claims("stats=none");
  Row row{};
  row.name = name;
  row.algorithm = "plug-in";
  row.accumulate = DType::f32;
  row.expect = "pass";
  row.storages = implementation.dtypes;
  row.outside = &implementation;
  return row;
}

}  // namespace normcheck

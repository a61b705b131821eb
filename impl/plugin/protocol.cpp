// Writes and reads the messages. Reading trusts nothing: a worker may answer anything.
#include "impl/plugin/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "corpus/error.h"

namespace normcheck {
namespace {

using nlohmann::json;

constexpr std::size_t most_dims = 64;
constexpr std::size_t most_message = 2000;

/// A line's beginning, printable, for a complaint.
std::string excerpt(std::string_view line) {
  std::string out(line.substr(0, 80));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return line.size() > 80 ? out + "..." : out;
}

json parsed(std::string_view line) {
  json out = json::parse(line.begin(), line.end(), nullptr, false);
  if (!out.is_object()) throw InputError(fmt::format("no JSON object: '{}'", excerpt(line)));
  return out;
}

/// The message of somebody else as one printable line of bounded length.
std::string text_of(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return {};
  if (!at->is_string()) throw InputError(fmt::format("'{}' is no text", key));
  std::string out = at->get<std::string>().substr(0, most_message);
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return out;
}

std::vector<std::string> texts_of(const json& object, const char* key) {
  std::vector<std::string> out;
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return out;
  if (!at->is_array()) throw InputError(fmt::format("'{}' is no list", key));
  for (const json& item : *at) out.push_back(text_of({{"item", item}}, "item"));
  return out;
}

template <class T>
T number_of(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number_integer())
    throw InputError(fmt::format("'{}' is no integer", key));
  return at->get<T>();
}

std::optional<std::int64_t> limit_of(const json& object, const char* key) {
  if (!object.contains(key) || object[key].is_null()) return std::nullopt;
  const auto out = number_of<std::int64_t>(object, key);
  if (out < 1) throw InputError(fmt::format("hello with {} {}; expected 1 or more", key, out));
  return out;
}

Announced announced(const json& object) {
  Announced out{text_of(object, "name"), text_of(object, "version"), text_of(object, "claims"), {}};
  out.max_calls = limit_of(object, "max_calls");
  out.max_shapes = limit_of(object, "max_shapes");
  if (out.name.empty()) throw InputError("hello without a name");
  if (object.contains("dtypes") && !object["dtypes"].is_null()) {
    out.dtypes.emplace();
    for (const std::string& name : texts_of(object, "dtypes")) {
      const auto dtype = parse_dtype(name);
      if (!dtype || !is_float(*dtype))
        throw InputError(
            fmt::format("hello lists dtype '{}'; expected f16, bf16, f32 or f64", excerpt(name)));
      if (std::find(out.dtypes->begin(), out.dtypes->end(), *dtype) == out.dtypes->end())
        out.dtypes->push_back(*dtype);
    }
  }
  return out;
}

/// By hand: a call is written a few thousand times a second.
void add_tensor(std::string& out, const PlacedTensor& t) {
  fmt::format_to(std::back_inserter(out),
                 R"(,"{}":{{"dtype":"{}","shape":[{}],"strides":[{}],"offset":{},"byte_offset":{}}})",
                 role_name(t.role), dtype_name(t.dtype), fmt::join(t.shape, ","), fmt::join(t.strides, ","),
                 t.data, t.byte_offset);
}

std::vector<std::int64_t> integers_of(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_array() || at->size() > most_dims)
    throw InputError(fmt::format("'{}' is no list of integers", key));
  std::vector<std::int64_t> out;
  for (const json& item : *at) {
    if (!item.is_number_integer()) throw InputError(fmt::format("'{}' is no list of integers", key));
    out.push_back(item.get<std::int64_t>());
  }
  return out;
}

PlacedTensor tensor_of(const json& object, Role role) {
  PlacedTensor t;
  t.role = role;
  const auto dtype = parse_dtype(text_of(object, "dtype"));
  if (!dtype) throw InputError(fmt::format("{} has no known dtype", role_name(role)));
  t.dtype = *dtype;
  t.shape = integers_of(object, "shape");
  t.strides = integers_of(object, "strides");
  t.data = number_of<std::uint64_t>(object, "offset");
  t.byte_offset = number_of<std::uint64_t>(object, "byte_offset");
  return t;
}

}  // namespace

std::string hello_line(const Hello& hello) {
  json out = {{"normcheck", 1}};
  if (!hello.error.empty()) {
    out["error"] = hello.error;
  } else {
    out["implementations"] = json::array();
    for (const Announced& a : hello.implementations) {
      out["implementations"].push_back({{"name", a.name}, {"version", a.version}, {"claims", a.claims}});
    }
    out["faults"] = hello.faults;
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string call_line(std::uint64_t id, std::size_t implementation, const CallPlan& plan) {
  std::string out = fmt::format(R"({{"id":{},"impl":{},"op":"{}","norm_ndim":{},"eps":"{:a}")", id,
                                implementation, op_name(plan.op), plan.norm_ndim, plan.eps);
  for (const PlacedTensor& t : plan.tensors) add_tensor(out, t);
  for (std::size_t i = 0; i < plan.guards.size(); ++i) {
    const GuardPage& page = plan.guards[i];
    fmt::format_to(std::back_inserter(out), R"({}{{"of":"{}","guard":"{}","offset":{},"bytes":{}}})",
                   i == 0 ? R"(,"guards":[)" : ",", role_name(page.role),
                   guard_names[static_cast<std::size_t>(page.guard)], page.offset, page.bytes);
  }
  out += plan.guards.empty() ? "" : "]";
  return out + fmt::format(R"(,"bytes":{}}})", plan.arena_bytes);
}

std::string resize_line(std::uint64_t bytes) { return fmt::format(R"({{"resize":{}}})", bytes); }

std::string answer_line(std::uint64_t id, const Answer& answer) {
  json out = {{"id", id}};
  if (answer.status == Status::crash) {
    out["crash"] = answer.message;
  } else {
    out["status"] = static_cast<int>(answer.status);
    out["msg"] = answer.message;
  }
  if (!answer.faults.empty()) out["faults"] = answer.faults;
  if (answer.is_last) out["last"] = true;
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Hello parse_hello(std::string_view line) {
  const json object = parsed(line);
  if (number_of<std::int64_t>(object, "normcheck") != 1)
    throw InputError("hello of another version of the protocol; expected \"normcheck\":1");
  Hello out;
  out.error = text_of(object, "error");
  if (!out.error.empty()) return out;
  out.faults = texts_of(object, "faults");
  const auto list = object.find("implementations");
  if (list == object.end()) {
    out.implementations.push_back(announced(object));
  } else {
    if (!list->is_array() || list->empty()) throw InputError("hello with no implementations");
    for (const json& item : *list) {
      if (!item.is_object()) throw InputError("hello with an implementation that is no object");
      out.implementations.push_back(announced(item));
    }
  }
  return out;
}

std::variant<CallMessage, ResizeMessage> parse_host_line(std::string_view line) {
  const json object = parsed(line);
  if (object.contains("resize")) return ResizeMessage{number_of<std::uint64_t>(object, "resize")};
  CallMessage out;
  out.id = number_of<std::uint64_t>(object, "id");
  out.implementation = number_of<std::size_t>(object, "impl");
  out.plan.norm_ndim = number_of<std::int32_t>(object, "norm_ndim");
  const std::string eps = text_of(object, "eps");
  char* end = nullptr;
  out.plan.eps = std::strtod(eps.c_str(), &end);  // a worker never sets its locale, so it is "C"
  if (eps.empty() || *end != '\0') throw InputError(fmt::format("eps '{}' is no number", excerpt(eps)));
  for (const Role role : {Role::x, Role::gamma, Role::beta, Role::y, Role::mean, Role::rstd}) {
    const auto at = object.find(role_name(role));
    if (at != object.end()) out.plan.tensors.push_back(tensor_of(*at, role));
  }
  for (const json& page : object.value("guards", json::array())) {
    const std::string of = text_of(page, "of");
    const auto role = std::find(std::begin(role_names), std::end(role_names), of);
    if (role == std::end(role_names)) throw InputError(fmt::format("guards '{}', which is no tensor", of));
    const std::string how = text_of(page, "guard");
    const auto guard = std::find(std::begin(guard_names), std::end(guard_names), how);
    if (guard == std::end(guard_names)) throw InputError(fmt::format("a guard '{}'", excerpt(how)));
    out.plan.guards.push_back({number_of<std::uint64_t>(page, "offset"),
                               number_of<std::uint64_t>(page, "bytes"),
                               static_cast<Role>(role - std::begin(role_names)),
                               static_cast<Guard>(guard - std::begin(guard_names))});
  }
  if (object.contains("bytes")) out.plan.arena_bytes = number_of<std::uint64_t>(object, "bytes");
  return out;
}

Answer parse_answer(std::string_view line, std::uint64_t id) {
  const json object = parsed(line);
  if (number_of<std::int64_t>(object, "id") != static_cast<std::int64_t>(id))
    throw InputError(fmt::format("id {} where {} was asked", object["id"].dump(), id));
  Answer out;
  out.faults = texts_of(object, "faults");
  out.is_last = object.value("last", json()) == true;
  out.message = text_of(object, "crash");
  if (!out.message.empty()) {
    out.status = Status::crash;
    return out;
  }
  out.message = text_of(object, "msg");
  constexpr Status statuses[] = {Status::ok, Status::unsupported, Status::invalid, Status::failed};
  const auto status = number_of<std::int64_t>(object, "status");
  if (status < 0 || status > 3) throw InputError(fmt::format("status {}; expected 0 to 3", status));
  out.status = statuses[status];
  return out;
}

}  // namespace normcheck

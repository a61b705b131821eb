// The lines that a host and a worker exchange: JSON, one message a line.
//
//   worker {"normcheck":1,"name":"mine","version":"1.2","ops":["layernorm_fwd"],"dtypes":["f32"],"claims":""}
//   host    {"id":7,"impl":0,"op":"layernorm_fwd","norm_ndim":1,"eps":"0x1.4f8b588e368f1p-17",
//            "x":{"dtype":"f32","shape":[8,1024],"strides":[1024,1],"offset":4096,"byte_offset":0},
//            "gamma":{...},"beta":{...},"y":{...},"mean":{...},"rstd":{...},"bytes":24576}
//            what is absent is left out; behind so many bytes of the arena there is nothing of this call
//   worker  {"id":7,"status":0,"msg":""}                                              status as in nc_plugin
//   host    {"resize":8388608}                 the arena has grown: map it again; there is no answer
//
// The control socket is descriptor 3, the arena descriptor 4. Element 0 of a tensor is `offset + byte_offset`
// bytes from the arena's beginning; strides are in elements. End of file on the socket is the end. A worker
// of several implementations says hello with
// "implementations":[{"name":..,"version":..,"dtypes":..,"claims":..}]; calls name one by its place, "impl".
// "max_calls" and "max_shapes" in hello: no more calls than that are made of the implementation. A call with
// "guards":[{"of":"x","guard":"after","offset":..,"bytes":..}], for shared objects alone: pages to be closed.
// One that cannot start says {"normcheck":1,"error":"why"}. An answer may carry "faults":["changed its input
// x", ...], and "crash":"how" in place of a status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "impl/plugin/answer.h"
#include "impl/plugin/call_plan.h"

namespace normcheck {

inline constexpr int control_descriptor = 3, arena_descriptor = 4;

/// One implementation as a worker announces it.
struct Announced {
  std::string name;
  std::string version;
  std::string claims;
  std::optional<std::vector<DType>> dtypes;  ///< nullopt: it does not say; ask
  /// How often it may be called with each dtype, and with how many shapes of x, gamma and beta; nullopt:
  /// without end.
  std::optional<std::int64_t> max_calls = std::nullopt, max_shapes = std::nullopt;
};

struct Hello {
  std::vector<Announced> implementations;
  std::vector<std::string> faults;  ///< of loading
  std::string error;                ///< not empty: it cannot start
};

struct CallMessage {
  std::uint64_t id = 0;
  std::size_t implementation = 0;
  CallPlan plan;  ///< as far as a kernel needs it: no red zones
};

struct ResizeMessage {
  std::uint64_t bytes = 0;
};

// Each without the line's end.
std::string hello_line(const Hello& hello);
std::string call_line(std::uint64_t id, std::size_t implementation, const CallPlan& plan);
std::string resize_line(std::uint64_t bytes);
std::string answer_line(std::uint64_t id, const Answer& answer);

// Each reads a line of somebody who may be broken: InputError says what is wrong with it.
Hello parse_hello(std::string_view line);
std::variant<CallMessage, ResizeMessage> parse_host_line(std::string_view line);
/// The answer to call `id`.
Answer parse_answer(std::string_view line, std::uint64_t id);

}  // namespace normcheck

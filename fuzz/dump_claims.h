// What the targets of dumps demand of any file: refused in one line, or read, written and read alike.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "corpus/dump.h"
#include "corpus/error.h"

namespace normcheck {

inline void demand(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "FAIL  %s  %s\n", NORMCHECK_TARGET, promise);
  std::abort();
}

/// What the call gives, or nothing where it refuses, in one line of printable text.
template <typename Call>
auto read_or_refused(const Call& call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(
        !line.empty() && std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }),
        "an error is one printable line");
    return std::nullopt;
  }
}

/// Every tensor that can be read, as it is or, where it has no type, as bf16.
inline NamedTensors readable(const Dump& dump) {
  NamedTensors out;
  for (const std::string& name : dump.names()) {
    auto tensor = read_or_refused([&] { return dump.read(name); });
    if (!tensor) tensor = read_or_refused([&] { return dump.read(name, DType::bf16); });
    if (tensor) out.emplace_back(name, std::move(*tensor));
  }
  return out;
}

/// A dump that was just written holds these tensors and no others.
inline void demand_holds(const Dump& dump, const NamedTensors& tensors) {
  demand(dump.names().size() == tensors.size(), "what was written has as many tensors");
  for (const auto& [name, tensor] : tensors) {
    try {
      demand(dump.read(name, tensor.dtype) == tensor, "what was written is the same tensor");
    } catch (const InputError& error) {
      demand(false, error.what());
    }
  }
}

}  // namespace normcheck

// Red zones are compared as whole stretches of memory; element by element only where tensors have gaps.
#include "impl/plugin/call_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace normcheck {
namespace {

using Word = std::array<std::byte, 8>;

/// Eight bytes of the pattern. It repeats with the element, and stretches begin at multiples of the element,
/// so that memory can be filled and compared from any multiple of it.
Word poison_word(DType dtype) {
  const std::uint64_t bits = poison(dtype);
  Word out;
  for (std::size_t i = 0; i < out.size(); i += size_of(dtype)) std::memcpy(&out[i], &bits, size_of(dtype));
  return out;
}

void fill(std::byte* from, std::byte* to, const Word& word) {
  std::uint64_t whole = 0;
  std::memcpy(&whole, word.data(), sizeof whole);
  for (; to - from >= 8; from += 8) std::memcpy(from, &whole, 8);
  std::copy_n(word.begin(), to - from, from);
}

/// The first byte that differs from the pattern; `to` where none does.
const std::byte* first_difference(const std::byte* from, const std::byte* to, const Word& word) {
  std::uint64_t whole = 0, got = 0, folded = 0;
  std::memcpy(&whole, word.data(), sizeof whole);
  const std::byte* at = from;
  for (; to - at >= 8; at += 8) {  // without a branch, so that it runs at the speed of memory
    std::memcpy(&got, at, 8);
    folded |= got ^ whole;
  }
  if (folded == 0 && std::memcmp(at, word.data(), static_cast<std::size_t>(to - at)) == 0) return to;
  for (at = from; *at == word[static_cast<std::size_t>(at - from) % 8];) ++at;
  return at;
}

const Tensor* input_of(Role role, const Case& c) {
  if (role == Role::x) return &c.x;
  if (role == Role::gamma) return &*c.gamma;
  return role == Role::beta ? &*c.beta : nullptr;
}

std::uint64_t bytes_of(const PlacedTensor& t) {
  std::uint64_t out = size_of(t.dtype);
  for (const std::int64_t extent : t.shape) out *= static_cast<std::uint64_t>(extent);
  return out;
}

void scatter(const PlacedTensor& t, const std::byte* from, std::byte* first) {
  const std::size_t size = size_of(t.dtype);
  for (const std::int64_t offset : element_offsets(t)) {
    std::memcpy(first + offset * static_cast<std::int64_t>(size), from, size);
    from += size;
  }
}

void gather(const PlacedTensor& t, const std::byte* first, std::byte* to) {
  const std::size_t size = size_of(t.dtype);
  for (const std::int64_t offset : element_offsets(t)) {
    std::memcpy(to, first + offset * static_cast<std::int64_t>(size), size);
    to += size;
  }
}

std::string before_or_after(const PlacedTensor& t, const std::byte* at, const std::byte* base) {
  const auto where = static_cast<std::uint64_t>(at - base), first = t.first(), end = first + bytes_of(t);
  if (where < first) return fmt::format("{} bytes before its beginning", first - where);
  return t.dense ? fmt::format("{} bytes past its end", where - end)
                 : fmt::format("{} bytes from its beginning, between elements or past them", where - first);
}

/// The stretch of the tensor in a private copy, as it is to be: poison with these elements in it.
std::vector<std::byte> image(const PlacedTensor& t, const std::byte* dense_elements) {
  std::vector<std::byte> out(t.end - t.begin);
  fill(out.data(), out.data() + out.size(), poison_word(t.dtype));
  scatter(t, dense_elements, out.data() + (t.first() - t.begin));
  return out;
}

/// The first byte outside the elements of `t` that is not poison; nullptr if all are.
const std::byte* first_outside(const PlacedTensor& t, const std::byte* base) {
  const std::byte *begin = base + t.begin, *first = base + t.first(), *end = base + t.end;
  const Word word = poison_word(t.dtype);
  if (t.dense) {
    const std::byte* at = first_difference(begin, first, word);
    if (at != first) return at;
    at = first_difference(first + bytes_of(t), end, word);
    return at != end ? at : nullptr;
  }
  std::vector<std::byte> elements(bytes_of(t));
  gather(t, first, elements.data());
  const std::vector<std::byte> wanted = image(t, elements.data());
  const auto at = std::mismatch(wanted.begin(), wanted.end(), begin).second;
  return at != end ? at : nullptr;
}

bool is_changed(const PlacedTensor& t, const Tensor& input, const std::byte* base) {
  if (t.dense) {
    const auto size = input.data.size();
    return size > 0 && std::memcmp(input.data.data(), base + t.first(), size) != 0;
  }
  std::vector<std::byte> elements(input.data.size());
  gather(t, base + t.first(), elements.data());
  return elements != input.data;
}

struct Unwritten {
  std::int64_t count = 0, first = -1;
};

/// Of elements of one size; nearly always there is none, and that is seen without a branch for each.
template <class Bits>
Unwritten unwritten(const std::byte* data, std::int64_t size, std::uint64_t pattern) {
  const auto wanted = static_cast<Bits>(pattern);
  const auto at = [data](std::int64_t i) {
    Bits bits = 0;
    std::memcpy(&bits, data + i * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    return bits;
  };
  Unwritten out;
  for (std::int64_t i = 0; i < size; ++i) out.count += at(i) == wanted ? 1 : 0;
  while (out.count > 0 && at(++out.first) != wanted) {
  }
  return out;
}

Unwritten unwritten(const Tensor& t) {
  const std::uint64_t pattern = poison(t.dtype);
  switch (size_of(t.dtype)) {
    case 2:
      return unwritten<std::uint16_t>(t.data.data(), t.size(), pattern);
    case 4:
      return unwritten<std::uint32_t>(t.data.data(), t.size(), pattern);
    default:
      return unwritten<std::uint64_t>(t.data.data(), t.size(), pattern);
  }
}

}  // namespace

std::uint64_t poison(DType dtype) {
  switch (dtype) {  // quiet bit clear, else set bits
    case DType::f16:
      return 0x7da5;
    case DType::bf16:
      return 0x7fa5;
    case DType::f32:
    case DType::i32:
      return 0x7fa5a5a5;
    default:
      return 0x7ff5a5a5a5a5a5a5;
  }
}

void write_call(const CallPlan& plan, const Case& c, Arena& arena) {
  std::byte* base = arena.base();
  for (const PlacedTensor& t : plan.tensors) {
    if (plan.in_place && t.role == Role::y) continue;  // it is x
    const Word word = poison_word(t.dtype);
    const Tensor* input = input_of(t.role, c);
    if (input == nullptr || !t.dense) {
      fill(base + t.begin, base + t.end, word);
      if (input != nullptr) scatter(t, input->data.data(), base + t.first());
      continue;
    }
    std::byte* first = base + t.first();
    fill(base + t.begin, first, word);
    std::copy(input->data.begin(), input->data.end(), first);
    fill(first + input->data.size(), base + t.end, word);
  }
}

std::vector<std::string> memory_faults(const CallPlan& plan, const Case& c, const Arena& arena) {
  std::vector<std::string> out;
  for (const PlacedTensor& t : plan.tensors) {
    const Tensor* input = plan.in_place && t.role == Role::x ? nullptr : input_of(t.role, c);
    if (input != nullptr && is_changed(t, *input, arena.base()))
      out.push_back(fmt::format("changed its input {}", role_name(t.role)));
    if (const std::byte* at = first_outside(t, arena.base()))
      out.push_back(
          fmt::format("wrote outside {}: {}", role_name(t.role), before_or_after(t, at, arena.base())));
  }
  return out;
}

void read_outputs(const CallPlan& plan, const Arena& arena, Observation& out) {
  for (const PlacedTensor& t : plan.tensors) {
    if (!is_output(t.role)) continue;
    Tensor tensor(t.dtype, t.shape);
    const std::byte* first = arena.base() + t.first();
    if (t.dense) {
      std::copy_n(first, tensor.data.size(), tensor.data.begin());
    } else {
      gather(t, first, tensor.data.data());
    }
    if (const Unwritten missing = unwritten(tensor); missing.count > 0)
      out.faults.push_back(fmt::format("left {} of {} elements of {} unwritten, the first at {}",
                                       missing.count, tensor.size(), role_name(t.role), missing.first));
    if (t.role == Role::y) out.y = std::move(tensor);
    if (t.role == Role::mean) out.mean = std::move(tensor);
    if (t.role == Role::rstd) out.rstd = std::move(tensor);
  }
}

}  // namespace normcheck

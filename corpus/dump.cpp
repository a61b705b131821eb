// What the formats of dumps have in common: names, and which format a file is in.
#include "corpus/dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "corpus/edit_distance.h"
#include "corpus/error.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// One array, under the file's own name.
class NpyDump final : public Dump {
 public:
  explicit NpyDump(std::shared_ptr<const ByteSource> bytes)
      : Dump(bytes->name(), {fs::path(bytes->name()).stem().string()}), bytes_(std::move(bytes)) {}

 private:
  Tensor read_at(std::size_t, std::optional<DType> as) const override {
    return parse_npy(bytes_->read(0, static_cast<std::size_t>(bytes_->size())), file(), as);
  }

  std::shared_ptr<const ByteSource> bytes_;
};

/// Printable, and no quote or space in it that a reader could take for the message's own.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= 128 &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != '\''; });
}

std::string plain(std::string_view name) { return is_plain(name) ? std::string(name) : shown(name); }

}  // namespace

Dump::Dump(std::string file, std::vector<std::string> names)
    : file_(std::move(file)), names_(std::move(names)) {}

bool Dump::has(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

Tensor Dump::read(std::string_view name, std::optional<DType> as) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found != names_.end()) return read_at(static_cast<std::size_t>(found - names_.begin()), as);
  const std::string_view near = nearest_name(names_, name);
  throw InputError(fmt::format("{}: no tensor {}; it has {}{}", file_, shown(name), names_text(names_),
                               near.empty() ? "" : fmt::format("; {} may be meant", shown(near))));
}

std::unique_ptr<Dump> open_dump(const fs::path& path) { return open_dump(open_bytes(path)); }

std::unique_ptr<Dump> open_dump(std::shared_ptr<const ByteSource> bytes) {
  const std::string extension = fs::path(bytes->name()).extension().string();
  const std::string head =
      bytes->read(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes->size(), 16)));
  if (head.starts_with("\x93NUMPY")) return std::make_unique<NpyDump>(std::move(bytes));
  if (head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06")) return open_npz(std::move(bytes));
  if (extension == ".npy") return std::make_unique<NpyDump>(std::move(bytes));
  if (extension == ".npz") return open_npz(std::move(bytes));
  if (extension == ".safetensors") return open_safetensors(std::move(bytes));
  if (extension == ".pb") return open_onnx_tensor(bytes);
  if (head.size() > 8 && head[8] == '{' && little_endian(head, 8) <= bytes->size() - 8)
    return open_safetensors(std::move(bytes));
  const bool pickle = head.size() > 1 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
  throw InputError(
      fmt::format("{}: starts with {}{}; expected a .npy, .npz or .safetensors file, or an ONNX "
                  "tensor (.pb)",
                  bytes->name(), shown(std::string_view(head).substr(0, 8)),
                  pickle ? ", a pickle, which can run code and is never read" : ""));
}

std::string names_text(const std::vector<std::string>& names, std::size_t most) {
  if (names.empty()) return "none";
  std::vector<std::string> first;
  for (const std::string& name : names) {
    if (first.size() == most) break;
    first.push_back(plain(name));
  }
  const std::size_t more = names.size() - first.size();
  if (more > 0) return fmt::format("{} and {} more", fmt::join(first, ", "), more);
  const std::string last = first.back();
  first.pop_back();
  return first.empty() ? last : fmt::format("{} and {}", fmt::join(first, ", "), last);
}

std::string_view nearest_name(const std::vector<std::string>& names, std::string_view wanted) {
  constexpr std::size_t most = 64;  // of either: the distance costs their product
  std::string_view near;
  std::size_t least = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
  if (wanted.size() > most) return near;
  for (const std::string& name : names) {
    if (name.size() > most) continue;
    const std::size_t distance = edit_distance(name, wanted);
    if (distance < least) {
      least = distance;
      near = name;
    }
  }
  return near;
}

std::string entry_label(std::string_view file, std::string_view name) {
  return fmt::format("{}:{}", file, plain(name));
}

}  // namespace normcheck

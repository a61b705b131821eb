// A dump: named tensors in one file (.npy, .npz, .safetensors, an ONNX tensor), listed at once, read one by
// one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/byte_source.h"
#include "corpus/case.h"

namespace normcheck {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Dump {
 public:
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;
  virtual ~Dump() = default;

  const std::string& file() const { return file_; }
  const std::vector<std::string>& names() const { return names_; }  ///< as the file has them, each once
  bool has(std::string_view name) const;

  /// The tensor of that name. Two bytes without a type (`<V2`, `<u2`, U16) are bf16 where `as` is; else `as`
  /// must be what the file says. InputError in one line that names file and tensor: no such name (with the
  /// nearest), a dtype that no case has, bytes that do not fit.
  Tensor read(std::string_view name, std::optional<DType> as = std::nullopt) const;

 protected:
  Dump(std::string file, std::vector<std::string> names);

 private:
  virtual Tensor read_at(std::size_t index, std::optional<DType> as) const = 0;

  std::string file_;
  std::vector<std::string> names_;
};

/// Opens a file by what it starts with, then by its extension. InputError for what is none of the formats,
/// with a word for pickles, which are never read.
std::unique_ptr<Dump> open_dump(const std::filesystem::path& path);
std::unique_ptr<Dump> open_dump(std::shared_ptr<const ByteSource> bytes);

/// "a, b and c", or the first `most` of them "and 12 more"; each fit for a line.
std::string names_text(const std::vector<std::string>& names, std::size_t most = 12);
/// Of `names` the one that is nearest to `wanted` and not far; else empty.
std::string_view nearest_name(const std::vector<std::string>& names, std::string_view wanted);

/// "dump.npz:gamma": a tensor in a message. A name that is not plain is quoted.
std::string entry_label(std::string_view file, std::string_view name);

}  // namespace normcheck

// `.npz`: the archive is zip.h's, each entry npy.h's.
#include "corpus/npz.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus/error.h"
#include "corpus/npy.h"

namespace normcheck {
namespace {

constexpr std::string_view kExtension = ".npy";

std::vector<std::string> names_of(const std::vector<ZipEntry>& entries) {
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries) {
    const bool array = entry.name.ends_with(kExtension);
    names.push_back(entry.name.substr(0, entry.name.size() - (array ? kExtension.size() : 0)));
  }
  return names;
}

class NpzDump final : public Dump {
 public:
  NpzDump(std::shared_ptr<const ByteSource> bytes, std::vector<ZipEntry> entries, const ZipLimits& limits)
      : Dump(bytes->name(), names_of(entries)),
        bytes_(std::move(bytes)),
        entries_(std::move(entries)),
        limits_(limits) {}

 private:
  Tensor read_at(std::size_t index, std::optional<DType> as) const override {
    const std::string label = entry_label(file(), names()[index]);
    return parse_npy(read_zip_entry(*bytes_, entries_[index], label, limits_), label, as);
  }

  std::shared_ptr<const ByteSource> bytes_;
  std::vector<ZipEntry> entries_;
  ZipLimits limits_;
};

}  // namespace

std::unique_ptr<Dump> open_npz(std::shared_ptr<const ByteSource> bytes, const ZipLimits& limits) {
  std::vector<ZipEntry> entries = read_zip_directory(*bytes);
  const auto ends_in = [&](std::string_view end) {
    return std::any_of(entries.begin(), entries.end(),
                       [end](const ZipEntry& entry) { return entry.name.ends_with(end); });
  };
  if (!ends_in(kExtension)) {
    const char* found = entries.empty()   ? "no entries"
                        : ends_in(".pkl") ? "a checkpoint of torch.save, which is a pickle and never read"
                                          : "no entry that is a .npy";
    throw InputError(fmt::format("{}: archive: {}; expected one of numpy.savez", bytes->name(), found));
  }
  std::vector<std::string> names = names_of(entries);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw InputError(fmt::format("{}: twice; expected each name once", entry_label(bytes->name(), *twice)));
  return std::make_unique<NpzDump>(std::move(bytes), std::move(entries), limits);
}

std::string format_npz(const NamedTensors& tensors, bool deflate) {
  ZipWriter writer;
  for (const auto& [name, tensor] : tensors)
    writer.add(name + std::string(kExtension), format_npy(tensor), deflate);
  return writer.finish();
}

}  // namespace normcheck

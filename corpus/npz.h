// Reads and writes `.npz`: a zip archive of `.npy` files, as numpy.savez and savez_compressed write it.
#pragma once

#include <memory>
#include <string>

#include "corpus/dump.h"
#include "corpus/zip.h"

namespace normcheck {

/// The names are those of the entries without ".npy". What an entry holds is looked at when it is read, so
/// one that no case can have does not spoil the others. InputError, also where no entry is a `.npy`.
std::unique_ptr<Dump> open_npz(std::shared_ptr<const ByteSource> bytes, const ZipLimits& limits = {});

/// The bytes of an archive, stored or deflated. InputError from 4 GiB on.
std::string format_npz(const NamedTensors& tensors, bool deflate = false);

}  // namespace normcheck

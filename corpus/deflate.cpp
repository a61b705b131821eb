// zlib in pieces: its lengths have 32 bits, and what comes out is counted before it is kept.
#include "corpus/deflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "corpus/error.h"

namespace normcheck {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kRaw = -15;  // no header of zlib's own

[[noreturn]] void fail(std::string_view label, std::string_view found, std::string_view expected) {
  throw InputError(fmt::format("{}: data: {}; expected {}", label, found, expected));
}

Bytef* as_bytes(std::string& text) { return reinterpret_cast<Bytef*>(text.data()); }

}  // namespace

std::string inflated(const ByteSource& bytes, std::uint64_t start, std::uint64_t packed, std::uint64_t size,
                     std::string_view label) {
  z_stream stream{};
  if (inflateInit2(&stream, kRaw) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, &inflateEnd);
  std::string in, piece(kPiece, '\0'), out;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && packed > 0) {
      in = bytes.read(start, static_cast<std::size_t>(std::min<std::uint64_t>(packed, kPiece)));
      start += in.size();
      packed -= in.size();
      stream.next_in = as_bytes(in);
      stream.avail_in = static_cast<uInt>(in.size());
    }
    stream.next_out = as_bytes(piece);
    stream.avail_out = kPiece;
    state = inflate(&stream, Z_NO_FLUSH);
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state != Z_OK && state != Z_STREAM_END)  // Z_BUF_ERROR: nothing more comes in
      fail(label, state == Z_BUF_ERROR ? "the deflated data end early" : "not what deflate writes",
           fmt::format("{} bytes", size));
    out.append(piece, 0, kPiece - stream.avail_out);
    if (out.size() > size) fail(label, "more bytes than the directory says", fmt::format("{}", size));
  }
  if (out.size() != size) fail(label, fmt::format("{} bytes", out.size()), fmt::format("{}", size));
  if (packed > 0 || stream.avail_in > 0)
    fail(label, fmt::format("{} bytes behind the deflated data", packed + stream.avail_in), "none");
  return out;
}

std::string deflated(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRaw, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, &deflateEnd);
  std::string in, piece(kPiece, '\0'), out;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !content.empty()) {
      in = content.substr(0, kPiece);
      content.remove_prefix(in.size());
      stream.next_in = as_bytes(in);
      stream.avail_in = static_cast<uInt>(in.size());
    }
    stream.next_out = as_bytes(piece);
    stream.avail_out = kPiece;
    state = deflate(&stream, content.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, kPiece - stream.avail_out);
  }
  return out;
}

std::string read_gzip(const std::filesystem::path& file, std::uint64_t most) {
  const std::string label = file.string();
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(label.c_str(), "rb"), &gzclose);
  std::error_code error;
  if (in == nullptr || !std::filesystem::is_regular_file(file, error))
    throw InputError(fmt::format("{}: cannot be read; expected a .gz file", label));
  std::string out, piece(kPiece, '\0');
  while (true) {
    const int got = gzread(in.get(), piece.data(), static_cast<unsigned>(piece.size()));
    if (got < 0) fail(label, "is damaged or cut short", "a .gz file");
    if (got == 0) break;
    out.append(piece, 0, static_cast<std::size_t>(got));
    if (out.size() > most) fail(label, fmt::format("holds more than {} bytes", most), "fewer");
  }
  int state = Z_OK;
  gzerror(in.get(), &state);
  if (state != Z_OK) fail(label, "is damaged or cut short", "a .gz file");
  return out;
}

std::uint32_t checksum(std::string_view content) {
  uLong crc = crc32(0, nullptr, 0);
  while (!content.empty()) {
    const std::string_view piece = content.substr(0, std::size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(piece.data()), static_cast<uInt>(piece.size()));
    content.remove_prefix(piece.size());
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace normcheck

// Writes the seed inputs of every fuzz target from the cases of the corpus.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"
#include "fuzz/decode.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// One for each target; those whose inputs are cases come first, and have the same seeds.
constexpr std::array folders = {"forward",   "control", "oracle", "bound",       "plugin",
                                "case_file", "npy",     "npz",    "safetensors", "onnx"};
constexpr auto case_folders = std::span(folders).first<5>();
constexpr std::string_view marker = ".made-by-make_seeds";

/// OUT is emptied of an earlier run's seeds, and of nothing else: a folder that holds other things and
/// not the marker is refused.
void prepare(const fs::path& out) {
  if (fs::exists(out) && !fs::is_empty(out) && !fs::exists(out / marker)) {
    throw InputError(
        fmt::format("{}: not empty, and not a folder of seeds; expected a new folder", out.string()));
  }
  for (const char* folder : folders) {
    fs::remove_all(out / folder);
    fs::create_directories(out / folder);
  }
  write_file_atomically(out / marker, "");
}

std::vector<fs::path> cases_under(const fs::path& corpus) {
  if (!fs::is_directory(corpus)) throw InputError(fmt::format("{}: no such folder", corpus.string()));
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(corpus)) {
    if (entry.is_regular_file() && entry.path().extension() == ".case") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// "public/torch-1.case" is "public-torch-1": two folders may hold files of one name.
std::string seed_name(fs::path relative) {
  std::string out = relative.replace_extension().generic_string();
  std::replace(out.begin(), out.end(), '/', '-');
  return out;
}

void write_bytes(const fs::path& out, const std::string& name, const std::vector<std::uint8_t>& bytes) {
  for (const char* folder : case_folders)
    write_file_atomically(out / folder / name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Recipes of the structured form: every x structure with a large and with an ordinary mean.
int write_recipes(const fs::path& out) {
  int written = 0;
  for (std::uint8_t structure = 0; structure < 10; ++structure) {
    for (const std::uint8_t exponent : {std::uint8_t{80}, std::uint8_t{159}}) {
      const auto turn = static_cast<std::uint8_t>(written);
      const std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(decode_version << 4),
                                               turn,       // selector
                                               0,          //
                                               turn,       // outputs asked for
                                               turn,       // dtype
                                               turn,       // layout
                                               1,          // rows
                                               31,         // n
                                               turn,       // split
                                               turn,       // eps
                                               structure,  //
                                               exponent,   //
                                               40,         // mean fraction
                                               turn,       // spread exponent
                                               turn,       // gamma
                                               turn,       // beta
                                               0,          // gain
                                               static_cast<std::uint8_t>(turn + 1)};
      write_bytes(out, fmt::format("recipe-{:02}", written), bytes);
      ++written;
    }
  }
  return written;
}

/// The tensors of a case in each format of a dump; archives stored and deflated in turn.
void write_dumps(const fs::path& out, const std::string& stem, const Case& c, bool deflate) {
  NamedTensors tensors = {{"x", c.x}};
  if (c.gamma) tensors.emplace_back("norm.weight", *c.gamma);
  if (c.beta) tensors.emplace_back("norm.bias", *c.beta);
  write_npy(out / "npy" / (stem + ".npy"), c.x);
  write_file_atomically(out / "npz" / (stem + ".npz"), format_npz(tensors, deflate));
  write_file_atomically(out / "safetensors" / (stem + ".safetensors"), format_safetensors(tensors));
  write_file_atomically(out / "onnx" / (stem + ".pb"), format_onnx_tensor("x", c.x));
}

int make_seeds(const fs::path& corpus, const fs::path& out) {
  prepare(out);
  int forward = write_recipes(out);
  int texts = 0;
  int beyond = 0;
  for (const fs::path& path : cases_under(corpus)) {
    const std::string text = read_file(path);
    const Case c = parse_case(text, path.string());
    const std::string stem = seed_name(path.lexically_relative(corpus));
    if (text.size() <= 1 << 16) {
      write_file_atomically(out / "case_file" / (stem + ".case"), text);
      ++texts;
    }
    const auto selector = static_cast<std::uint16_t>(forward);  // in turn, so that seeds meet every subject
    if (const auto bytes = encode(c, selector, {forward % 2 == 0, forward % 3 == 0})) {
      write_bytes(out, stem, *bytes);
      ++forward;
      write_dumps(out, stem, c, forward % 2 == 0);
    } else {
      ++beyond;
    }
  }
  fmt::print(
      "make_seeds: {} cases as bytes, {} as text; {} more are to be refused or beyond the caps and have no "
      "bytes\n",
      forward, texts, beyond);
  if (texts == 0) throw InputError(fmt::format("{}: no .case files", corpus.string()));
  return 0;
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_seeds CORPUS_FOLDER OUT_FOLDER\n", stderr);
    return 2;
  }
  try {
    return normcheck::make_seeds(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

// Writers that lose a sign or turn a bit: the reader targets must see it.
#include "corpus/case_file.h"
#include "corpus/npy.h"
#include "fuzz/written.h"

namespace normcheck {

std::string written_case(const Case& c) {
  std::string text = format_case(c);
  if (const auto at = text.find(" -0x"); at != text.npos) text.erase(at + 1, 1);
  return text;
}

std::string written_npy(const Tensor& t) {
  std::string bytes = format_npy(t);
  if (t.size() != 0) bytes.back() = static_cast<char>(bytes.back() ^ 1);
  return bytes;
}

}  // namespace normcheck

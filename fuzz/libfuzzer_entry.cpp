// The entry that libFuzzer (and every engine that speaks its language) calls.
#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  normcheck::run_input({data, size}, normcheck::Extent::selected);
  return 0;
}

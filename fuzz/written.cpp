// The writers as they are.
#include "fuzz/written.h"

#include "corpus/case_file.h"
#include "corpus/npy.h"

namespace normcheck {

std::string written_case(const Case& c) { return format_case(c); }
std::string written_npy(const Tensor& t) { return format_npy(t); }

}  // namespace normcheck

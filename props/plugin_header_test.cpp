// Promise: the header that a kernel author copies stands alone, in C and in C++, and a tensor of it is a
// DLTensor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "impl/plugin/normcheck_plugin.h"
#include "props/command_run.h"

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#define NORMCHECK_HAS_DLPACK 1
#endif

namespace normcheck {
namespace {

/// What the compiler says of a file in which there is this text.
Told compiled(const std::string& flags, const std::string& name, const std::string& text) {
  const auto file = run_folder() / name;
  write_file_atomically(file, text);
  return type(fmt::format("{} {} -pedantic -Wall -Wextra -Werror -fsyntax-only -I {} {}", NORMCHECK_COMPILER,
                          flags, NORMCHECK_SOURCE_DIR "/impl/plugin", file.string()));
}

TEST(PluginHeader, StandsAloneInCAndInCxx) {
  const std::string use =
      "#include \"normcheck_plugin.h\"\n"
      "static int run(const nc_call* c) { return c->x->ndim > 0 ? NC_OK : NC_INVALID; }\n"
      "static const nc_plugin mine = {sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, \"mine\", 0, 0, 0, 0, "
      "run};\n"
      "const nc_plugin* normcheck_plugin_v1(uint32_t minor, uint32_t index) {\n"
      "  return minor + index == 0 ? &mine : 0; }\n";
  for (const std::string standard :
       {"-x c -std=c99", "-x c -std=c11", "-x c++ -std=c++11", "-x c++ -std=c++20"}) {
    const Told told = compiled(standard, "use.c", use);
    EXPECT_EQ(told.code, 0) << standard << '\n' << told.err;
  }
  const std::string one_line =
      "#include \"normcheck_plugin.hpp\"\n"
      "void f(float*, const float*, const float*, const float*, float, int, int);\n"
      "int d(double*, double*, double*, const double*, const double*, const double*, double, long, long) "
      "noexcept;\n"
      "void h(std::uint16_t*, const std::uint16_t*, const float*, const float*, float, std::size_t, "
      "unsigned);\n"
      "NORMCHECK_PLUGIN(normcheck::plugin<f, d>(\"mine\").version(\"1\").claims(\"finish=direct\"),\n"
      "                 normcheck::plugin<h>(\"half\").bf16().null_when_absent())\n";
  for (const std::string standard : {"-x c++ -std=c++17", "-x c++ -std=c++20"}) {
    const Told told = compiled(standard + " -Wshadow -Wconversion", "line.cpp", one_line);
    EXPECT_EQ(told.code, 0) << standard << '\n' << told.err;
  }
  EXPECT_NE(compiled("-x c++ -std=c++17", "wrong.cpp",
                     "#include \"normcheck_plugin.hpp\"\nvoid f(float*, const float*, int, int);\n"
                     "NORMCHECK_PLUGIN(normcheck::plugin<f>(\"mine\"))\n")
                .code,
            0);
}

TEST(PluginHeader, ATensorIsADLTensor) {
#if defined(NORMCHECK_HAS_DLPACK)
  EXPECT_EQ(sizeof(nc_tensor), sizeof(DLTensor));
  EXPECT_EQ(alignof(nc_tensor), alignof(DLTensor));
  EXPECT_EQ(offsetof(nc_tensor, data), offsetof(DLTensor, data));
  EXPECT_EQ(offsetof(nc_tensor, device_type), offsetof(DLTensor, device) + offsetof(DLDevice, device_type));
  EXPECT_EQ(offsetof(nc_tensor, device_id), offsetof(DLTensor, device) + offsetof(DLDevice, device_id));
  EXPECT_EQ(offsetof(nc_tensor, ndim), offsetof(DLTensor, ndim));
  EXPECT_EQ(offsetof(nc_tensor, dtype_code), offsetof(DLTensor, dtype) + offsetof(DLDataType, code));
  EXPECT_EQ(offsetof(nc_tensor, dtype_bits), offsetof(DLTensor, dtype) + offsetof(DLDataType, bits));
  EXPECT_EQ(offsetof(nc_tensor, dtype_lanes), offsetof(DLTensor, dtype) + offsetof(DLDataType, lanes));
  EXPECT_EQ(offsetof(nc_tensor, shape), offsetof(DLTensor, shape));
  EXPECT_EQ(offsetof(nc_tensor, strides), offsetof(DLTensor, strides));
  EXPECT_EQ(offsetof(nc_tensor, byte_offset), offsetof(DLTensor, byte_offset));
  EXPECT_EQ(sizeof(nc_tensor::device_type), sizeof(DLDevice::device_type));
  EXPECT_EQ(int{NC_INT}, int{kDLInt});
  EXPECT_EQ(int{NC_FLOAT}, int{kDLFloat});
  EXPECT_EQ(int{NC_BFLOAT}, int{kDLBfloat});
  EXPECT_EQ(1, int{kDLCPU});
#else
  GTEST_SKIP() << "no dlpack/dlpack.h here (libdlpack-dev)";
#endif
}

}  // namespace
}  // namespace normcheck

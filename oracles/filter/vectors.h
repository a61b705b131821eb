// Vectors of one instruction set, and the elements of each dtype as vectors of doubles. Included by the files
// that define NORMCHECK_FILTER_ISA and NORMCHECK_FILTER_WIDTH, each with flags of its own: all names are in
// an unnamed namespace, so that the linker shares none of them, and nothing of std:: is used.
#pragma once

#ifdef __FAST_MATH__
#error "the filter proves its errors by IEEE arithmetic: no -ffast-math"
#endif
#ifndef NORMCHECK_FILTER_ISA  // read by itself, as tools read every header
#define NORMCHECK_FILTER_ISA none
#define NORMCHECK_FILTER_WIDTH 4
#endif
#ifdef __FMA__
#include <immintrin.h>
#endif

#include <cstdint>

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

using Byte = unsigned char;
inline constexpr std::int64_t W = NORMCHECK_FILTER_WIDTH;
typedef double Doubles __attribute__((vector_size(8 * NORMCHECK_FILTER_WIDTH)));
typedef std::int64_t Longs __attribute__((vector_size(8 * NORMCHECK_FILTER_WIDTH)));
typedef float Floats __attribute__((vector_size(4 * NORMCHECK_FILTER_WIDTH)));
typedef std::int32_t Ints __attribute__((vector_size(4 * NORMCHECK_FILTER_WIDTH)));
typedef std::uint16_t Shorts __attribute__((vector_size(2 * NORMCHECK_FILTER_WIDTH)));

template <class T>
inline T load(const void* from) {
  T v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class T>
inline void store(void* to, T v) {
  __builtin_memcpy(to, &v, sizeof v);
}
inline Doubles splat(double v) { return v - Doubles{}; }
inline Longs bits(Doubles v) { return (Longs)v; }
inline Doubles from_bits(Longs v) { return (Doubles)v; }
inline Doubles magnitude(Doubles v) { return from_bits(bits(v) & 0x7fffffffffffffff); }
inline double magnitude(double v) { return __builtin_fabs(v); }
/// a where the mask is set, else b.
inline Doubles choose(Longs mask, Doubles a, Doubles b) { return mask ? a : b; }
inline Doubles larger(Doubles a, Doubles b) { return a > b ? a : b; }
inline Doubles smaller(Doubles a, Doubles b) { return a < b ? a : b; }

// A dtype: how many bits, exponents of the smallest and largest normal number, and W elements as doubles.
struct F32 {
  static constexpr int size = 4, precision = 24, emin = -126, emax = 127;
  static Doubles values(const Byte* at) { return __builtin_convertvector(load<Floats>(at), Doubles); }
};
struct BF16 {
  static constexpr int size = 2, precision = 8, emin = -126, emax = 127;
  static Doubles values(const Byte* at) {
    const Ints wide = __builtin_convertvector(load<Shorts>(at), Ints) << 16;
    return __builtin_convertvector((Floats)wide, Doubles);
  }
};
struct F16 {
  static constexpr int size = 2, precision = 11, emin = -14, emax = 15;
  // The fraction and exponent as those of a float that is 2^112 too small, which a product puts right, of
  // subnormals too; an exponent of all ones is set again. Or one instruction.
  static Doubles values(const Byte* at) {
#ifdef __F16C__
#if NORMCHECK_FILTER_WIDTH == 8
    return __builtin_convertvector((Floats)_mm256_cvtph_ps(load<__m128i>(at)), Doubles);
#else
    return __builtin_convertvector((Floats)_mm_cvtph_ps(_mm_cvtsi64_si128(load<long long>(at))), Doubles);
#endif
#endif
    const Ints h = __builtin_convertvector(load<Shorts>(at), Ints);
    const Ints pattern = h & 0x7fff;
    const Floats scaled = (Floats)(pattern << 13) * 0x1p112f;
    const Ints special = (pattern > 0x7bff) & 0x7f800000;
    return __builtin_convertvector((Floats)((Ints)scaled | special | (h & 0x8000) << 16), Doubles);
  }
};
struct F64 {
  static constexpr int size = 8, precision = 53, emin = -1022, emax = 1023;
  static Doubles values(const Byte* at) { return load<Doubles>(at); }
};

/// 2^e for a normal double.
inline double power(int e) { return __builtin_bit_cast(double, static_cast<std::int64_t>(e + 1023) << 52); }

/// v of T at hand, else 0s behind it: `count` < W elements of `size` bytes, as a whole vector's worth.
template <int kSize>
struct Padded {
  alignas(64) Byte bytes[kSize * W] = {};
  Padded(const Byte* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count * kSize; ++i) bytes[i] = from[i];
  }
};

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA

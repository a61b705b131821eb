// Turns the bytes of a recipe into a case: shapes, eps, and values with a chosen mean, spread and scale.
#include "fuzz/recipe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "fuzz/decode.h"

namespace normcheck {
namespace {

constexpr std::array float_kinds = {DType::f32, DType::f16, DType::f32, DType::bf16, DType::f32,
                                    DType::f64, DType::f32, DType::f64, DType::f16,  DType::bf16};

// Lengths about the widths of vectors, warps and unrolled loops, where tails go wrong.
constexpr std::array<std::int64_t, 32> lengths = {1,   2,   3,   4,   5,   7,   8,   9,   15,  16,  17,
                                                  24,  31,  32,  33,  48,  63,  64,  65,  96,  100, 127,
                                                  128, 129, 192, 255, 256, 257, 500, 512, 768, 1000};
constexpr std::array<std::int64_t, 8> long_lengths = {0, 1023, 1024, 1025, 2000, 2048, 4095, 4096};

DType read_dtype(std::uint8_t b) {
  if (b >= 252) return b % 2 == 0 ? DType::i32 : DType::i64;
  return float_kinds[b % float_kinds.size()];
}

struct Layout {
  std::vector<std::int64_t> shape;
  std::int64_t norm_ndim = 1;
};

Layout read_layout(ByteReader& in) {
  const std::uint8_t kind = in.u8();
  const std::uint8_t rows_byte = in.u8();
  const std::uint8_t n_byte = in.u8();
  const std::uint8_t split = in.u8();

  std::int64_t n = n_byte < 192   ? 1 + n_byte % 64
                   : n_byte < 248 ? lengths[n_byte % lengths.size()]
                                  : long_lengths[n_byte % long_lengths.size()];
  std::int64_t rows = rows_byte < 248 ? 1 + rows_byte % 6 : (rows_byte % 8) * 8;
  // Several rows show what goes wrong between rows; several long ones show it no better.
  rows = std::min(rows, std::max<std::int64_t>(1, 1024 / std::max<std::int64_t>(n, 1)));

  const std::int64_t a = 1 + split % 8;
  const std::int64_t b = 1 + split / 8 % 8;
  const std::int64_t outer = 1 + split % 3;
  Layout out;
  switch (kind % 8) {
    case 0:
    case 1:
    case 2:
      out = {{rows, n}, 1};
      break;
    case 3:
      out = {{n}, 1};
      break;
    case 4:  // several leading extents
      out = {{outer, std::max<std::int64_t>(rows / outer, 1), n / outer}, 1};
      break;
    case 5:
      out = {{rows, a, std::max<std::int64_t>(n / a, 1)}, 2};
      break;
    case 6:  // equal extents: where a confused axis does not show in the shapes
      out = {{a, a, a, 1 + split / 8 % 3}, 1 + split / 64 % 3};
      if (a * a * a > max_decoded_rows) out.norm_ndim = std::max<std::int64_t>(out.norm_ndim, 2);
      break;
    default:
      out = {{std::min<std::int64_t>(rows, 8), 1 + split / 64, a, b}, 3};
      break;
  }
  if (kind >= 252) out.norm_ndim = kind % 2 == 0 ? 0 : static_cast<std::int64_t>(out.shape.size()) + 1;
  return out;
}

/// Near 1 for most bytes; for the rest anything from the smallest subnormal to the largest binade.
int read_exponent(std::uint8_t b, const Format& f) {
  if (b < 160) return b / 8 - 10;
  const int lowest = f.emin - f.precision + 1;
  return lowest + (b - 160) * (f.emax - lowest) / 95;
}

double read_eps(std::uint8_t b, double mean, double spread) {
  if (b >= 250) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    constexpr std::array refused = {-1e-5, std::numeric_limits<double>::quiet_NaN(), inf, -inf, -5e-324};
    return refused[b % refused.size()];
  }
  const double variance = spread * spread;
  double eps = 1e-5;
  switch (b % 16) {
    case 4:
      eps = 1e-6;
      break;
    case 5:
      eps = 1e-12;
      break;
    case 6:
      eps = 1e-3;
      break;
    case 7:
      eps = b < 128 ? 0.0 : -0.0;
      break;
    case 8:  // about the variance, and far from it on either side
      eps = variance;
      break;
    case 9:
      eps = std::ldexp(variance, -12);
      break;
    case 10:
      eps = std::ldexp(variance, 20);
      break;
    case 11:
      eps = mean * mean;
      break;
    case 12:
      eps = 1;
      break;
    case 13:  // at the foot of f64, of f32 and of f16
      eps = b < 96 ? 0x1p-1074 : b < 176 ? 0x1p-149 : 0x1p-24;
      break;
    case 14:
      eps = b < 128 ? 1e10 : 0x1p120;
      break;
    case 15:
      eps = 1e-8;
      break;
    default:
      break;
  }
  return std::min(eps, std::numeric_limits<double>::max());
}

/// One signed byte a value, and after the last byte a mix of the index.
class Deltas {
 public:
  Deltas(ByteReader& in, std::uint8_t tail) : in_(in), tail_(tail) {}
  int next() {
    ++index_;
    if (!in_.empty()) return static_cast<std::int8_t>(in_.u8());
    if (tail_ == 0) return 0;
    std::uint64_t z = index_ * 0x9e3779b97f4a7c15u + tail_ * 0xbf58476d1ce4e5b9u;  // splitmix64's mix
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::int8_t>(z >> 56);
  }

 private:
  ByteReader& in_;
  std::uint8_t tail_;
  std::uint64_t index_ = 0;
};

/// The rare deltas at the ends of the range stand for what no mean and spread can make.
double special_or(int delta, DType dtype, double ordinary) {
  switch (delta) {
    case -128:
      return std::numeric_limits<double>::quiet_NaN();
    case 127:
      return std::numeric_limits<double>::infinity();
    case -127:
      return -std::numeric_limits<double>::infinity();
    case 126:
      return is_float(dtype) ? largest_finite(dtype) : ordinary;
    case -126:
      return is_float(dtype) ? smallest_subnormal(dtype) : ordinary;
    case 0:
      return -0.0;
    default:
      return ordinary;
  }
}

/// Tensor::set_value, with the two dtypes that C++ rounds to itself done in place: most of a decode is this.
void store(Tensor& t, std::int64_t i, double value) {
  if (t.dtype == DType::f32 && value == value) {
    t.set_bits(i, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  } else if (t.dtype == DType::f64) {
    t.set_bits(i, std::bit_cast<std::uint64_t>(value));
  } else {
    t.set_value(i, value);
  }
}

struct Values {
  std::uint8_t structure;
  int exponent;  ///< of the mean
  double mean;
  double spread;
};

void fill_row(Tensor& x, std::int64_t first, std::int64_t n, const Values& v, double mean, Deltas& deltas) {
  const std::int64_t half = n / 2;
  std::int64_t outlier = -1;
  if (v.structure % 10 == 3) outlier = (deltas.next() & 0xff) % n;
  for (std::int64_t i = 0; i < n; ++i) {
    double value = mean;
    switch (v.structure % 10) {
      case 3:  // constant but for one element
        if (i == outlier) value += v.spread;
        break;
      case 4:  // two levels, as in 2048 ones and then 2048 twos
        if (i >= half) value += v.spread;
        break;
      case 5: {  // exponents all over
        const int d = deltas.next();
        value = std::ldexp((d < 0 ? -1 : 1) * (1 + (d & 3) / 4.0), v.exponent + d / 4);
        break;
      }
      case 6: {  // a mean far below the values
        const double near = mean + v.spread * deltas.next() / 64;
        value = i % 2 == 0 ? near : -near;
        break;
      }
      case 7:  // integers of one quantum: sums are exact in any order
        value = std::ldexp(deltas.next(), v.exponent);
        break;
      case 8:
        value += v.spread * static_cast<double>(i);
        break;
      case 9: {
        const int d = deltas.next();
        value = special_or(d, x.dtype, mean + v.spread * d / 64);
        break;
      }
      default:
        value += v.spread * deltas.next() / 64;
        break;
    }
    store(x, first + i, value);
  }
}

/// gamma (centre 1) or beta (centre 0), or nothing.
std::optional<Tensor> read_scale(std::uint8_t mode, const Case& c, double gain, double centre,
                                 Deltas& deltas) {
  if (mode % 8 < 2) return std::nullopt;
  const std::int64_t rank = static_cast<std::int64_t>(c.x.shape.size());
  std::vector<std::int64_t> shape = c.norm_ndim >= 1 && c.norm_ndim <= rank ? normalized_shape(c) : c.x.shape;
  if (mode >= 248) {  // wrong, and refused where it is not by chance right
    if (mode % 4 == 2) shape = {1};
    if (mode % 4 == 3) std::reverse(shape.begin(), shape.end());
  }
  DType dtype = mode % 8 == 3 ? DType::f32 : c.x.dtype;
  if (dtype == DType::f32 && !is_half(c.x.dtype)) dtype = c.x.dtype;
  Tensor out(dtype, std::move(shape));
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const int d = mode % 8 == 4 ? 0 : deltas.next();
    double value = gain * (centre + d / 128.0);
    if (mode % 8 == 5) value = gain * d / 64;
    if (mode % 8 == 6) value = std::ldexp(gain, d / 16);
    if (mode % 8 == 7) value = special_or(d, dtype, value);
    store(out, i, value);
  }
  return out;
}

}  // namespace

Case read_recipe(ByteReader& in) {
  Case c;
  const DType dtype = read_dtype(in.u8());
  Layout layout = read_layout(in);
  c.norm_ndim = layout.norm_ndim;
  c.x = Tensor(dtype, std::move(layout.shape));

  const std::uint8_t eps = in.u8();
  const Format format = format_of(is_float(dtype) ? dtype : DType::f32);
  Values v{};
  v.structure = in.u8();
  v.exponent = read_exponent(in.u8(), format);
  const int fraction = static_cast<std::int8_t>(in.u8());
  v.mean = std::ldexp((fraction < 0 ? -1 : 1) * (1 + (fraction & 127) / 128.0), v.exponent);
  // From four times the mean down to below half an ulp of it.
  v.spread = std::ldexp(1.0, v.exponent + 2 - in.u8() % (format.precision + 4));
  c.eps = read_eps(eps, v.mean, v.spread);
  const std::uint8_t gamma = in.u8();
  const std::uint8_t beta = in.u8();
  const std::uint8_t gain_byte = in.u8();
  const double gain = gain_byte < 192 ? 1.0 : std::ldexp(1.0, read_exponent(gain_byte, format));
  Deltas deltas(in, in.u8());

  const std::int64_t n = row_length(c) > 0 ? row_length(c) : c.x.shape.back();
  const std::int64_t rows = n > 0 ? c.x.size() / n : 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    // Half of all structures scale each row anew, so that a statistic of the wrong row shows.
    const double mean = v.structure < 128 ? v.mean : std::ldexp(v.mean, -static_cast<int>(r % 4));
    fill_row(c.x, r * n, n, v, mean, deltas);
  }
  c.gamma = read_scale(gamma, c, gain, 1, deltas);
  c.beta = read_scale(beta, c, gain, 0, deltas);
  return c;
}

}  // namespace normcheck

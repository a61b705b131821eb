// Tensors of a `.case`, read without growing past what the header declares.
#include "corpus/tensor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "corpus/generate.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::size_t kMaxRank = 64;

bool starts_value(std::string_view word) {
  return std::string_view("0123456789+-.").find(word.front()) != std::string_view::npos ||
         word.starts_with("inf") || word.starts_with("nan");
}

// An empty tensor counts as if its extents of zero were one, so that its rows stay few as well.
void check_size(const Lines& lines, std::string_view field, std::span<const std::int64_t> shape,
                std::int64_t max) {
  std::vector<std::int64_t> filled(shape.begin(), shape.end());
  std::replace(filled.begin(), filled.end(), 0, 1);
  const auto size = checked_size(filled);
  if (!size || *size > max) {
    lines.fail(field, fmt::format("shape {}", shape_text(shape)),
               fmt::format("at most {} elements (what a case may still hold)", max));
  }
}

void append(Tensor& t, std::uint64_t bits, std::int64_t times) {
  const std::size_t width = size_of(t.dtype);
  const std::size_t start = t.data.size();
  t.data.resize(start + static_cast<std::size_t>(times) * width);
  for (std::size_t at = start; at < t.data.size(); at += width) std::memcpy(t.data.data() + at, &bits, width);
}

// One word, "v" or "v*k"; `room` is what the row still lacks.
std::int64_t read_word(const Lines& lines, const std::string& field, std::string_view word, std::int64_t room,
                       std::int64_t length, Tensor& t) {
  const std::size_t star = word.find('*');
  std::int64_t times = 1;
  if (star != std::string_view::npos) {
    const auto count = parse_count(word.substr(star + 1), std::uint64_t{1} << 62);
    if (!count || *count == 0) lines.fail(field, shown(word), "a whole number from 1 after '*'");
    times = static_cast<std::int64_t>(*count);
  }
  if (times > room) {
    lines.fail(field, fmt::format("{} makes more values than fit", shown(word)),
               fmt::format("{} values", length));
  }
  std::string expected;
  const auto bits = parse_value(t.dtype, word.substr(0, star), expected);
  if (!bits) lines.fail(field, shown(word), expected);
  append(t, *bits, times);
  return times;
}

void read_row(Lines& lines, const std::string& field, std::int64_t length, Tensor& t) {
  std::int64_t got = 0;
  std::size_t last_line = lines.number();
  Words words = lines.words();
  while (true) {
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      got += read_word(lines, field, word, length - got, length, t);
    }
    last_line = lines.number();
    lines.advance();
    if (lines.first_word() != "+") break;
    words = lines.words();
    words.next();
  }
  if (got != length) {
    lines.fail_at(last_line, field, fmt::format("{} values", got),
                  fmt::format("{} values; a row goes on in lines that start with '+'", length));
  }
}

void read_rows(Lines& lines, std::string_view field, std::int64_t size, Tensor& t) {
  const std::int64_t length = t.shape.empty() ? 1 : t.shape.back();
  const std::int64_t rows = size == 0 ? 0 : size / length;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::string row_field = fmt::format("{} row {}", field, row);
    if (lines.at_end() || !starts_value(lines.first_word()) || lines.first_word() == "+") {
      lines.fail(row_field, lines.at_end() ? "the file ends" : shown(lines.first_word()),
                 fmt::format("{} values, row {} (from 0) of {}", length, row, rows));
    }
    read_row(lines, row_field, length, t);
  }
  if (!lines.at_end() && starts_value(lines.first_word())) {
    lines.fail(field, fmt::format("{} after the last row", shown(lines.first_word())),
               fmt::format("{} rows of {} values, as shape {} says", rows, length, shape_text(t.shape)));
  }
}

Generated read_generator(const Lines& lines, std::string_view field, Words& words) {
  Generated g;
  g.generator = lines.need(field, words, "a generator");
  if (!is_generator(g.generator)) {
    lines.fail(field, fmt::format("generator {}", shown(g.generator)),
               fmt::format("one of {}", fmt::join(generator_names(), ", ")));
  }
  const std::string_view seed = lines.need(field, words, "seed=NUMBER");
  const auto value =
      seed.starts_with("seed=") ? parse_count(seed.substr(5), ~std::uint64_t{0}) : std::nullopt;
  if (!value) lines.fail(field, shown(seed), "seed= and a whole number below 2^64");
  g.seed = *value;
  const std::string_view digest = lines.need(field, words, "sha256=DIGEST");
  g.sha256 = digest.substr(std::min<std::size_t>(7, digest.size()));
  if (!digest.starts_with("sha256=") || g.sha256.size() != 64 ||
      g.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    lines.fail(field, shown(digest), "sha256= and 64 digits of 0-9a-f");
  }
  return g;
}

Tensor generate(Lines& lines, std::string_view field, const Generated& g, DType dtype,
                std::vector<std::int64_t> shape) {
  Tensor t = generate_tensor(g.generator, g.seed, dtype, std::move(shape));
  const std::string digest = sha256_hex({reinterpret_cast<const char*>(t.data.data()), t.data.size()});
  if (digest != g.sha256) {
    lines.fail(field, fmt::format("the generator's bytes have sha256 {}", digest), g.sha256);
  }
  lines.advance();
  return t;
}

}  // namespace

std::int64_t read_extent(const Lines& lines, std::string_view field, std::string_view word) {
  const auto extent = parse_count(word, std::uint64_t{1} << 40);
  if (!extent) lines.fail(field, fmt::format("extent {}", shown(word)), "a whole number from 0 to 2^40");
  return static_cast<std::int64_t>(*extent);
}

Tensor read_tensor(Lines& lines, std::string_view field, Words& words, std::int64_t& budget,
                   std::optional<Generated>* generated, std::int64_t max_generated) {
  const std::string_view dtype_word = lines.need(field, words, "a dtype");
  const auto dtype = parse_dtype(dtype_word);
  if (!dtype) lines.fail(field, shown(dtype_word), "a dtype (f16, bf16, f32, f64, i32, i64)");
  std::vector<std::int64_t> shape;
  std::string_view word = words.next();
  for (; !word.empty() && word != "gen"; word = words.next()) {
    shape.push_back(read_extent(lines, field, word));
    if (shape.size() > kMaxRank) lines.fail(field, "a shape of over 64 extents", "at most 64");
  }
  if (word == "gen") {
    if (generated == nullptr) lines.fail(field, "'gen'", "values: only x may be generated");
    *generated = read_generator(lines, field, words);
    lines.expect_end(field, words);
    check_size(lines, field, shape, max_generated);
    return generate(lines, field, **generated, *dtype, std::move(shape));
  }
  check_size(lines, field, shape, budget);
  const std::int64_t size = *checked_size(shape);
  budget -= size;
  Tensor t;
  t.dtype = *dtype;
  t.shape = std::move(shape);
  lines.advance();
  read_rows(lines, field, size, t);
  return t;
}

}  // namespace normcheck

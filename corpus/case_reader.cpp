// Reads the `.case` format, version 1: one pass over the lines, then the rules that need the whole case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "corpus/case_file.h"
#include "corpus/case_lines.h"
#include "corpus/tensor_text.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::string_view kOnlyRefused = "(anything else only under 'expect refused')";

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, const CaseLimits& limits)
      : lines_(text, name), budget_(limits.written), max_generated_(limits.generated) {}

  Case read();

 private:
  struct Key {
    std::string_view name;
    void (Reader::*read)(Words&);  // leaves lines_ at the next line
    bool repeats;
    bool required;
  };
  static constexpr std::size_t kKeyCount = 12;
  static const std::array<Key, kKeyCount> kKeys;
  static const Key* find_key(std::string_view name) {  // kKeys.end() if there is none
    return std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == name; });
  }

  void read_id(Words& words);
  void read_op(Words& words);
  void read_norm_ndim(Words& words);
  void read_normalized(Words& words);
  void read_eps(Words& words);
  void read_x(Words& words) {
    case_.x = read_tensor(lines_, "x", words, budget_, &case_.generated, max_generated_);
  }
  void read_gamma(Words& words) { case_.gamma = read_optional("gamma", words); }
  void read_beta(Words& words) { case_.beta = read_optional("beta", words); }
  void read_expect(Words& words);
  void read_violates(Words& words);
  void read_origin(Words& words) { case_.origin.push_back(read_text("origin", words)); }
  void read_note(Words& words) { case_.notes.push_back(read_text("note", words)); }

  std::optional<Tensor> read_optional(std::string_view field, Words& words);
  std::string read_text(std::string_view field, Words& words);
  void end_line(std::string_view field, Words& words) {
    lines_.expect_end(field, words);
    lines_.advance();
  }

  void read_key();
  void check_required() const;
  void check_call() const;
  void check_scale(std::string_view field, const Tensor& t) const;
  void check_nan_rows() const;
  std::size_t line_of(std::string_view key) const {
    const auto* found = find_key(key);
    return key_lines_[static_cast<std::size_t>(found - kKeys.begin())];
  }

  Lines lines_;
  std::int64_t budget_;
  std::int64_t max_generated_;
  Case case_;
  std::array<std::size_t, kKeyCount> key_lines_{};  // 0: not met
};

const std::array<Reader::Key, Reader::kKeyCount> Reader::kKeys = {{
    {"id", &Reader::read_id, false, true},
    {"op", &Reader::read_op, false, true},
    {"norm_ndim", &Reader::read_norm_ndim, false, true},
    {"normalized", &Reader::read_normalized, false, false},
    {"eps", &Reader::read_eps, false, true},
    {"x", &Reader::read_x, false, true},
    {"gamma", &Reader::read_gamma, false, true},
    {"beta", &Reader::read_beta, false, true},
    {"expect", &Reader::read_expect, false, true},
    {"violates", &Reader::read_violates, true, false},
    {"origin", &Reader::read_origin, true, false},
    {"note", &Reader::read_note, true, false},
}};

Case Reader::read() {
  Words words = lines_.words();
  const std::string_view magic = words.next();
  const std::string_view version = words.next();
  if (lines_.at_end() || lines_.number() != 1 || magic != "normcheck-case") {
    lines_.fail_at(1, "header", lines_.number() == 1 ? shown(magic) : "nothing in line 1",
                   "'normcheck-case 1' as the first line");
  }
  if (version != "1") lines_.fail("header", fmt::format("version {}", shown(version)), "version 1");
  end_line("header", words);
  while (!lines_.at_end()) read_key();
  check_required();
  if (case_.expect != Expect::refused) check_call();
  if (case_.expect == Expect::nan_rows) check_nan_rows();
  return std::move(case_);
}

void Reader::read_key() {
  Words words = lines_.words();
  const std::string_view name = words.next();
  const auto* key = find_key(name);
  if (key == kKeys.end()) {
    std::vector<std::string_view> names;
    for (const Key& known : kKeys) names.push_back(known.name);
    lines_.fail("key", shown(name), fmt::format("one of {}", fmt::join(names, ", ")));
  }
  std::size_t& line = key_lines_[static_cast<std::size_t>(key - kKeys.begin())];
  if (line != 0 && !key->repeats) {
    lines_.fail(name, "a second one", fmt::format("only that of line {}", line));
  }
  line = lines_.number();
  (this->*key->read)(words);
}

void Reader::read_id(Words& words) {
  const std::string_view word = lines_.need("id", words, "a name");
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
      std::string_view::npos;
  if (!plain || word.front() == '.' || word.front() == '-' || word.size() > 128) {
    lines_.fail("id", shown(word), "at most 128 letters, digits, '.', '_', '-', not '.' or '-' first");
  }
  case_.id = word;
  end_line("id", words);
}

void Reader::read_op(Words& words) {
  const std::string_view word = lines_.need("op", words, "an operation");
  if (word != op_name(Op::layernorm_fwd)) lines_.fail("op", shown(word), op_name(Op::layernorm_fwd));
  end_line("op", words);
}

void Reader::read_norm_ndim(Words& words) {
  const std::string_view word = lines_.need("norm_ndim", words, "a whole number");
  const auto count = parse_count(word, std::uint64_t{1} << 31);
  if (!count) lines_.fail("norm_ndim", shown(word), "a whole number from 0 to 2^31");
  case_.norm_ndim = static_cast<std::int64_t>(*count);
  end_line("norm_ndim", words);
}

void Reader::read_normalized(Words& words) {
  std::vector<std::int64_t> shape;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    shape.push_back(read_extent(lines_, "normalized", word));
  }
  case_.normalized = std::move(shape);
  lines_.advance();
}

void Reader::read_eps(Words& words) {
  const std::string_view word = lines_.need("eps", words, "a number");
  std::string expected;
  const auto bits = parse_value(DType::f64, word, expected);
  if (!bits) lines_.fail("eps", shown(word), expected);
  case_.eps = std::bit_cast<double>(*bits);
  end_line("eps", words);
}

void Reader::read_expect(Words& words) {
  const std::string_view word = lines_.need("expect", words, "bound, nan-rows or refused");
  if (word == "bound") {
    case_.expect = Expect::bound;
  } else if (word == "refused") {
    case_.expect = Expect::refused;
  } else if (word == "nan-rows") {
    case_.expect = Expect::nan_rows;
    std::string_view rest = lines_.need("expect", words, "rows such as 1,3, from 0");
    while (true) {
      const std::size_t comma = rest.find(',');
      const auto row = parse_count(rest.substr(0, comma), std::uint64_t{1} << 40);
      if (!row || (!case_.nan_rows.empty() && static_cast<std::int64_t>(*row) <= case_.nan_rows.back())) {
        lines_.fail("expect", fmt::format("row {}", shown(rest.substr(0, comma))),
                    "ascending rows such as 1,3, from 0");
      }
      case_.nan_rows.push_back(static_cast<std::int64_t>(*row));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  } else {
    lines_.fail("expect", shown(word), "bound, nan-rows or refused");
  }
  end_line("expect", words);
}

void Reader::read_violates(Words& words) {
  case_.violates.emplace_back(lines_.need("violates", words, "an implementation, such as naive/f32"));
  end_line("violates", words);
}

std::optional<Tensor> Reader::read_optional(std::string_view field, Words& words) {
  Words ahead = words;
  if (ahead.next() != "none") return read_tensor(lines_, field, words, budget_);
  end_line(field, ahead);
  return std::nullopt;
}

std::string Reader::read_text(std::string_view field, Words& words) {
  const std::string_view text = words.rest();
  if (text.empty()) lines_.fail(field, "nothing", "text");
  lines_.advance();
  return std::string(text);
}

void Reader::check_required() const {
  for (std::size_t k = 0; k < kKeyCount; ++k) {
    if (kKeys[k].required && key_lines_[k] == 0) {
      lines_.fail(kKeys[k].name, "the file ends without it", "this key");
    }
  }
}

// The rules of a valid call, for every case that is not there to be refused.
void Reader::check_call() const {
  const auto rank = static_cast<std::int64_t>(case_.x.shape.size());
  if (case_.norm_ndim < 1 || case_.norm_ndim > rank) {
    lines_.fail_at(line_of("norm_ndim"), "norm_ndim", fmt::format("{}", case_.norm_ndim),
                   fmt::format("1 to {}, the rank of x {}", rank, kOnlyRefused));
  }
  if (case_.normalized) {
    lines_.fail_at(line_of("normalized"), "normalized", "a stated shape",
                   "none: x's tail is meant " + std::string(kOnlyRefused));
  }
  if (!(case_.eps >= 0) || std::isinf(case_.eps)) {
    lines_.fail_at(line_of("eps"), "eps", fmt::format("{}", case_.eps),
                   fmt::format("a finite number from 0 {}", kOnlyRefused));
  }
  if (!is_float(case_.x.dtype)) {
    lines_.fail_at(line_of("x"), "x", dtype_name(case_.x.dtype),
                   fmt::format("a floating dtype {}", kOnlyRefused));
  }
  if (case_.gamma) check_scale("gamma", *case_.gamma);
  if (case_.beta) check_scale("beta", *case_.beta);
}

void Reader::check_scale(std::string_view field, const Tensor& t) const {
  const std::vector<std::int64_t> shape = normalized_shape(case_);
  if (t.shape != shape) {
    lines_.fail_at(line_of(field), field, fmt::format("shape {}", shape_text(t.shape)),
                   fmt::format("{}, the normalized extents of x {}", shape_text(shape), kOnlyRefused));
  }
  const bool half_with_f32 = is_half(case_.x.dtype) && t.dtype == DType::f32;
  if (t.dtype != case_.x.dtype && !half_with_f32) {
    lines_.fail_at(line_of(field), field, dtype_name(t.dtype),
                   fmt::format("{}, the dtype of x{} {}", dtype_name(case_.x.dtype),
                               is_half(case_.x.dtype) ? ", or f32" : "", kOnlyRefused));
  }
}

void Reader::check_nan_rows() const {
  const std::int64_t rows = row_count(case_);
  if (case_.nan_rows.back() >= rows) {
    lines_.fail_at(line_of("expect"), "expect", fmt::format("row {}", case_.nan_rows.back()),
                   fmt::format("rows below {}, from 0", rows));
  }
  // A generated x is finite; elsewhere the list must be the rows of x that hold a NaN or an infinity.
  const std::int64_t n = row_length(case_);
  for (std::int64_t row = 0; row < rows; ++row) {
    bool finite = true;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) finite = finite && std::isfinite(case_.x.value(i));
    const bool listed = std::binary_search(case_.nan_rows.begin(), case_.nan_rows.end(), row);
    if (listed == finite) {
      lines_.fail_at(
          line_of("expect"), "expect", fmt::format("nan-rows {} row {}", listed ? "with" : "without", row),
          fmt::format("the rows in which x is not finite, and row {} is {}", row, finite ? "finite" : "not"));
    }
  }
}

}  // namespace

Case parse_case(std::string_view text, std::string_view name, const CaseLimits& limits) {
  return Reader(text, name, limits).read();
}

}  // namespace normcheck

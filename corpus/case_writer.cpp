// The canonical text of a case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

constexpr std::size_t kColumns = 100;

// One innermost row: runs of equal bits as v*k, broken greedily into lines of at most kColumns.
void append_row(std::string& out, const Tensor& t, std::int64_t first, std::int64_t length) {
  std::size_t line_start = out.size();
  out += " ";
  for (std::int64_t i = first; i < first + length;) {
    const std::uint64_t bits = t.bits(i);
    std::int64_t run = 1;
    while (i + run < first + length && t.bits(i + run) == bits) ++run;
    std::string word = format_value(t.dtype, bits);
    if (run > 1) word += fmt::format("*{}", run);
    if (i > first && out.size() - line_start + 1 + word.size() > kColumns) {
      out += '\n';
      line_start = out.size();
      out += "  +";
    }
    out += ' ';
    out += word;
    i += run;
  }
  out += '\n';
}

void append_tensor(std::string& out, std::string_view field, const Tensor& t,
                   const std::optional<Generated>& generated) {
  out += fmt::format("{} {}", field, dtype_name(t.dtype));
  for (const std::int64_t extent : t.shape) out += fmt::format(" {}", extent);
  if (generated) {
    out +=
        fmt::format(" gen {} seed={} sha256={}\n", generated->generator, generated->seed, generated->sha256);
    return;
  }
  out += '\n';
  const std::int64_t size = t.size();
  const std::int64_t length = t.shape.empty() ? 1 : t.shape.back();
  for (std::int64_t first = 0; first < size; first += length) append_row(out, t, first, length);
}

std::string text_of(const Case& c) {
  std::string out = "normcheck-case 1\n";
  out += fmt::format("id        {}\n", c.id);
  out += fmt::format("op        {}\n", op_name(c.op));
  out += fmt::format("norm_ndim {}\n", c.norm_ndim);
  if (c.normalized) {
    out += "normalized";
    for (const std::int64_t extent : *c.normalized) out += fmt::format(" {}", extent);
    out += '\n';
  }
  out += "eps       " + format_value(DType::f64, std::bit_cast<std::uint64_t>(c.eps));
  out += std::isfinite(c.eps) ? fmt::format("  # {}\n", c.eps) : "\n";
  append_tensor(out, "x", c.x, c.generated);
  for (const auto& [field, tensor] : {std::pair{"gamma", &c.gamma}, std::pair{"beta", &c.beta}}) {
    if (*tensor) {
      append_tensor(out, field, **tensor, std::nullopt);
    } else {
      out += fmt::format("{} none\n", field);
    }
  }
  switch (c.expect) {
    case Expect::bound:
      out += "expect bound\n";
      break;
    case Expect::nan_rows:
      out += fmt::format("expect nan-rows {}\n", fmt::join(c.nan_rows, ","));
      break;
    case Expect::refused:
      out += "expect refused\n";
      break;
  }
  for (const std::string& line : c.violates) out += fmt::format("violates {}\n", line);
  for (const std::string& line : c.origin) out += fmt::format("origin {}\n", line);
  for (const std::string& line : c.notes) out += fmt::format("note   {}\n", line);
  return out;
}

}  // namespace

std::string format_case(const Case& c) {
  std::string text = text_of(c);
  if (!same_case(parse_case(text, fmt::format("case '{}' as text", c.id)), c)) {
    throw InputError(
        fmt::format("case '{}': its text reads back as another case; expected one-line notes, "
                    "and nan_rows only with nan-rows",
                    c.id));
  }
  return text;
}

}  // namespace normcheck

// Reads the lines of libFuzzer, of the sanitizers, and of fuzz/finding.cpp.
#include "fuzz/night/target_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <regex>

namespace normcheck {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The number after `name` in the line; nothing if the line does not hold it.
std::optional<std::int64_t> number_after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return std::nullopt;
  line.remove_prefix(at + name.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  std::int64_t out = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), out).ec != std::errc()) return std::nullopt;
  return out;
}

/// "the canonical text, line 12" is "the-canonical-text-line": digits are values, and would part what is one.
std::string slug(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out;
  for (const char c : text) {
    if (out.size() >= longest) break;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "nothing" : out;
}

/// A name as it may stand in a file's name.
std::string plain(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_') c = '-';
  }
  return out;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  return line.substr(start);
}

std::vector<std::int64_t> extents(std::string_view shape) {
  std::vector<std::int64_t> out;
  std::int64_t value = 0;
  for (const char* at = shape.data(); at != shape.data() + shape.size();) {
    const auto [next, error] = std::from_chars(at, shape.data() + shape.size(), value);
    if (error == std::errc()) out.push_back(value);
    at = error == std::errc() ? next : at + 1;
  }
  return out;
}

using Match = std::match_results<std::string_view::const_iterator>;

/// A long line (libFuzzer prints the input as one) would take std::regex's stack.
bool matches(std::string_view line, const char* pattern, Match& m) {
  constexpr std::size_t longest = 1000;
  return line.size() <= longest && std::regex_search(line.begin(), line.end(), m, std::regex(pattern));
}

/// The block of fuzz/finding.cpp or of a reader target, from its head line on: a head, then indented lines.
bool read_block(const std::vector<std::string_view>& lines, FindingWords& out) {
  Match m;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!matches(lines[i], "^[A-Z]+  (\\S+)  (.*)$", m)) continue;
    out.subject = m[1].str();
    const std::string rest = m[2].str();
    Match form;
    if (matches(rest, "^(\\S+) (\\[[0-9,-]*\\]) over (\\[[0-9,-]*\\]).*contract (\\S+)", form)) {
      out.dtype = form[1].str();
      out.shape = shape_class(form[2].str(), form[3].str());
      out.promise = form[4].str();
    } else {
      out.promise = slug(rest);
      out.says = rest;
    }
    out.excerpt = std::string(lines[i]) + "\n";
    for (std::size_t j = i + 1; j < lines.size() && lines[j].starts_with("  "); ++j) {
      const std::string_view line = trimmed(lines[j]);
      out.excerpt += std::string(lines[j]) + "\n";
      if (out.says.empty()) out.says = line;
      if (line.starts_with("replay ")) out.replay = trimmed(line.substr(7));
    }
    return true;
  }
  return false;
}

/// "/path/file.cpp:12:3: runtime error: signed integer overflow: ...", of UBSan.
bool read_runtime_error(const std::vector<std::string_view>& lines, FindingWords& out) {
  Match m;
  for (const std::string_view line : lines) {
    if (!matches(line, "^(?:[^:]*/)?([^/:]+):[0-9]+:[0-9]+: runtime error: ([^:]*)", m)) continue;
    out.subject = m[1].str();
    out.promise = slug(m[2].str());
    out.says = m[2].str();
    out.excerpt = std::string(line) + "\n";
    return true;
  }
  return false;
}

/// "SUMMARY: AddressSanitizer: heap-buffer-overflow file.cpp:12:3 in normcheck::f(int)", or, without symbols,
/// "... (binary+0x12)". The function stays and the place goes: a line number changes with every edit above
/// it.
bool read_summary(const std::vector<std::string_view>& lines, std::string_view target, FindingWords& out) {
  Match m;
  for (const std::string_view line : lines) {
    if (!matches(line, "^SUMMARY: ([A-Za-z]+): (.*)$", m)) continue;
    const std::string rest = m[2].str();
    const std::size_t in = rest.find(" in ");
    std::string function = in == rest.npos ? "" : rest.substr(in + 4, rest.find('(', in + 5) - in - 4);
    out.subject = function.empty() ? std::string(target) : function;
    out.promise = m[1].str() == "libFuzzer" ? slug(rest) : slug(rest.substr(0, rest.find(' ')));
    out.says = function.empty() ? out.promise : out.promise + " in " + function;
    out.excerpt = std::string(line) + "\n";
    return true;
  }
  return false;
}

}  // namespace

std::string FindingWords::key() const {
  if (!given_name.empty()) return plain(given_name);
  return fmt::format("{}.{}.{}.{}", plain(subject), plain(promise), plain(dtype), plain(shape));
}

RunFigures read_figures(std::string_view log) {
  RunFigures out;
  for (const std::string_view line : lines_of(log)) {
    if (line.starts_with('#')) {
      out.executions = std::max(out.executions, number_after(line, "#").value_or(0));
      out.coverage = number_after(line, " cov: ").value_or(out.coverage);
      out.features = number_after(line, " ft: ").value_or(out.features);
      if (line.find("\tINITED") != line.npos) out.loaded = true;
    }
    if (const auto n = number_after(line, "stat::number_of_executed_units:")) out.executions = *n;
    if (line.starts_with("record ")) out.records.emplace_back(trimmed(line.substr(7)));
  }
  return out;
}

FindingWords read_finding(std::string_view log, std::string_view target, std::string_view ending) {
  FindingWords out;
  out.dtype = out.shape = "any";
  const std::vector<std::string_view> lines = lines_of(log);
  if (read_block(lines, out) || read_runtime_error(lines, out) || read_summary(lines, target, out))
    return out;
  out.subject = target;
  out.promise = ending;
  out.says = fmt::format("ended with {} and said nothing", ending);
  const std::size_t last = lines.size() > 5 ? lines.size() - 5 : 0;
  for (std::size_t i = last; i < lines.size(); ++i) out.excerpt += std::string(lines[i]) + "\n";
  return out;
}

std::string shape_class(std::string_view shape, std::string_view over) {
  const std::vector<std::int64_t> all = extents(shape), normalized = extents(over);
  std::int64_t size = 1, n = 1;
  for (const std::int64_t extent : all) size *= extent;
  for (const std::int64_t extent : normalized) n *= extent;
  if (size == 0) return "empty";
  if (n == 1) return "n1";
  return size == n ? "row" : "rows";
}

}  // namespace normcheck

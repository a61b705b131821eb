// Reads the list of accepted findings and compares it with the night.
#include "fuzz/night/baseline.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

constexpr std::array<std::string_view, 6> fields = {"finding", "input", "says", "reason", "owner", "expires"};

/// One block as it is read: the values in the order of `fields`.
struct Block {
  std::array<std::string, fields.size()> values;
  std::size_t line = 0;  ///< of its first line; 0 where none was read
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view name, std::size_t line, std::string_view what) {
  throw InputError(fmt::format("{}:{}: {}", name, line, what));
}

void take_line(std::string_view line, std::string_view name, std::size_t number, Block& block) {
  const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view field = line.substr(0, end), value = trimmed(line.substr(end));
  const auto at = std::find(fields.begin(), fields.end(), field);
  if (at == fields.end()) {
    refuse(name, number, fmt::format("'{}'; expected one of {}", field, fmt::join(fields, ", ")));
  }
  std::string& place = block.values[static_cast<std::size_t>(at - fields.begin())];
  if (!place.empty()) {
    refuse(name, number, fmt::format("a second {}; expected an empty line between entries", field));
  }
  if (value.empty()) refuse(name, number, fmt::format("{} says nothing; expected words", field));
  if (field == "expires" && !is_date(value)) {
    refuse(name, number, fmt::format("expires '{}'; expected a day as YYYY-MM-DD", value));
  }
  if (field == "finding" && value.find('-') == value.npos) {
    refuse(name, number, fmt::format("finding '{}'; expected TARGET-KEY as the summary shows it", value));
  }
  place = value;
  if (block.line == 0) block.line = number;
}

BaselineEntry entry_of(const Block& block, std::string_view name, const std::filesystem::path& folder) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (block.values[i].empty())
      refuse(name, block.line, fmt::format("no {}; expected all of {}", fields[i], fmt::join(fields, ", ")));
  }
  const auto& v = block.values;
  return {v[0], folder / v[1], v[2], v[3], v[4], v[5]};
}

}  // namespace

std::vector<BaselineEntry> parse_baseline(std::string_view text, std::string_view name,
                                          const std::filesystem::path& folder) {
  std::vector<BaselineEntry> out;
  Block block;
  const auto close_block = [&] {
    if (block.line == 0) return;
    BaselineEntry entry = entry_of(block, name, folder);
    if (accepts(out, entry.finding))
      refuse(name, block.line, fmt::format("'{}' a second time", entry.finding));
    out.push_back(std::move(entry));
    block = {};
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      close_block();
    } else if (!line.starts_with('#')) {
      take_line(line, name, number, block);
    }
  }
  close_block();
  return out;
}

std::vector<BaselineEntry> read_baseline(const std::filesystem::path& path) {
  return parse_baseline(read_file(path), path.string(), path.parent_path());
}

std::string baseline_block(std::string_view finding, std::string_view input, std::string_view says) {
  return fmt::format("finding  {}\ninput    {}\nsays     {}\nreason   \nowner    \nexpires  \n", finding,
                     input, says);
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto part = [&](std::size_t from, std::size_t count) {
    unsigned out = 0;
    const char* end = text.data() + from + count;
    return std::from_chars(text.data() + from, end, out).ptr == end ? out : 0u;
  };
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(part(0, 4))),
                                     std::chrono::month(part(5, 2)), std::chrono::day(part(8, 2)))
      .ok();
}

std::string today_by_clock() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::vector<std::string> baseline_complaints(const std::vector<BaselineEntry>& baseline,
                                             const std::vector<Replayed>& replayed, std::string_view today) {
  std::vector<std::string> out;
  for (const BaselineEntry& entry : baseline) {
    const auto complain = [&](std::string_view what) {
      out.push_back(fmt::format("{}: {} (owner {}: {})", entry.finding, what, entry.owner, entry.reason));
    };
    if (entry.expires < today) complain(fmt::format("expired on {}", entry.expires));
    const auto at = std::find_if(replayed.begin(), replayed.end(),
                                 [&](const Replayed& r) { return r.finding == entry.finding; });
    if (at == replayed.end() || !at->ran) {
      complain(fmt::format("stopped running: no target ran {}", entry.input.string()));
    } else if (!at->failed) {
      complain(fmt::format("unexpectedly passing: {} does not fail any more", entry.input.string()));
    } else if (at->now != entry.finding) {
      complain(fmt::format("changed: it is now {}", at->now));
    } else if (at->says != entry.says) {
      complain(fmt::format("changed: it now says '{}'", at->says));
    }
  }
  return out;
}

bool stands_for(const BaselineEntry& entry, std::string_view finding) {
  const std::string_view name = entry.finding;
  return name == finding || (name.ends_with(".*") && finding.starts_with(name.substr(0, name.size() - 1)));
}

bool accepts(const std::vector<BaselineEntry>& baseline, std::string_view finding) {
  return std::any_of(baseline.begin(), baseline.end(),
                     [&](const BaselineEntry& entry) { return stands_for(entry, finding); });
}

}  // namespace normcheck

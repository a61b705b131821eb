// Findings on disk: the words first, then the file that stands for the finding.
#include "fuzz/night/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::array endings = {".case", ".input"};

struct Field {
  const char* name;
  std::string KeptFinding::*value;
};
constexpr std::array<Field, 4> text_fields = {{{"target", &KeptFinding::target},
                                               {"says", &KeptFinding::says},
                                               {"since", &KeptFinding::since},
                                               {"replay", &KeptFinding::replay}}};

std::string text_of(const KeptFinding& finding) {
  std::string out = fmt::format("{:8} {}\n", "finding", finding.name);
  for (const Field& field : text_fields) out += fmt::format("{:8} {}\n", field.name, finding.*field.value);
  return out + "\n" + finding.excerpt;
}

KeptFinding from_text(const std::string& text, const fs::path& input) {
  KeptFinding out;
  out.name = input.stem().string();
  out.input = input.string();
  const std::size_t head = std::min(text.find("\n\n"), text.size());
  for (const Field& field : text_fields) {
    const std::string start = fmt::format("\n{:8} ", field.name);
    const std::size_t at = text.find(start);
    if (at >= head) continue;
    const std::size_t from = at + start.size();
    out.*field.value = text.substr(from, text.find('\n', from) - from);
  }
  if (head < text.size()) out.excerpt = text.substr(head + 2);
  return out;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::vector<KeptFinding> kept_findings(const fs::path& folder,
                                       const std::function<bool(const std::string&)>& wanted) {
  std::vector<KeptFinding> out;
  for (const fs::path& file : files_in(folder)) {
    if (std::find(endings.begin(), endings.end(), file.extension()) == endings.end()) continue;
    if (!wanted(file.stem().string())) continue;
    const fs::path text = fs::path(file).replace_extension(".txt");
    out.push_back(from_text(fs::exists(text) ? read_file(text) : "", file));
  }
  return out;
}

Findings::Findings(fs::path folder, std::string target)
    : folder_(std::move(folder)), target_(std::move(target)) {
  fs::create_directories(folder_);
  all_ = kept_findings(folder_, [&](const std::string& name) { return name.starts_with(target_ + "-"); });
}

bool Findings::holds(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const KeptFinding& f) { return f.name == name; });
}

const KeptFinding& Findings::keep(const FindingWords& words, const fs::path& file,
                                  const std::string& shown_as, const std::string& replay_program,
                                  const std::string& today) {
  KeptFinding kept;
  kept.name = target_ + "-" + words.key();
  kept.target = target_;
  kept.says = words.says;
  kept.since = today;
  kept.excerpt = words.excerpt;
  const std::string bytes = read_file(file);
  const char* ending = bytes.starts_with("normcheck-case ") ? endings[0] : endings[1];
  const fs::path place = folder_ / (kept.name + ending);
  kept.input = place.string();
  // A target that replays its own finding calls itself by its bare name; a line to paste has the path.
  const bool by_target = words.replay.empty() || words.replay.starts_with(target_);
  kept.replay = by_target ? replay_program + " " + kept.input : words.replay;
  replace_all(kept.replay, shown_as, kept.input);
  replace_all(kept.excerpt, shown_as, kept.input);
  write_durably(folder_ / (kept.name + ".txt"), text_of(kept));
  write_durably(place, bytes);
  all_.push_back(std::move(kept));
  return all_.back();
}

void Findings::retire(const std::string& name) {
  const fs::path fixed = folder_ / "fixed";
  fs::create_directories(fixed);
  for (const fs::path& file : files_in(folder_)) {
    if (file.stem() == name) fs::rename(file, fixed / file.filename());
  }
  std::erase_if(all_, [&](const KeptFinding& f) { return f.name == name; });
}

}  // namespace normcheck

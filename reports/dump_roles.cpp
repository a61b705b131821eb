// Finds the tensors; reads none of them.
#include "reports/dump_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "corpus/error.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

const std::vector<std::string_view>& natural_names(Role role) {
  static const std::map<Role, std::vector<std::string_view>> names = {
      {Role::x, {"x", "input", "inputs", "in", "hidden_states"}},
      {Role::y, {"y", "output", "outputs", "out"}},
      {Role::y2, {"y2"}},
      {Role::gamma, {"gamma", "weight", "scale", "w"}},
      {Role::beta, {"beta", "bias", "shift", "b"}},
      {Role::mean, {"mean", "mu"}},
      {Role::rstd, {"rstd", "invstd", "inv_std", "invstddev", "inv_std_dev", "invvar"}}};
  return names.at(role);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

bool is_natural(Role role, std::string_view name, bool whole) {
  const std::string own = lower(whole ? name : name.substr(name.find_last_of("./:") + 1));
  const auto& names = natural_names(role);
  return std::find(names.begin(), names.end(), own) != names.end();
}

/// Those of which the whole name says so; else those of which the last part does (norm.weight).
std::vector<Source> candidates(const Dumps& dumps, Role role) {
  for (const bool whole : {true, false}) {
    std::vector<Source> out;
    for (const auto& dump : dumps) {
      for (const std::string& name : dump->names()) {
        if (is_natural(role, name, whole)) out.push_back({dump, name});
      }
    }
    if (!out.empty()) return out;
  }
  return {};
}

std::string pattern_hint(const Source& source) {
  const std::size_t end = source.name.find_last_of('.');
  return end == std::string::npos ? "" : fmt::format("*{}", source.name.substr(end));
}

std::optional<Source> natural_source(const Dumps& dumps, Role role) {
  const std::vector<Source> found = candidates(dumps, role);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found[0];
  std::vector<std::string> labels;
  for (const Source& source : found) labels.push_back(dumps.size() > 1 ? source.label() : source.name);
  const std::string hint = pattern_hint(found[0]);
  throw InputError(fmt::format(
      "{}: {} may be {}; expected --map {}={},...{}", found[0].dump->file(), role_name(role),
      names_text(labels, 4), role_name(role), found[0].name,
      hint.empty() ? "" : fmt::format(", or for every layer --map '{}={},...'", role_name(role), hint)));
}

/// What `*` stands for, if the name fits.
std::optional<std::string> star_of(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  const std::string_view before = pattern.substr(0, star), behind = pattern.substr(star + 1);
  if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
    return std::nullopt;
  return std::string(name.substr(before.size(), name.size() - before.size() - behind.size()));
}

/// Numbers in a name by their value.
bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  const auto digits = [](std::string_view text) {
    return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  };
  while (!a.empty() && !b.empty()) {
    std::string_view m = digits(a), n = digits(b);
    if (!m.empty() && !n.empty()) {
      a.remove_prefix(m.size());
      b.remove_prefix(n.size());
      while (m.starts_with('0')) m.remove_prefix(1);
      while (n.starts_with('0')) n.remove_prefix(1);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a[0] != b[0]) return a[0] < b[0];
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() != b.size() ? a.size() < b.size() : whole_a < whole_b;
}

std::vector<std::string> all_names(const Dumps& dumps) {
  std::vector<std::string> out;
  for (const auto& dump : dumps) out.insert(out.end(), dump->names().begin(), dump->names().end());
  return out;
}

std::string files_text(const Dumps& dumps) {
  std::vector<std::string> files;
  for (const auto& dump : dumps) files.push_back(dump->file());
  return fmt::format("{}", fmt::join(files, ", "));
}

/// The one tensor of that name, nothing if there is none.
std::optional<Source> find_source(const Dumps& dumps, const std::string& name) {
  std::optional<Source> out;
  for (const auto& dump : dumps) {
    if (!dump->has(name)) continue;
    if (out)
      throw InputError(fmt::format("{} and {}: both have {}; expected it in one of them", out->dump->file(),
                                   dump->file(), shown(name)));
    out = Source{dump, name};
  }
  return out;
}

[[noreturn]] void no_such_name(const Dumps& dumps, Role role, const std::string& name) {
  const std::vector<std::string> names = all_names(dumps);
  const std::string_view near = nearest_name(names, name);
  throw InputError(fmt::format("{}: no tensor {} for {}; expected one of {}{}", files_text(dumps),
                               shown(name), role_name(role), names_text(names),
                               near.empty() ? "" : fmt::format("; {} may be meant", shown(near))));
}

}  // namespace

std::string Source::label() const {
  return dump->names().size() == 1 ? dump->file() : entry_label(dump->file(), name);
}

std::map<Role, std::string> parse_map(const std::string& text) {
  std::map<Role, std::string> out;
  std::string_view rest = text;
  while (true) {
    const std::string_view item = rest.substr(0, rest.find(','));
    const std::size_t equals = item.find('=');
    const auto role = std::find(role_names.begin(), role_names.end(), item.substr(0, equals));
    if (role == role_names.end() || equals == std::string_view::npos || equals + 1 == item.size())
      throw InputError(fmt::format("--map: {}; expected ROLE=NAME, with a ROLE of {}", shown(item),
                                   fmt::join(role_names, ", ")));
    const std::string name(item.substr(equals + 1));
    if (std::count(name.begin(), name.end(), '*') > 1)
      throw InputError(fmt::format("--map: {}; expected at most one '*' in a name", shown(item)));
    if (!out.emplace(static_cast<Role>(role - role_names.begin()), name).second)
      throw InputError(fmt::format("--map: {} twice; expected each role once", *role));
    if (item.size() == rest.size()) return out;
    rest.remove_prefix(item.size() + 1);
  }
}

Source source_of(const std::string& value, Role role) {
  std::string file = value, name;
  std::error_code error;
  if (!std::filesystem::exists(value, error)) {  // a name of a file may hold colons, and so may a tensor's
    for (std::size_t colon = value.find(':'); colon != value.npos; colon = value.find(':', colon + 1)) {
      if (!std::filesystem::exists(value.substr(0, colon), error)) continue;
      file = value.substr(0, colon);
      name = value.substr(colon + 1);
      break;
    }
  }
  const std::shared_ptr<const Dump> dump = open_dump(file);
  if (name.empty() && dump->names().size() == 1) name = dump->names()[0];
  if (name.empty()) {
    if (const auto natural = natural_source({dump}, role)) return *natural;
    throw InputError(fmt::format("--{} {}: {} tensors; expected FILE:NAME with one of {}", role_name(role),
                                 file, dump->names().size(), names_text(dump->names())));
  }
  if (!dump->has(name)) no_such_name({dump}, role, name);
  return {dump, name};
}

Sources natural_sources(const Dumps& dumps, const std::vector<Role>& roles) {
  Sources out;
  for (const Role role : roles) {
    if (const auto source = natural_source(dumps, role)) out.emplace(role, *source);
  }
  return out;
}

std::vector<Layer> mapped_sources(const Dumps& dumps, const std::map<Role, std::string>& names) {
  Layer common;
  std::map<Role, std::string> patterns;
  for (const auto& [role, name] : names) {
    if (name.find('*') != name.npos) {
      patterns.emplace(role, name);
    } else if (const auto source = find_source(dumps, name)) {
      common.sources.emplace(role, *source);
    } else {
      no_such_name(dumps, role, name);
    }
  }
  if (patterns.empty()) return {common};
  if (!patterns.contains(Role::x) && !patterns.contains(Role::y))
    throw InputError(fmt::format("--map: a '*' in {}'s name alone; expected one in x's or y's too",
                                 role_name(patterns.begin()->first)));
  std::set<std::string, decltype(&natural_less)> stars(&natural_less);
  for (const auto& [role, pattern] : patterns) {
    if (role != Role::x && role != Role::y) continue;
    for (const std::string& name : all_names(dumps)) {
      if (auto star = star_of(pattern, name)) stars.insert(std::move(*star));
    }
  }
  if (stars.empty()) {
    const Role role = patterns.contains(Role::x) ? Role::x : Role::y;
    no_such_name(dumps, role, patterns.at(role));
  }
  std::vector<Layer> layers;
  for (const std::string& star : stars) {
    Layer layer{star, common.sources, ""};
    for (const auto& [role, pattern] : patterns) {
      std::string name = pattern;
      name.replace(name.find('*'), 1, star);
      if (const auto source = find_source(dumps, name)) {
        layer.sources.emplace(role, *source);
      } else if (layer.missing.empty()) {
        layer.missing = fmt::format("no tensor {} for {}", shown(name), role_name(role));
      }
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::string taken_text(const Sources& sources) {
  std::vector<std::string> parts;
  for (const auto& [role, source] : sources)
    parts.push_back(fmt::format("{} = {}", role_name(role), source.label()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace normcheck

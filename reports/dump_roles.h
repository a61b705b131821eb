// Which tensor of which file is x, y, gamma and so on: by option, by --map, or by its name.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/dump.h"

namespace normcheck {

enum class Role : std::uint8_t { x, y, y2, gamma, beta, mean, rstd };
constexpr std::array<std::string_view, 7> role_names = {"x", "y", "y2", "gamma", "beta", "mean", "rstd"};
constexpr std::string_view role_name(Role role) { return role_names[static_cast<std::size_t>(role)]; }

struct Source {
  std::shared_ptr<const Dump> dump;
  std::string name;
  std::string label() const;  ///< "dump.npz:gamma", or the file's name where it holds nothing else
};
using Sources = std::map<Role, Source>;
using Dumps = std::vector<std::shared_ptr<const Dump>>;

/// "x=input,gamma=weight": a name for each role, each role once, and in a name at most one `*`, which stands
/// for any text. InputError.
std::map<Role, std::string> parse_map(const std::string& text);

/// "FILE" or "FILE:NAME". Of a file that holds several tensors, without a name, the one whose own name says
/// that it has the role. InputError.
Source source_of(const std::string& value, Role role);

/// By the names that frameworks use (input, weight, bias, ...), where one tensor alone can be meant. Roles
/// that no name fits are left out; InputError where two fit.
Sources natural_sources(const Dumps& dumps, const std::vector<Role>& roles);

/// The tensors of one layer: what `*` stood for, the same in every name. Without a `*` there is one layer,
/// with no name.
struct Layer {
  std::string name;
  Sources sources;
  std::string missing;  ///< the first name that no file has; empty: all are there
};
/// In natural order (layer 2 before 10). Every value of `*` for which a tensor of x or y is there. InputError
/// where a name without `*` is in no file or in two, or where nothing fits.
std::vector<Layer> mapped_sources(const Dumps& dumps, const std::map<Role, std::string>& names);

/// "x = input f32 [8,768], y = output, ...".
std::string taken_text(const Sources& sources);

}  // namespace normcheck

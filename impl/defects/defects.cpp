// The list put together, and handed out as plug-ins with their right twins.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "impl/defects/defect.h"
#include "impl/defects/steps.h"
#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {
namespace {

std::vector<Defect> all_defects() {
  std::vector<Defect> out;
  for (const auto part : {one_pass_defects(), eps_defects(), divisor_defects(), half_defects(),
                          range_defects(), rounding_defects(), merge_defects(), padding_defects(),
                          launch_defects(), shape_defects(), parameter_defects(), memory_defects()})
    out.insert(out.end(), part.begin(), part.end());
  std::sort(out.begin(), out.end(), [](const Defect& a, const Defect& b) { return a.id < b.id; });
  return out;
}

/// The right twin: two passes in double, which keeps every contract that a defect's row names, at any stride.
int right(const nc_call* c) {
  return defect::with_dense(c, defect::any, [](const defect::Call& call) {
    defect::Rows<double> rows(call);
    for (std::int64_t r = 0; r < call.rows; ++r) defect::do_row<defect::Right>(rows, r, call.y + call.at(r));
    return int{NC_OK};
  });
}

struct List {
  std::vector<Defect> defects = all_defects();
  std::vector<const char*> contracts;  ///< of the twins
  std::deque<std::string> names;       ///< what the plug-ins' names point to
  std::vector<nc_plugin> plugins;

  List() {
    for (const Defect& d : defects) {
      add(std::string(d.id), d.right, d.run);
      if (std::find_if(contracts.begin(), contracts.end(), [&](const char* c) { return same(c, d.right); }) ==
          contracts.end())
        contracts.push_back(d.right);
    }
    for (const char* contract : contracts)
      add("twin" + std::to_string(names.size() - defects.size() + 1), contract, right);
  }
  static bool same(const char* a, const char* b) {
    return a == b || (a != nullptr && b != nullptr && std::string_view(a) == b);
  }
  void add(std::string name, const char* claims, int (*run)(const nc_call*)) {
    names.push_back(std::move(name));
    plugins.push_back({sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, names.back().c_str(), nullptr, claims,
                       nullptr, nullptr, run});
  }
};

const List& list() {
  static const List all;
  return all;
}

}  // namespace

std::span<const Defect> defects() { return list().defects; }

const Defect* find_defect(std::string_view id) {
  const auto all = defects();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Defect& d) { return d.id == id; });
  return found == all.end() ? nullptr : &*found;
}

const nc_plugin* defects_plugin(std::uint32_t, std::uint32_t index) {
  return index < list().plugins.size() ? &list().plugins[index] : nullptr;
}

std::string_view twin_name(const Defect& defect) {
  const auto& contracts = list().contracts;
  const auto at = std::find_if(contracts.begin(), contracts.end(),
                               [&](const char* c) { return List::same(c, defect.right); });
  return list().names[list().defects.size() + static_cast<std::size_t>(at - contracts.begin())];
}

}  // namespace normcheck

// Medians, ratios, and what was measured on.
#include "oracles/bench/speed_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace normcheck::bench {
namespace {

const Speed* find(const std::vector<Speed>& speeds, const Speed& like, std::string_view path) {
  for (const Speed& s : speeds)
    if (s.dtype == like.dtype && s.n == like.n && s.path == path) return &s;
  return nullptr;
}
double median_of(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
/// time of s over time of `path`, the median of the rounds' ratios; 0: there is none.
double ratio(const std::vector<Speed>& speeds, const Speed& s, std::string_view path) {
  const Speed* other = find(speeds, s, path);
  std::vector<double> ratios;
  for (std::size_t i = 0; other != nullptr && i < std::min(s.rounds.size(), other->rounds.size()); ++i)
    ratios.push_back(s.rounds[i] / other->rounds[i]);
  return median_of(std::move(ratios));
}

std::string machine() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}
std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}
/// What a path is compiled with after the flags of the build, as the CMakeLists.txt of the oracles, of filter
/// and of bench have it.
std::string flags_of(std::string_view path) {
  std::string out = "-O3 -ffp-contract=off";
  if (path.starts_with("filter/")) out += " -fno-math-errno -fno-trapping-math";
  if (path == "filter/avx2") out += " -mavx2 -mfma -mf16c";
  if (path == "filter/avx512") out += " -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mf16c";
  if (path == "f32 two-pass, SIMD") out += " -mavx2";
  return out;
}
/// A line each for the paths that share their flags.
std::string flags_list(const std::vector<Speed>& speeds) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Speed& s : speeds) {
    const std::string flags = flags_of(s.path);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == flags; });
    if (group == groups.end()) group = groups.insert(groups.end(), {flags, {}});
    auto& paths = group->second;
    if (std::find(paths.begin(), paths.end(), s.path) == paths.end()) paths.push_back(s.path);
  }
  std::string out;
  for (const auto& [flags, paths] : groups) out += fmt::format("- `{}`: {}\n", flags, fmt::join(paths, "; "));
  return out;
}

}  // namespace

double Speed::median() const { return median_of(rounds); }

std::string markdown(const std::vector<Speed>& speeds) {
  std::string out = fmt::format(
      "# What an oracle costs\n\n"
      "Time to answer for every element of one row of N(0,1), without gamma and beta, against outputs that "
      "are rounded right: medians of {} rounds of CPU time, and of the ratios of each round, all in one "
      "process. `./run bench` writes this file.\n"
      "Machine: {}. Compiler: {}. Flags, after those of the build:\n\n{}\n"
      "| dtype | n | path | asks | ns an element | times faster than cpp_bin_float_100 "
      "| time against a scalar double two-pass |\n|---|---|---|---|---|---|---|\n",
      speeds.empty() ? 0 : speeds.front().rounds.size(), machine(), compiler(), flags_list(speeds));
  for (const Speed& s : speeds) {
    const double direct = ratio(speeds, s, "cpp_bin_float_100"), plain = ratio(speeds, s, "double two-pass");
    out += fmt::format("| {} | {} | {} | {} | {:.4g} | {} | {:.3g}x |\n", dtype_name(s.dtype), s.n, s.path,
                       s.about, s.median(), direct > 0 ? fmt::format("{:.3g}", 1 / direct) : "-", plain);
  }
  return out;
}

std::string json(const std::vector<Speed>& speeds) {
  std::string out =
      fmt::format("{{\n  \"machine\": \"{}\",\n  \"compiler\": \"{}\",\n  \"rounds\": {},\n  \"rows\": [",
                  machine(), compiler(), speeds.empty() ? 0 : speeds.front().rounds.size());
  std::string_view comma = "\n";
  for (const Speed& s : speeds) {
    const double direct = ratio(speeds, s, "cpp_bin_float_100");
    out += fmt::format(
        "{}    {{\"dtype\": \"{}\", \"n\": {}, \"path\": \"{}\", \"flags\": \"{}\", "
        "\"ns_per_element\": {:.5g}, \"times_faster_than_cpp_bin_float_100\": {:.5g}, "
        "\"ratio_to_double_two_pass\": {:.5g}}}",
        comma, dtype_name(s.dtype), s.n, s.path, flags_of(s.path), s.median(), direct > 0 ? 1 / direct : 0,
        ratio(speeds, s, "double two-pass"));
    comma = ",\n";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace normcheck::bench

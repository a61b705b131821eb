// Medians, ratios, and what was measured on.
#include "oracles/bench/speed_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

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
constexpr std::string_view kFlags = "-O3 -ffp-contract=off -fno-math-errno -fno-trapping-math";

}  // namespace

double Speed::median() const { return median_of(rounds); }

std::string markdown(const std::vector<Speed>& speeds) {
  std::string out = fmt::format(
      "# What an oracle costs\n\n"
      "Time to answer for every element of one row of N(0,1), without gamma and beta, against outputs that "
      "are "
      "rounded right: medians of {} rounds of CPU time, and of the ratios of each round, all in one process. "
      "`./run "
      "bench` "
      "writes this file.\nMachine: {}. Compiler: {}, {}.\n\n"
      "| dtype | n | path | asks | ns an element | times faster than cpp_bin_float_100 | time against a "
      "scalar "
      "double two-pass |\n|---|---|---|---|---|---|---|\n",
      speeds.empty() ? 0 : speeds.front().rounds.size(), machine(), compiler(), kFlags);
  for (const Speed& s : speeds) {
    const double direct = ratio(speeds, s, "cpp_bin_float_100"), plain = ratio(speeds, s, "double two-pass");
    out += fmt::format("| {} | {} | {} | {} | {:.4g} | {} | {:.3g}x |\n", dtype_name(s.dtype), s.n, s.path,
                       s.about, s.median(), direct > 0 ? fmt::format("{:.3g}", 1 / direct) : "-", plain);
  }
  return out;
}

std::string json(const std::vector<Speed>& speeds) {
  std::string out = fmt::format(
      "{{\n  \"machine\": \"{}\",\n  \"compiler\": \"{}\",\n  \"flags\": \"{}\",\n  \"rounds\": {},\n  "
      "\"rows\": [",
      machine(), compiler(), kFlags, speeds.empty() ? 0 : speeds.front().rounds.size());
  std::string_view comma = "\n";
  for (const Speed& s : speeds) {
    const double direct = ratio(speeds, s, "cpp_bin_float_100");
    out += fmt::format(
        "{}    {{\"dtype\": \"{}\", \"n\": {}, \"path\": \"{}\", \"ns_per_element\": {:.5g}, "
        "\"times_faster_than_cpp_bin_float_100\": {:.5g}, \"ratio_to_double_two_pass\": {:.5g}}}",
        comma, dtype_name(s.dtype), s.n, s.path, s.median(), direct > 0 ? 1 / direct : 0,
        ratio(speeds, s, "double two-pass"));
    comma = ",\n";
  }
  return out + "\n  ]\n}\n";
}

}  // namespace normcheck::bench

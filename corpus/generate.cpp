// The counter-based generator and the named generators of large inputs.
#include "corpus/generate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "corpus/error.h"

namespace normcheck {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio, odd
constexpr std::uint64_t kUniformOne = std::uint64_t{1} << 53;

// Stafford's mix 13 (the finalizer of SplitMix64), a bijection of 64-bit words.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

constexpr std::uint64_t derive(std::uint64_t key, std::uint64_t label) {
  return mix(mix(key + kGolden) ^ (label * 0xd1342543de82ef95 + 0x632be59bd9b4e019));
}

double uniform_from(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

// Sum of twelve uniforms less their mean, in units of 2^-53, rounded once: |sum| <= 6 * 2^53.
double normal_from(std::int64_t sum_of_twelve) {
  return static_cast<double>(sum_of_twelve - 6 * static_cast<std::int64_t>(kUniformOne)) * 0x1p-53;
}

double normal_at(const CounterRng& rng, std::uint64_t i) {
  std::int64_t sum = 0;
  for (std::uint64_t k = 0; k < 12; ++k) sum += static_cast<std::int64_t>(rng.at(12 * i + k) >> 11);
  return normal_from(sum);
}

struct Generator {
  std::string_view name;
  double (*element)(const CounterRng& rng, std::uint64_t i);
};
constexpr Generator kGenerators[] = {
    {"uniform", [](const CounterRng& rng, std::uint64_t i) { return uniform_from(rng.at(i)); }},
    {"normal", normal_at},
    {"offset_normal", [](const CounterRng& rng, std::uint64_t i) { return 1000 + normal_at(rng, i); }},
    {"integers", [](const CounterRng& rng, std::uint64_t i) { return static_cast<double>(rng.at(i) >> 60); }},
    {"balanced",
     [](const CounterRng& rng, std::uint64_t i) {
       const auto v = static_cast<double>(rng.at(i / 2) >> 60);
       return i % 2 == 0 ? v : 0 - v;
     }},
    {"ramp", [](const CounterRng&, std::uint64_t i) { return static_cast<double>(i % 1024); }},
};

const Generator* find_generator(std::string_view name) {
  const auto* found = std::find_if(std::begin(kGenerators), std::end(kGenerators),
                                   [&](const Generator& g) { return g.name == name; });
  return found == std::end(kGenerators) ? nullptr : found;
}

}  // namespace

CounterRng::CounterRng(std::uint64_t seed, std::uint64_t stream) : key_(derive(seed, stream)) {}

// Keyed before and after the first mix, so that two keys do not give one sequence shifted.
std::uint64_t CounterRng::at(std::uint64_t counter) const {
  return mix(mix(counter * kGolden + key_) ^ std::rotl(key_, 32));
}

std::uint64_t CounterRng::below(std::uint64_t bound) {
  return static_cast<std::uint64_t>((Wide{next()} * bound) >> 64);
}

std::int64_t CounterRng::between(std::int64_t lo, std::int64_t hi) {
  const std::uint64_t count = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  const std::uint64_t step = count == 0 ? next() : below(count);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + step);
}

double CounterRng::uniform() { return uniform_from(next()); }

double CounterRng::normal() {
  std::int64_t sum = 0;
  for (int k = 0; k < 12; ++k) sum += static_cast<std::int64_t>(next() >> 11);
  return normal_from(sum);
}

CounterRng CounterRng::fork(std::uint64_t label) const { return CounterRng(key_, label); }

bool is_generator(std::string_view name) { return find_generator(name) != nullptr; }

std::vector<std::string_view> generator_names() {
  std::vector<std::string_view> names;
  for (const Generator& g : kGenerators) names.push_back(g.name);
  return names;
}

Tensor generate_tensor(std::string_view generator, std::uint64_t seed, DType dtype,
                       std::vector<std::int64_t> shape) {
  const Generator* g = find_generator(generator);
  if (g == nullptr) {
    throw InputError(
        fmt::format("generator '{}': expected one of {}", generator, fmt::join(generator_names(), ", ")));
  }
  Tensor t(dtype, std::move(shape));
  const CounterRng rng(seed);
  const std::int64_t n = t.size();
  for (std::int64_t i = 0; i < n; ++i) t.set_value(i, g->element(rng, static_cast<std::uint64_t>(i)));
  return t;
}

}  // namespace normcheck

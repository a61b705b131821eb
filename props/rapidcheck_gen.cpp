// Generators and shrinkers for RapidCheck, drawn from the project's own counter-based numbers.
#include "props/rapidcheck_gen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "props/gen.h"
#include "props/promise.h"
#include "props/shrink.h"

namespace normcheck {
namespace {

struct Fields {
  int mantissa_bits;
  std::uint64_t exponent_mask;
  std::uint64_t mantissa_mask;
};

Fields fields_of(DType dtype) {
  const Format f = format_of(dtype);
  const int mantissa = f.precision - 1;
  return {mantissa, (std::uint64_t{1} << (f.bits - 1 - mantissa)) - 1, (std::uint64_t{1} << mantissa) - 1};
}

// Half of the mantissas have few bits, at the top or at the bottom: ties and neighbours of powers of two.
std::uint64_t draw_mantissa(CounterRng& rng, const Fields& f) {
  const std::uint64_t any = rng.next() & f.mantissa_mask;
  switch (rng.below(4)) {
    case 0:
      return any & ~(f.mantissa_mask >> std::min(3, f.mantissa_bits));
    case 1:
      return any & 3U & f.mantissa_mask;
    default:
      return any;
  }
}

std::uint64_t draw_bits(CounterRng& rng, DType dtype, bool finite) {
  const Fields f = fields_of(dtype);
  std::uint64_t exponent = 0;
  std::uint64_t mantissa = draw_mantissa(rng, f);
  switch (rng.below(finite ? 6 : 8)) {
    case 0:
      mantissa = rng.coin() ? 0 : mantissa;  // zero, or subnormal
      break;
    case 1:
      exponent = f.exponent_mask - 1;  // the last binade
      break;
    case 2:
      exponent = 1 + rng.below(f.exponent_mask - 1);  // any normal
      break;
    case 6:
      exponent = f.exponent_mask;
      mantissa = 0;
      break;
    case 7:
      exponent = f.exponent_mask;
      mantissa |= std::uint64_t{1} << rng.below(static_cast<std::uint64_t>(f.mantissa_bits));
      break;
    default:
      exponent = f.exponent_mask / 2 - 4 + rng.below(9);  // near 1
  }
  const std::uint64_t sign = rng.below(2);
  return (sign << (format_of(dtype).bits - 1)) | (exponent << f.mantissa_bits) | mantissa;
}

// The shrinks of one number are those of a case of one element.
std::vector<std::uint64_t> simpler_bits(DType dtype, std::uint64_t bits) {
  Case c;
  c.x = Tensor(dtype, {1, 1});
  c.x.set_bits(0, bits);
  c.eps = 1;
  std::vector<std::uint64_t> out;
  for (const Edit& edit : edits(c))
    if (const std::optional<Case> simpler = simplified(c, edit)) out.push_back(simpler->x.bits(0));
  return out;
}

rc::Gen<std::uint64_t> bits_gen(DType dtype, bool finite) {
  return [dtype, finite](const rc::Random& random, int) {
    rc::Random source = random;
    CounterRng rng(source.next());
    return rc::shrinkable::shrinkRecur(draw_bits(rng, dtype, finite), [dtype](std::uint64_t bits) {
      return rc::seq::fromContainer(simpler_bits(dtype, bits));
    });
  };
}

rc::Seq<Case> simpler_cases(const Case& c) {
  return rc::seq::mapMaybe(rc::seq::fromContainer(edits(c)), [c](const Edit& edit) -> rc::Maybe<Case> {
    std::optional<Case> simpler = simplified(c, edit);
    if (!simpler) return rc::Nothing;
    return std::move(*simpler);
  });
}

Case draw_case(CounterRng& rng, const CaseSpace& space, int size) {
  GenRequest request;
  request.dtype = space.dtypes[rng.below(space.dtypes.size())];
  request.rows = rng.between(1, space.max_rows);
  const std::int64_t most = std::max<std::int64_t>(2, space.max_n * std::min(size + 1, 100) / 100);
  request.n = rng.between(1, most);
  request.norm_ndim = rng.coin() ? 1 : rng.between(1, space.max_norm_ndim);
  const std::uint64_t seed = rng.next();
  if (!space.regimes.empty())
    return make_case(*find_regime(space.regimes[rng.below(space.regimes.size())]), request, seed, 0);
  if (rng.below(8) != 0) return make_case(regimes()[rng.below(regimes().size())], request, seed, 0);
  Case c = make_case(*find_regime("unit_normal"), request, seed, 0);
  for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_bits(i, draw_bits(rng, c.x.dtype, true));
  c.id = "bits-" + std::to_string(seed);
  c.notes = {"finite bit patterns of every class"};
  return c;
}

}  // namespace

rc::Gen<std::uint64_t> any_bits(DType dtype) { return bits_gen(dtype, false); }
rc::Gen<std::uint64_t> finite_bits(DType dtype) { return bits_gen(dtype, true); }

rc::Gen<Case> any_case(CaseSpace space) {
  return [space = std::move(space)](const rc::Random& random, int size) {
    rc::Random source = random;
    CounterRng rng(source.next());
    return rc::shrinkable::shrinkRecur(draw_case(rng, space, size),
                                       [](const Case& c) { return simpler_cases(c); });
  };
}

namespace {

struct Broken {
  Case simplest;
  std::string message;
};

/// `quiet`: without RapidCheck's own words on a failure, which it ends the program with.
std::optional<Broken> first_broken(std::string_view promise, const CaseSpace& space, int count,
                                   const std::function<std::string(const Case&)>& complaint, bool quiet) {
  rc::detail::TestListenerAdapter silence;
  std::optional<Case> failing;  // RapidCheck's last failing call is its simplest
  const auto property = [&] {
    const Case c = *any_case(space);
    const std::string why = complaint(c);
    if (why.empty()) return;
    failing = c;
    RC_FAIL(why);
  };
  // RapidCheck prints the configuration that it loads: without this, a seed that is not the one in use.
  setenv("RC_PARAMS", fmt::format("seed={}", promise_seed()).c_str(), 0);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.seed = promise_seed();
  params.maxSuccess = count;
  const rc::detail::TestMetadata metadata{std::string(promise), std::string(promise)};
  const auto result = quiet ? rc::detail::checkTestable(property, metadata, params, silence)
                            : rc::detail::checkTestable(property, metadata, params);
  if (result.is<rc::detail::SuccessResult>()) return std::nullopt;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  return Broken{failing.value_or(Case()), message.str()};
}

}  // namespace

void check_cases(std::string_view promise, const CaseSpace& space, int count,
                 const std::function<std::string(const Case&)>& complaint) {
  const auto broken = first_broken(promise, space, count, complaint, false);
  if (!broken) return;
  ADD_FAILURE() << broken->message << '\n' << record_failure(broken->simplest, "");
}

std::optional<Case> counterexample(std::string_view promise, const CaseSpace& space, int count,
                                   const std::function<std::string(const Case&)>& complaint) {
  const auto broken = first_broken(promise, space, count, complaint, true);
  if (!broken) return std::nullopt;
  return broken->simplest;
}

void showValue(const Case& c, std::ostream& os) {
  constexpr std::size_t most = 3000;
  const std::string text = format_case(c);
  os << '\n' << text.substr(0, most) << (text.size() > most ? "  ... (cut)\n" : "");
}

}  // namespace normcheck

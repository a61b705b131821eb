// The table of implementations, one line a row, and how a row is run on a case.
#include "impl/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/layer_norm.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

constexpr std::array finishes = {std::string_view("direct"), std::string_view("folded"),
                                 std::string_view("half_folded")};

/// What each accumulate type offers to store: itself, and what is narrower. Half accumulation is for its
/// own format alone.
constexpr std::array f16_only = {DType::f16};
constexpr std::array bf16_only = {DType::bf16};
constexpr std::array up_to_f32 = {DType::f16, DType::bf16, DType::f32};
constexpr std::array up_to_f64 = {DType::f16, DType::bf16, DType::f32, DType::f64};

constexpr std::span<const DType> storages_of(DType accumulate) {
  switch (accumulate) {
    case DType::f16:
      return f16_only;
    case DType::bf16:
      return bf16_only;
    case DType::f32:
      return up_to_f32;
    default:
      return up_to_f64;
  }
}

/// The row's name is written out in the table, where a search for it finds it; a name that is not
/// algorithm/accumulate[/finish] does not compile.
template <class Algorithm, class R, Finish finish = Finish::direct>
consteval Row make_row(std::string_view name, std::string_view expect) {
  constexpr std::string_view accumulate = dtype_of<R> == DType::f16    ? "f16"
                                          : dtype_of<R> == DType::bf16 ? "bf16"
                                          : dtype_of<R> == DType::f32  ? "f32"
                                                                       : "f64";
  std::string_view rest = name;
  for (const std::string_view part : {Algorithm::name, std::string_view("/"), accumulate}) {
    if (!rest.starts_with(part)) throw "the row's name is not algorithm/accumulate";
    rest.remove_prefix(part.size());
  }
  const std::string_view suffix = finishes[static_cast<std::size_t>(finish)];
  const bool named =
      finish == Finish::direct ? rest.empty() : rest.starts_with('/') && rest.substr(1) == suffix;
  if (!named) throw "the row's name does not end in its finish";
  constexpr bool reads_prefixes = requires { Algorithm::reads_prefixes; };
  return {name,
          Algorithm::name,
          dtype_of<R>,
          finish,
          expect,
          storages_of(dtype_of<R>),
          run_rows<Algorithm, R, finish>,
          trace_one<Algorithm, R, finish>,
          Algorithm::bound,
          reads_prefixes};
}

constexpr std::string_view pass = "pass";
constexpr std::string_view cancels = "cancellation: E[x^2]-E[x]^2 loses the variance where the mean is large";
constexpr std::string_view halves = "half accumulation stalls and overflows";
constexpr Finish folded = Finish::folded;
constexpr Finish half_folded = Finish::half_folded;

constexpr std::array rows = {
    make_row<Naive, Half>("naive/f16", halves),
    make_row<Naive, BFloat16>("naive/bf16", halves),
    make_row<Naive, float>("naive/f32", cancels),
    make_row<Naive, float, folded>("naive/f32/folded", cancels),
    make_row<Naive, double>("naive/f64", cancels),
    make_row<TwoPass, Half>("two_pass/f16", halves),
    make_row<TwoPass, BFloat16>("two_pass/bf16", halves),
    make_row<TwoPass, float>("two_pass/f32", pass),
    make_row<TwoPass, float, folded>("two_pass/f32/folded", pass),
    make_row<TwoPass, float, half_folded>("two_pass/f32/half_folded", pass),
    make_row<TwoPass, double>("two_pass/f64", pass),
    make_row<TwoPass, double, folded>("two_pass/f64/folded", pass),
    make_row<TwoPass, double, half_folded>("two_pass/f64/half_folded", pass),
    make_row<Welford, Half>("welford/f16", halves),
    make_row<Welford, BFloat16>("welford/bf16", halves),
    make_row<Welford, float>("welford/f32", pass),
    make_row<Welford, float, folded>("welford/f32/folded", pass),
    make_row<Welford, float, half_folded>("welford/f32/half_folded", pass),
    make_row<Welford, double>("welford/f64", pass),
    make_row<Welford, double, folded>("welford/f64/folded", pass),
    make_row<Welford, double, half_folded>("welford/f64/half_folded", pass),
    make_row<Chan, Half>("chan/f16", halves),
    make_row<Chan, BFloat16>("chan/bf16", halves),
    make_row<Chan, float>("chan/f32", pass),
    make_row<Chan, double>("chan/f64", pass),
};

}  // namespace

std::string_view finish_name(Finish finish) { return finishes[static_cast<std::size_t>(finish)]; }

std::span<const Row> table() { return rows; }

const Row* find_row(std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

bool offers(const Row& row, DType storage) {
  return std::find(row.storages.begin(), row.storages.end(), storage) != row.storages.end();
}

LayerNormCall call_on(const Case& c) {
  LayerNormCall call;
  call.storage = c.x.dtype;
  call.rows = row_count(c);
  call.n = row_length(c);
  call.eps = c.eps;
  call.x = c.x.data.data();
  if (c.gamma) {
    call.gamma = c.gamma->data.data();
    call.gamma_dtype = c.gamma->dtype;
  }
  if (c.beta) {
    call.beta = c.beta->data.data();
    call.beta_dtype = c.beta->dtype;
  }
  return call;
}

std::optional<Observation> declined(const Row& row, const Case& c) {
  const auto answer = [](Status status, std::string message) {
    Observation out;
    out.status = status;
    out.message = std::move(message);
    return out;
  };
  if (auto why = refusal(c)) return answer(Status::invalid, std::move(*why));
  if (!offers(row, c.x.dtype)) {
    std::string offered;
    for (const DType d : row.storages) {
      offered += offered.empty() ? "" : ", ";
      offered += dtype_name(d);
    }
    return answer(Status::unsupported,
                  fmt::format("x is {}: {} takes {}", dtype_name(c.x.dtype), row.name, offered));
  }
  for (const auto* parameter : {&c.gamma, &c.beta}) {
    if (is_half(row.accumulate) && *parameter && (*parameter)->dtype == DType::f32) {
      return answer(Status::unsupported, fmt::format("{} is f32: {} computes in {}, which would round it",
                                                     parameter == &c.gamma ? "gamma" : "beta", row.name,
                                                     dtype_name(row.accumulate)));
    }
  }
  return std::nullopt;
}

Observation run_case(const Row& row, const Case& c, Wanted wanted) {
  if (auto answer = declined(row, c)) return std::move(*answer);
  Observation out;
  out.y = Tensor(c.x.dtype, c.x.shape);
  LayerNormCall call = call_on(c);
  call.y = out.y.data.data();
  if (call.n > 0) {
    const DType dtype = statistics_dtype(c.x.dtype);
    if (wanted.mean) call.mean = out.mean.emplace(dtype, statistics_shape(c)).data.data();
    if (wanted.rstd) call.rstd = out.rstd.emplace(dtype, statistics_shape(c)).data.data();
  }
  row.run(call);
  return out;
}

}  // namespace normcheck

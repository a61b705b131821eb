// Runs the claims.
#include "reports/folklore/folklore.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "corpus/generate.h"
#include "corpus/replay_line.h"
#include "impl/table.h"
#include "props/gen.h"
#include "reports/kappa_sweep.h"
#include "reports/results/json.h"

namespace normcheck {
namespace {

/// The worst element of y of a row on a case.
struct Tried {
  double error_ulp = 0, bound_ulp = 0;
  Verdict verdict = Verdict::pass;
  std::string in_words() const {
    return fmt::format("{} ulp of {} allowed ({})", short_number(error_ulp),
                       std::isinf(bound_ulp) ? "no bound" : short_number(bound_ulp), verdict_name(verdict));
  }
};

class Folklore {
 public:
  Folklore(std::uint64_t seed, OracleChoice oracle, CaseShelf& shelf)
      : seed_(seed), oracle_(oracle), shelf_(shelf) {}

  Json all() {
    always_safe();
    the_accurate_one();
    cannot_cancel();
    clamping();
    accumulation();
    return std::move(out_);
  }

 private:
  Tried tried(std::string_view impl, const Case& c) const {
    const Row& row = *find_row(impl);
    const Judgement j = judge(c, run_case(row, c), parse_contract("stable", &row), oracle_);
    Tried out;
    out.verdict = j.verdict;
    out.error_ulp = j.worst ? std::fabs(j.worst->error_ulp) : j.errors.max_ulp;
    out.bound_ulp = j.worst ? j.worst->allowed_ulp : std::numeric_limits<double>::infinity();
    return out;
  }
  Case spread_out(DType dtype, std::int64_t n, double kappa) const {
    return kappa_case(dtype, n, 1, kappa, seed_);
  }
  void tell(std::string_view claim, std::string_view holds, std::string because, std::string_view impl,
            const Case& c, const Tried& t) {
    Json one;
    one["claim"] = claim;
    one["holds"] = holds;
    one["because"] = std::move(because);
    one["impl"] = impl;
    one["dtype"] = dtype_name(c.x.dtype);
    put_measured(one, "error_ulp", t.error_ulp);
    put_measured(one, "bound_ulp", t.bound_ulp);
    one["case"] = c.id;
    one["file"] = shelf_.add(c);
    one["command"] = replay_line(
        built_command, replay_arguments(shelf_.input(one["file"].get<std::string>()), impl, "stable"));
    out_.push_back(std::move(one));
  }

  void always_safe() {
    const Case c = spread_out(DType::f32, 1024, 1e3);
    const Tried far = tried("two_pass/f32", c), near = tried("two_pass/f32", spread_out(DType::f32, 1024, 1));
    Case squares;
    squares.id = "folklore-f16-squares";
    squares.x = Tensor(DType::f16, {1, 4});
    for (int i = 0; i < 4; ++i) squares.x.set_value(i, i % 2 == 0 ? 400 : -400);
    const Tried half = tried("two_pass/f16", squares);
    tell("Two-pass is always safe", "in part",
         fmt::format("It keeps its bound, and the bound grows with kappa: the mean is one number of f32. Off "
                     "by {} at kappa 1, by {} at "
                     "kappa 1000. And summed in f16 the squares of +-400 overflow, and y comes out as 0: {}.",
                     near.in_words(), far.in_words(), half.in_words()),
         "two_pass/f32", c, far);
  }

  void the_accurate_one() {
    const Case* worst = nullptr;
    Case kept;
    Tried of_welford, of_two_pass;
    int closer = 0, rows = 0;
    double most = 0;
    for (std::uint64_t k = 0; k < regimes().size(); ++k) {
      Case c = make_case(regimes()[k], {.dtype = DType::f32, .rows = 1, .n = 256}, seed_, k);
      if (c.x.size() == 0) continue;
      const Tried w = tried("welford/f32", c), t = tried("two_pass/f32", c);
      // Where either has no number to be held to, neither is closer.
      if (!std::isfinite(w.error_ulp) || !std::isfinite(t.error_ulp) || !std::isfinite(w.bound_ulp)) continue;
      ++rows;
      closer += t.error_ulp < w.error_ulp;
      if (t.error_ulp > 0 && w.error_ulp / t.error_ulp > most) {
        most = w.error_ulp / t.error_ulp;
        kept = std::move(c);
        worst = &kept;
        of_welford = w;
        of_two_pass = t;
      }
    }
    if (worst == nullptr) return;
    tell("Welford is the accurate one", "no",
         fmt::format("On one row of 256 of each regime two_pass is closer in {} of {}, accumulated in f32 "
                     "both. On this one welford is off by "
                     "{}, two_pass by {} ulp: its mean is rounded at every element, not once.",
                     closer, rows, of_welford.in_words(), short_number(of_two_pass.error_ulp)),
         "welford/f32", *worst, of_welford);
  }

  void cannot_cancel() {
    const Case c = spread_out(DType::bf16, 1024, 1000);
    const Tried naive = tried("naive/f32", c), two_pass = tried("two_pass/f32", c);
    tell("bf16 inputs cannot cancel", naive.verdict == Verdict::fail ? "no" : "yes",
         fmt::format("Eight bits say how finely x is spaced, not how far its mean lies from its spread: "
                     "neighbouring bf16 numbers have a kappa of "
                     "hundreds and more, and at 1000 E[x^2]-E[x]^2 in f32 is off by {}, two_pass by {}.",
                     naive.in_words(), two_pass.in_words()),
         "naive/f32", c, naive);
  }

  void clamping() {
    const Case c = spread_out(DType::f32, 64, 1e4);
    const Tried clamped = tried("naive_clamped/f32", c), plain = tried("naive/f32", c);
    tell("Clamping the variance fixes it", clamped.verdict == Verdict::fail ? "no" : "in part",
         fmt::format("The floor at 0 keeps NaN away, not the error: at kappa 1e4 the clamped form is off by "
                     "{}, the plain one by {}. A wrong "
                     "number is harder to notice than a NaN.",
                     clamped.in_words(), plain.in_words()),
         "naive_clamped/f32", c, clamped);
  }

  void accumulation() {
    const Case c = spread_out(DType::f32, 1024, 1e3);
    const Tried f32 = tried("two_pass/f32", c), f64 = tried("two_pass/f64", c),
                f16 = tried("two_pass/f32", spread_out(DType::f16, 1024, 100)),
                bf16 = tried("two_pass/f32", spread_out(DType::bf16, 1024, 100));
    tell("f32 accumulation is enough", "in part",
         fmt::format(
             "Of f16 and bf16 x at kappa 100 two_pass in f32 is off by {} and {}: hardly more than the last "
             "rounding. Of f32 x at kappa "
             "1000 by {}; accumulated in f64 by {}. And it does not save E[x^2]-E[x]^2 (see bf16, above).",
             f16.in_words(), bf16.in_words(), f32.in_words(), f64.in_words()),
         "two_pass/f32", c, f32);
  }

  std::uint64_t seed_;
  OracleChoice oracle_;
  CaseShelf& shelf_;
  Json out_ = Json::array();
};

}  // namespace

nlohmann::ordered_json folklore_json(std::uint64_t seed, OracleChoice oracle, CaseShelf& shelf) {
  return Folklore(seed, oracle, shelf).all();
}

}  // namespace normcheck

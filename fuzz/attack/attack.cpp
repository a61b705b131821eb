// Seeds, then threshold accepting from the best of them, from elites, and a climb at the end.
//
// Threshold accepting (Dueck and Scheuer, 1990) is annealing without the random acceptance: a change is kept
// where it costs less than the threshold, which falls to 0. It needs no exponential, whose last bits differ
// from one machine to the next.
#include "fuzz/attack/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "corpus/error.h"
#include "fuzz/attack/constructions.h"
#include "fuzz/attack/exactly.h"
#include "props/gen.h"

namespace normcheck {
namespace {

constexpr std::size_t elite_size = 8;

/// Chooses moves by how often they were good for something lately.
class Moves {
 public:
  explicit Moves(const Freedom& freedom) {
    for (int m = 0; m < move_count; ++m)
      weights_[static_cast<std::size_t>(m)] = allows(freedom, static_cast<Move>(m)) ? 1 : 0;
  }
  Move draw(CounterRng& rng) const {
    double sum = 0;
    for (const double w : weights_) sum += w;
    double at = rng.uniform() * sum;
    for (int m = 0; m < move_count; ++m) {
      at -= weights_[static_cast<std::size_t>(m)];
      if (at < 0) return static_cast<Move>(m);
    }
    return Move::step;
  }
  void praise(Move move) {
    constexpr double most = 16, least = 0.25, decay = 0.98;
    for (double& w : weights_) w = w > 0 ? std::max(least, w * decay) : 0;
    double& w = weights_[static_cast<std::size_t>(move)];
    w = std::min(most, w + 1);
  }

 private:
  std::array<double, move_count> weights_{};
};

struct Elite {
  double value;
  Case problem;
  std::int64_t
      line;  ///< of descent: of one line the worst is kept, or the elite would be one row in variants
};

class Attack {
 public:
  Attack(const Row& row, const Contract& contract, const AttackPlan& plan,
         const std::function<void(const AttackRecord&)>& said)
      : row_(row),
        contract_(contract),
        plan_(plan),
        said_(said),
        scorer_(row, contract, plan.objective, plan.against, plan.limits),
        rng_(plan.seed, 0x61747461636bU),  // "attack"
        moves_(plan.freedom) {}

  AttackResult run() {
    try_seeds();
    if (result_.broken) return std::move(result_);
    if (elites_.empty())
      throw InputError(fmt::format("{}: no row of n {} in {} could be scored", row_.name, plan_.n,
                                   dtype_name(plan_.dtype)));
    // Half of the lines is left out, twice, and the others get more; the best of all gets the rest.
    for (const auto& [lines, share] :
         {std::pair(elite_size, 0.025), {elite_size / 2, 0.04}, {elite_size / 4, 0.06}}) {
      std::vector<Elite> left = elites_;
      left.resize(std::min(left.size(), lines), left.front());
      for (const Elite& e : left) {
        Elite at = e;
        if (lines == elite_size) at = sweep(e);
        anneal(at, share_of_budget(share));
      }
    }
    const std::int64_t climb_from = plan_.budget - share_of_budget(0.1);
    for (std::size_t k = 0; evaluations() < climb_from && !over(); ++k) {
      const Elite e = elites_[k % 3 < 2 ? 0 : rng_.below(elites_.size())];
      const std::int64_t length = std::min(share_of_budget(0.08), climb_from - evaluations());
      anneal(e, std::max<std::int64_t>(1, length));
    }
    const Elite best = elites_.front();
    search("climb", best, plan_.budget - evaluations(), 0);
    confirm("climb", elites_.front().problem, elites_.front().value, 0);
    return std::move(result_);
  }

 private:
  std::int64_t evaluations() const { return result_.evaluations; }
  bool over() const { return evaluations() >= plan_.budget || result_.broken; }
  std::int64_t share_of_budget(double share) const {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(share * static_cast<double>(plan_.budget)));
  }

  /// One row of n elements of the plan's dtype, whatever it was; nothing where it cannot be made one.
  std::optional<Case> fitted(const Case& c, std::int64_t row) const {
    const std::int64_t n = row_length(c);
    if (n == 0 || row >= row_count(c)) return std::nullopt;
    Case out;
    out.id = c.id;
    out.eps = plan_.freedom.eps && c.eps > 0 ? c.eps : plan_.eps;
    out.x = Tensor(plan_.dtype, {1, plan_.n});
    for (std::int64_t i = 0; i < plan_.n; ++i) {
      const double v = c.x.value(row * n + i % n);
      if (!std::isfinite(v) || std::fabs(v) > largest_finite(plan_.dtype)) return std::nullopt;
      out.x.set_value(i, v);
    }
    const auto parameter = [&](const std::optional<Tensor>& from, std::optional<Tensor>& to) {
      if (!from || !plan_.freedom.affine) return;
      to = Tensor(plan_.dtype, {plan_.n});
      for (std::int64_t i = 0; i < plan_.n; ++i) {
        const double v = from->value(i % n);
        if (!std::isfinite(v) || std::fabs(v) > largest_finite(plan_.dtype)) return to.reset();
        to->set_value(i, v);
      }
    };
    parameter(c.gamma, out.gamma);
    parameter(c.beta, out.beta);
    return out;
  }

  /// The regimes come first: what they come to by themselves is what the search is compared with.
  void try_seeds() {
    const auto most = share_of_budget(0.1);
    for (std::uint64_t index = 0; index < 64 && evaluations() < most && !over(); ++index) {
      for (const Regime& regime : regimes()) {
        if (evaluations() >= most || over()) break;
        GenRequest request{.dtype = plan_.dtype, .rows = 1, .n = plan_.n};
        request.eps = plan_.eps;
        request.fixed_eps = !plan_.freedom.eps;
        if (const auto seed = fitted(make_case(regime, request, plan_.seed, index), 0))
          consider("regimes", *seed);
      }
    }
    result_.sampled = evaluations();
    if (!elites_.empty()) result_.largest_sampled = std::max(0.0, elites_.front().value);
    if (plan_.n >= 4) {
      for (const Case& c : lost_terms(plan_.dtype, plan_.n, plan_.eps)) {
        if (!over()) consider("construct", c);
      }
    }
    for (const Case& c : plan_.seeds) {
      for (std::int64_t r = 0; r < std::min<std::int64_t>(4, row_count(c)) && !over(); ++r) {
        if (const auto seed = fitted(c, r)) consider("corpus", *seed);
      }
    }
  }

  double score(const Case& c, double floor = -1) {
    scorer_.score(c, scores_, floor);
    if (scorer_.broken() && !result_.broken) {
      result_.broken = c;
      result_.how = scorer_.broken();
    }
    double best = -1;
    for (const Score& s : scores_) {
      ++result_.evaluations;
      if (s.value < 0) ++result_.unscored;
      if (s.nonfinite) ++result_.nonfinite;
      best = std::max(best, s.value);
    }
    if (result_.nonfinite > 0 && !result_.first_nonfinite) keep_nonfinite(c);
    return best;
  }

  void keep_nonfinite(const Case& c) {
    const auto at = std::find_if(scores_.begin(), scores_.end(), [](const Score& s) { return s.nonfinite; });
    Case one = c;
    const std::size_t bytes = size_of(plan_.dtype) * static_cast<std::size_t>(plan_.n);
    one.x = Tensor(plan_.dtype, {1, plan_.n});
    const auto from = c.x.data.begin() + (at - scores_.begin()) * static_cast<std::ptrdiff_t>(bytes);
    std::copy(from, from + static_cast<std::ptrdiff_t>(bytes), one.x.data.begin());
    result_.first_nonfinite = std::move(one);
  }

  void consider(const char* method, const Case& c) {
    const double value = score(c);
    if (value >= 0) keep(method, c, value, lines_++);
  }

  void keep(const char* method, const Case& c, double value, std::int64_t line) {
    const auto same =
        std::find_if(elites_.begin(), elites_.end(), [&](const Elite& e) { return e.line == line; });
    if (same != elites_.end()) {
      if (value <= same->value) return;
      elites_.erase(same);
    }
    if (elites_.size() == elite_size && value <= elites_.back().value) return;
    const bool known = std::any_of(elites_.begin(), elites_.end(), [&](const Elite& e) {
      return e.value == value && e.problem.x == c.x && e.problem.eps == c.eps;
    });
    if (known) return;
    const auto at =
        std::find_if(elites_.begin(), elites_.end(), [&](const Elite& e) { return e.value < value; });
    elites_.insert(at, {value, c, line});
    if (elites_.size() > elite_size) elites_.pop_back();
    confirm(method, c, value, worth);
  }

  /// By the judge, with exact arithmetic, where it may be a record.
  void confirm(const char* method, const Case& c, double value, double by) {
    const double before = result_.records.empty() ? -1 : result_.records.back().value;
    if (!(value > before * (1 + by))) return;
    AttackRecord found = measured(row_, contract_, plan_, c);
    if (!(found.value > before)) return;
    found.evaluations = evaluations();
    found.method = method;
    result_.records.push_back(std::move(found));
    if (said_) said_(result_.records.back());
  }

  static constexpr int choices = 12;
  /// One of the numbers that element i may become.
  static std::uint64_t choice(const Tensor& x, std::int64_t i, int k) {
    const std::int64_t by = std::int64_t{1} << (2 * (k / 2));
    return bits_at(x.dtype, place_of(x.dtype, x.bits(i)) + (k % 2 == 0 ? by : -by));
  }

  /// Element i of `c` becomes the worst of its choices, all tried in one call; the value that comes of it.
  double worst_of(Case& c, std::int64_t i, double value) {
    Case batch = c;
    batch.x = Tensor(plan_.dtype, {choices, plan_.n});
    for (int k = 0; k < choices; ++k) {
      const auto at = static_cast<std::ptrdiff_t>(c.x.data.size()) * k;
      std::copy(c.x.data.begin(), c.x.data.end(), batch.x.data.begin() + at);
      batch.x.set_bits(k * plan_.n + i, choice(c.x, i, k));
    }
    score(batch, value);
    const auto worst = std::max_element(scores_.begin(), scores_.end(),
                                        [](const Score& a, const Score& b) { return a.value < b.value; });
    if (!(worst->value > value)) return value;
    c.x.set_bits(i, choice(c.x, i, static_cast<int>(worst - scores_.begin())));
    return worst->value;
  }

  /// Each element in turn, or as many as a part of the budget comes to, becomes the worst of a few numbers:
  /// what is chosen first is a given to the next.
  Elite sweep(const Elite& from) {
    const std::int64_t most = std::clamp<std::int64_t>(share_of_budget(0.03) / choices, 1, 4096);
    Case c = from.problem;
    double value = score(c);
    Case trial = c;
    const std::int64_t n = plan_.n, each = (n + most - 1) / most;
    for (std::int64_t i = 0; i < n && !over(); i += each) {
      if (plan_.rows_a_call > 1) {
        value = worst_of(c, i, value);
        continue;
      }
      for (int k = 0; k < choices && !over(); ++k) {
        trial.x.data = c.x.data;
        trial.x.set_bits(i, choice(c.x, i, k));
        if (const double v = score(trial, value); v > value) {
          value = v;
          std::swap(c.x.data, trial.x.data);
        }
      }
    }
    if (!(value > from.value)) return from;
    keep("sweep", c, value, from.line);
    return {value, std::move(c), from.line};
  }

  void anneal(const Elite& from, std::int64_t length) {
    search("anneal", from, length, rng_.coin() ? 0.03 : 0.1);
  }

  /// `length` evaluations from a row; the threshold falls from `threshold` times the value to 0.
  void search(const char* method, const Elite& from, std::int64_t length, double threshold) {
    Case current = from.problem;
    Case best = from.problem;
    double value = from.value, best_value = value;
    Case trial = from.problem;
    const std::int64_t start = evaluations(), end = std::min(plan_.budget, start + length);
    while (evaluations() < end && !result_.broken) {
      const double left = 1 - static_cast<double>(evaluations() - start) / static_cast<double>(length);
      const double allowed = threshold * best_value * left * left;
      Move move{};
      const double floor = value - allowed;
      const double v = plan_.rows_a_call > 1 ? try_batch(current, trial, move, floor)
                                             : try_one(current, trial, move, floor);
      if (!(v > floor) || v < 0) continue;
      if (v > value) moves_.praise(move);
      value = v;
      std::swap(current, trial);
      if (value > best_value) {
        best_value = value;
        best = current;
        if (best_value > elites_.front().value * (1 + worth)) keep(method, best, best_value, from.line);
      }
    }
    if (best_value > from.value) keep(method, best, best_value, from.line);
  }

  const Case& any_elite() { return elites_[rng_.below(elites_.size())].problem; }

  void change(Case& c, Move& move) {
    // One draw a statement: the order of arguments is the compiler's.
    move = moves_.draw(rng_);
    apply(move, c, any_elite(), rng_);
    while (rng_.coin(0.3)) {
      const Move another = moves_.draw(rng_);
      apply(another, c, any_elite(), rng_);
    }
  }

  double try_one(const Case& current, Case& trial, Move& move, double floor) {
    assign(trial, current);
    change(trial, move);
    return score(trial, floor);
  }

  /// Several changed rows in a call, under one gamma, beta and eps; `trial` becomes the worst of them.
  double try_batch(const Case& current, Case& trial, Move& move, double floor) {
    const std::int64_t rows = plan_.rows_a_call;
    assign(trial, current);
    if (rng_.coin(0.2)) change(trial, move);
    Case batch = trial;
    batch.x = Tensor(plan_.dtype, {rows, plan_.n});
    std::vector<Move> made;
    const std::size_t bytes = trial.x.data.size();
    Case one = trial;
    for (std::int64_t r = 0; r < rows; ++r) {
      one.x.data = trial.x.data;
      Move m{};
      do {
        m = moves_.draw(rng_);
      } while (m >= Move::eps);
      apply(m, one, any_elite(), rng_);
      made.push_back(m);
      std::copy(one.x.data.begin(), one.x.data.end(),
                batch.x.data.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(r) * bytes));
    }
    const double best = score(batch, floor);
    for (std::size_t r = 0; r < scores_.size(); ++r) {
      if (scores_[r].value < best || best < 0) continue;
      const auto at = batch.x.data.begin() + static_cast<std::ptrdiff_t>(r * bytes);
      std::copy(at, at + static_cast<std::ptrdiff_t>(bytes), trial.x.data.begin());
      move = made[r];
      break;
    }
    return best;
  }

  static void assign(Case& to, const Case& from) {
    to.x.data = from.x.data;
    to.gamma = from.gamma;
    to.beta = from.beta;
    to.eps = from.eps;
  }

  const Row& row_;
  const Contract& contract_;
  const AttackPlan& plan_;
  const std::function<void(const AttackRecord&)>& said_;
  Scorer scorer_;
  CounterRng rng_;
  Moves moves_;
  std::vector<Score> scores_;
  std::vector<Elite> elites_;  ///< worst first, one of each line of descent
  std::int64_t lines_ = 0;
  AttackResult result_;
};

}  // namespace

AttackRecord measured(const Row& row, const Contract& contract, const AttackPlan& plan, const Case& c) {
  const Observation observed = run_case(row, c);
  std::optional<Observation> other;
  if (plan.against != nullptr) other = run_case(*plan.against, c);
  const Judgement j = judge(c, observed, contract, OracleChoice::exact);
  const Exactly exactly = exactly_of(c, observed, other, contract);
  AttackRecord out;
  out.share = j.errors.max_share_of_bound;
  out.ulp = j.errors.max_ulp;
  out.normwise_u = exactly.normwise_u;
  out.error_abs = exactly.error_abs;
  out.allowed_abs = exactly.allowed_abs;
  out.kappa = j.kappa;
  out.verdict = j.verdict;
  out.value = plan.objective == Objective::share      ? out.share
              : plan.objective == Objective::ulp      ? out.ulp
              : plan.objective == Objective::normwise ? out.normwise_u
                                                      : exactly.distance_u;
  out.problem = c;
  return out;
}

AttackResult attack(const Row& row, const Contract& contract, const AttackPlan& plan,
                    const std::function<void(const AttackRecord&)>& said) {
  return Attack(row, contract, plan, said).run();
}

}  // namespace normcheck

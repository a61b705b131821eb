// Tries each hypothesis on the longest rows first, so that one row is the end of most.
#include "oracles/evidence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "impl/semantics.h"
#include "oracles/hypotheses.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr double witness_ulp = 16;
constexpr std::size_t least_rows = 8, least_lengths = 2;
constexpr int most_root_bits = 16, least_root_bits = 6, most_divisor_step = 16;
constexpr std::int64_t sampled = 256, compared = 32;
/// Of a reciprocal root, what `stable` grants (root_bound.h): where a contract claims more, a coarse root is
/// promised, and its coarseness is no mistake.
constexpr double granted_root_ulp = 2;

/// A row, its exact y, and what came out.
struct Loaded {
  HypothesisRow row;
  const Tensor* y;
  std::size_t index;  ///< among the witnesses handed in
  std::vector<double> got;
  Hypothesis::Statistics exact;
  Quad implied_rstd = 0;  ///< that y shows, with the exact mean

  Loaded(const Witness& w, std::size_t at) : row(*w.problem), y(w.y), index(at) {}
  double unit(Quad a, Quad b) const {
    return ulp(y->dtype, std::max(static_cast<double>(abs(a)), static_cast<double>(abs(b))));
  }
};

/// A formula, or what gives the statistics of one.
struct Candidate {
  std::string name;
  const Hypothesis* formula = nullptr;
  std::function<Hypothesis::Statistics(const Loaded&)> statistics;
  /// Of one that is fitted to the outputs: half a spacing further. Only a row whose y shows that can tell a
  /// number of the grid from one between. Empty: nothing is fitted.
  std::function<Hypothesis::Statistics(const Loaded&)> half_spacing_off;
};

/// Element k of an order that begins at both ends and then jumps about.
std::int64_t element_at(std::int64_t k, std::int64_t n) {
  if (k < 64) return k % 2 == 0 ? std::min(k / 2, n - 1) : std::max<std::int64_t>(0, n - 1 - k / 2);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(k) * 40503U % static_cast<std::uint64_t>(n));
}

/// v rounded to so many bits, and `spacings` of that grid added.
Quad rounded_to_bits(Quad v, int bits, double spacings = 0) {
  const double d = static_cast<double>(v);
  if (!std::isfinite(d) || d == 0) return v;
  const int e = std::ilogb(d) + 1 - bits;
  return static_cast<Quad>(std::ldexp(std::nearbyint(std::ldexp(d, -e)) + spacings, e));
}

/// The estimate of 1/sqrt(w) by halving the bits of w, with Newton steps.
Quad guessed_root(Quad w, int steps) {
  const auto v = static_cast<float>(w);
  float r = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(v) >> 1));
  for (int k = 0; k < steps; ++k) r = r * (1.5F - 0.5F * v * r * r);
  return r;
}

std::vector<Candidate> make_candidates() {
  std::vector<Candidate> out;
  for (const Hypothesis& h : hypotheses()) {
    if (!h.convention && !h.by_element && !h.whole) out.push_back({h.name, &h, {}, {}});
  }
  for (int j = -most_divisor_step; j <= most_divisor_step; ++j) {
    if (j >= -1 && j <= 1) continue;
    out.push_back({fmt::format("divisor n{:+}", j),
                   nullptr,
                   [j](const Loaded& l) {
                     const auto n = static_cast<Quad>(l.row.n);
                     const Quad v = l.row.exact.variance * n / (n + j);
                     return Hypothesis::Statistics{l.row.exact.mean, reciprocal_root_of(v + l.row.eps)};
                   },
                   {}});
  }
  for (int steps = 1; steps <= 2; ++steps) {
    out.push_back(
        {fmt::format("a reciprocal root guessed from the bits (0x5f3759df), {} Newton steps", steps),
         nullptr,
         [steps](const Loaded& l) {
           return Hypothesis::Statistics{l.row.exact.mean,
                                         guessed_root(l.row.exact.variance + l.row.eps, steps)};
         },
         {}});
  }
  for (int bits = least_root_bits; bits <= most_root_bits; ++bits) {
    const auto on_grid = [bits](const Loaded& l, double spacings) {
      return Hypothesis::Statistics{l.exact.mean, rounded_to_bits(l.implied_rstd, bits, spacings)};
    };
    out.push_back({fmt::format("a reciprocal root of {} bits", bits), nullptr,
                   [on_grid](const Loaded& l) { return on_grid(l, 0); },
                   [on_grid](const Loaded& l) { return on_grid(l, 0.5); }});
  }
  for (int bits = least_root_bits; bits <= most_root_bits; ++bits) {
    for (const int sign : {-1, 1}) {
      out.push_back(
          {fmt::format("a reciprocal root too {} by one part in 2^{}", sign < 0 ? "small" : "large", bits),
           nullptr,
           [bits, sign](const Loaded& l) {
             return Hypothesis::Statistics{
                 l.exact.mean, l.exact.rstd * (1 + sign * static_cast<Quad>(std::ldexp(1.0, -bits)))};
           },
           {}});
    }
  }
  return out;
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> all = make_candidates();
  return all;
}

/// What a candidate is on a row.
enum class Weight : std::uint8_t { no_witness, explained, refuted };

Weight weight_of(const Candidate& candidate, const Loaded& l) {
  static const Hypothesis plain;
  const Hypothesis& formula = candidate.formula != nullptr ? *candidate.formula : plain;
  if (formula.applies && !formula.applies(l.row)) return Weight::no_witness;
  const Hypothesis::Statistics s =
      candidate.statistics ? candidate.statistics(l) : formula.statistics(l.row, 0);
  const Hypothesis::Statistics next = candidate.half_spacing_off ? candidate.half_spacing_off(l) : s;
  const auto looked_at = [&](std::int64_t count) {
    std::int64_t far = 0, resolved = 0;
    bool all = true;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t i = count == l.row.n ? k : element_at(k, l.row.n);
      const Quad exact = plain.y(l.row, l.exact, i), y = formula.y(l.row, s, i);
      const double unit = l.unit(exact, y), got = l.got[static_cast<std::size_t>(i)];
      far += static_cast<double>(abs(y - exact)) >= witness_ulp * unit;
      all = all && static_cast<double>(abs(y - got)) <= unit;
      if (candidate.half_spacing_off)
        resolved += static_cast<double>(abs(formula.y(l.row, next, i) - y)) >= witness_ulp * unit;
    }
    if (2 * far < count) return Weight::no_witness;
    if (candidate.half_spacing_off && 2 * resolved < count) return Weight::no_witness;
    return all ? Weight::explained : Weight::refuted;
  };
  const Weight first = looked_at(std::min(sampled, l.row.n));
  return first == Weight::explained ? looked_at(l.row.n) : first;
}

double nth(std::vector<double>& values, double part) {
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// |got - exact| in ulp, of the elements that are sampled.
std::vector<double> distances(const Loaded& l) {
  static const Hypothesis plain;
  std::vector<double> out;
  for (std::int64_t k = 0; k < std::min(sampled, l.row.n); ++k) {
    const std::int64_t i = element_at(k, l.row.n);
    const Quad exact = plain.y(l.row, l.exact, i);
    const double got = l.got[static_cast<std::size_t>(i)];
    out.push_back(std::isfinite(got) ? static_cast<double>(abs(exact - got)) / l.unit(exact, exact)
                                     : std::numeric_limits<double>::infinity());
  }
  return out;
}

/// The case with its elements in another order: out[k] = in[order[k]].
Case reordered(const Case& c, const std::vector<std::int64_t>& order) {
  Case out = c;
  const auto move = [&](const Tensor& from, Tensor& to) {
    for (std::size_t k = 0; k < order.size(); ++k)
      to.set_bits(static_cast<std::int64_t>(k), from.bits(order[k]));
  };
  move(c.x, out.x);
  if (c.gamma) move(*c.gamma, *out.gamma);
  if (c.beta) move(*c.beta, *out.beta);
  return out;
}

/// As they lie, backwards, by lanes of some widths, from the middle.
std::vector<std::vector<std::int64_t>> orders(std::int64_t n) {
  std::vector<std::vector<std::int64_t>> out(2);
  for (std::int64_t i = 0; i < n; ++i) out[0].push_back(i);
  out[1].assign(out[0].rbegin(), out[0].rend());
  for (const std::int64_t lanes : {4, 32, 256}) {
    std::vector<std::int64_t>& order = out.emplace_back();
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      for (std::int64_t i = lane; i < n; i += lanes) order.push_back(i);
    }
  }
  out.push_back(out[0]);
  std::rotate(out.back().begin(), out.back().begin() + n / 2, out.back().end());
  return out;
}

/// How far y is from that of a right row that ran in this order: the largest distance of the elements that
/// are sampled, or, where that is within an ulp, of all; in ulp of the exact y.
double distance_from(const Tensor& right, const std::vector<std::int64_t>& order, const Loaded& l) {
  static const Hypothesis plain;
  double largest = 0;
  const auto look_at = [&](std::int64_t at) {
    const std::int64_t i = order[static_cast<std::size_t>(at)];
    const double apart = std::fabs(right.value(at) - l.got[static_cast<std::size_t>(i)]);
    const Quad exact = plain.y(l.row, l.exact, i);
    const double away = apart / l.unit(exact, exact);
    largest = std::isfinite(away) ? std::max(largest, away) : std::numeric_limits<double>::infinity();
  };
  const std::int64_t n = l.row.n;
  const std::int64_t spread = std::min(n, compared);  // from end to end
  for (std::int64_t k = 0; k < spread; ++k) look_at(k * (n - 1) / (spread - 1));
  for (std::int64_t i = 0; i < n && largest <= 1; ++i) look_at(i);
  return largest;
}

class Weighing {
 public:
  Weighing(std::span<const Witness> rows, const Contract& contract) : contract_(contract) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Loaded l(rows[k], k);
      if (row_count(*rows[k].problem) != 1 || l.row.n < 2 || !l.row.load(0)) continue;
      l.exact = Hypothesis().statistics(l.row, 0);
      l.got.resize(static_cast<std::size_t>(l.row.n));
      for (std::int64_t i = 0; i < l.row.n; ++i) l.got[static_cast<std::size_t>(i)] = l.y->value(i);
      std::vector<double> off = distances(l);
      medians_.push_back(nth(off, 0.5));
      loaded_.push_back(std::move(l));
    }
  }

  std::optional<Evidence> run() {
    // Where a hypothesis that is 16 ulp away explains y, the exact y is 15 away.
    const auto far = std::count_if(medians_.begin(), medians_.end(),
                                   [](double median) { return median >= witness_ulp - 1; });
    if (far < static_cast<std::ptrdiff_t>(least_rows)) return std::nullopt;
    std::vector<std::size_t> by_length(loaded_.size());
    std::iota(by_length.begin(), by_length.end(), 0);
    std::stable_sort(by_length.begin(), by_length.end(),
                     [&](std::size_t a, std::size_t b) { return loaded_[a].row.n > loaded_[b].row.n; });
    for (Loaded& l : loaded_) imply(l);
    std::optional<Evidence> best;
    for (const Candidate& candidate : candidates()) {
      if (!is_wrong_here(candidate)) continue;
      std::optional<Evidence> now = evidence_of(candidate, by_length);
      if (!now) continue;
      if (best && now->rows.size() <= best->rows.size()) {
        if (now->rows == best->rows) best->others.push_back(now->hypothesis);
        continue;
      }
      best = std::move(now);
    }
    if (best && !excluded(*best)) return best;
    return std::nullopt;
  }

 private:
  bool is_wrong_here(const Candidate& candidate) const {
    const bool coarse =
        contract_.claims && contract_.claims->rsqrt_ulp.value_or(granted_root_ulp) > granted_root_ulp;
    return !(coarse && candidate.name.starts_with("a reciprocal root"));
  }

  /// The rstd that fits y best, by least squares; in Quad, which is the same everywhere.
  void imply(Loaded& l) const {
    Quad ab = 0, aa = 0;
    for (std::int64_t i = 0; i < l.row.n; ++i) {
      const Quad a = (l.row.x[static_cast<std::size_t>(i)] - l.exact.mean) * l.row.gamma(i);
      ab += a * (static_cast<Quad>(l.got[static_cast<std::size_t>(i)]) - l.row.beta(i));
      aa += a * a;
    }
    l.implied_rstd = aa > 0 ? ab / aa : l.exact.rstd;
  }

  /// All witness rows of the longest lengths, as far as they are explained.
  std::optional<Evidence> evidence_of(const Candidate& candidate,
                                      const std::vector<std::size_t>& by_length) const {
    Evidence out;
    out.hypothesis = candidate.name;
    std::vector<std::size_t> of_length;  // explained, of the length at hand
    std::int64_t length = 0;
    const auto settle = [&] {
      out.rows.insert(out.rows.end(), of_length.begin(), of_length.end());
      if (!of_length.empty()) out.lengths.push_back(length), out.from_length = length;
      of_length.clear();
    };
    bool refuted = false;
    for (const std::size_t k : by_length) {
      if (loaded_[k].row.n != length) settle(), length = loaded_[k].row.n;
      const Weight weight = weight_of(candidate, loaded_[k]);
      if (weight == Weight::explained) of_length.push_back(k);
      if (weight == Weight::refuted) {
        refuted = true;
        break;
      }
    }
    if (!refuted) settle();
    if (!refuted) out.from_length = 0;
    if (out.rows.size() < least_rows || out.lengths.size() < least_lengths) return std::nullopt;
    out.least_off = std::numeric_limits<double>::infinity();
    for (const std::size_t k : out.rows) {
      out.elements += loaded_[k].row.n;
      out.least_off = std::min(out.least_off, medians_[k]);
      out.most_off = std::max(out.most_off, medians_[k]);
    }
    std::reverse(out.lengths.begin(), out.lengths.end());
    return out;
  }

  /// Whether a right row explains one of the rows, as it lies or in an order that the rows take in turn (a
  /// kernel of that order explains them all); the nearest is written down.
  bool excluded(Evidence& evidence) const {
    evidence.nearest_off = std::numeric_limits<double>::infinity();
    std::size_t turn = 0;
    for (const std::size_t k : evidence.rows) {
      const Loaded& l = loaded_[k];
      const auto all = orders(l.row.n);
      if (by_right_row(l, all.front(), true, evidence)) return true;
      if (by_right_row(l, all[1 + turn++ % (all.size() - 1)], false, evidence)) return true;
    }
    return false;
  }

  bool by_right_row(const Loaded& l, const std::vector<std::int64_t>& order, bool as_it_lies,
                    Evidence& evidence) const {
    const Case c = reordered(l.row.problem(), order);
    for (const Row& row : table()) {
      if (!is_right(row) || !offers(row, c.x.dtype) || (row.missing != nullptr && !row.missing().empty()))
        continue;
      // Of what is exact to more digits than can be seen here, one order is enough.
      if (!as_it_lies && unit_roundoff(row.accumulate) < 0x1p-24) continue;
      const Observation right = run_case(row, c);
      if (right.status != Status::ok) continue;
      const double away = distance_from(right.y, order, l);
      if (away < evidence.nearest_off) {
        evidence.nearest_off = away;
        evidence.nearest_right = row.name;
      }
      if (away <= 1) return true;
    }
    return false;
  }

 public:
  /// Back to the numbers of the caller.
  std::vector<std::size_t> indices(const std::vector<std::size_t>& rows) const {
    std::vector<std::size_t> out;
    for (const std::size_t k : rows) out.push_back(loaded_[k].index);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  const Contract& contract_;
  std::vector<Loaded> loaded_;
  std::vector<double> medians_;  ///< of |got - exact|, beside them
};

/// Claims under which a careful kernel of `stable` is not what is promised.
bool claims_less(const Contract& contract, DType storage) {
  if (contract.kind == ContractKind::own || !contract.claims) return false;
  const Claims& claims = *contract.claims;
  return claims.x_hat_storage ||
         (claims.accumulate && unit_roundoff(*claims.accumulate) > unit_roundoff(stable_accumulate(storage)));
}

}  // namespace

std::optional<Evidence> weigh_evidence(std::span<const Witness> rows, const Contract& contract) {
  if (rows.size() < least_rows || claims_less(contract, rows.front().problem->x.dtype)) return std::nullopt;
  Weighing weighing(rows, contract);
  std::optional<Evidence> out = weighing.run();
  if (out) out->rows = weighing.indices(out->rows);
  return out;
}

std::string evidence_text(const Evidence& e) {
  std::string out = fmt::format(
      "{} explains all {} elements of {} rows (n {}) within 1 ulp{}; the exact y is {:.3g} to {:.3g} ulp "
      "away, "
      "the nearest right row {:.3g} ({})",
      e.hypothesis, e.elements, e.rows.size(), fmt::join(e.lengths, ", "),
      e.from_length > 0 ? fmt::format(", from n = {} on", e.from_length) : "", e.least_off, e.most_off,
      e.nearest_off, e.nearest_right);
  for (std::size_t k = 0; k < std::min<std::size_t>(e.others.size(), 3); ++k)
    out += fmt::format("{} {}", k == 0 ? "; so does, on these data:" : ",", e.others[k]);
  return out;
}

}  // namespace normcheck

// How bad one output is: the objective that an attack climbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "impl/table.h"
#include "oracles/bound.h"
#include "oracles/condition.h"
#include "oracles/contract.h"

namespace normcheck {

/// share: the largest |error|/allowance under the contract. ulp: the largest |error| in ulp of y. normwise:
/// the largest |error| over u times the row's largest |gamma*x_hat|+|beta| (or the smallest normal number,
/// where that is larger). distance: the largest distance of two outputs, likewise.
enum class Objective : std::uint8_t { share, ulp, normwise, distance };
std::string_view objective_name(Objective objective);
std::optional<Objective> objective_named(std::string_view name);

/// Of one row. A negative value: nothing was judged (void, out of range, constant, of a wrong class, not
/// run).
struct Score {
  double value = -1;
  double normwise_u = 0;
  double kappa = 0;
  bool nonfinite = false;  ///< an element is NaN or infinite where a number is due
};

/// What a row may be, for its score to count.
struct ScoreLimits {
  /// Above 0: the variance is eps or more, so that y is of the size of gamma, and the condition number
  /// sqrt(E[x^2]/var) is at most so large, which may be infinite.
  double kappa = 0;
};

/// Runs an implementation on cases and scores their rows, by the filter: what it says is confirmed by the
/// judge before anybody sees it.
class Scorer {
 public:
  /// `against`: for the distance, the other implementation; else null. Both rows outlive this.
  Scorer(const Row& row, const Contract& contract, Objective objective, const Row* against = nullptr,
         ScoreLimits limits = {});

  /// One score a row of the case, which is valid and has one normalized dim, an x of one dtype and a gamma
  /// and beta of that dtype or none. Of a row that is not above `floor` it may be spared to ask whether it
  /// counts.
  void score(const Case& c, std::vector<Score>& out, double floor = -1);

  /// Where a kernel from outside crashed, hung, failed or did something beside its answer: how, on the case
  /// that was scored last.
  const std::optional<Observation>& broken() const { return broken_; }

 private:
  bool run(const Row& row, const Case& c, Tensor& y);
  Score score_row(const Case& c, std::int64_t row, double floor);
  double normwise(const Case& c, double rstd, Score& out);
  double share(const Case& c, const RowAllowance& allowance, double rstd);
  ElementFacts element(std::size_t i, double rstd) const;
  const Row& row_;
  const Contract& contract_;
  Objective objective_;
  const Row* against_;
  ScoreLimits limits_;
  std::optional<Observation> broken_;
  RowCondition condition_;
  std::size_t likely_ = 0;  ///< the element whose share was largest in the row before
  Tensor y_, other_;
  std::vector<double> x_, gamma_, beta_, columns_gamma_, columns_beta_;
  std::vector<double> reference_, error_, uncertainty_, other_error_, other_uncertainty_;
  std::vector<double> absolute_;  ///< the errors, not in ulp; 0 where they are not certified
};

}  // namespace normcheck

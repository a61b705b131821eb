// Measures each job at two condition numbers.
#include "reports/results/accuracy.h"

#include <algorithm>

#include "reports/in_order.h"
#include "reports/kappa_sweep.h"

namespace normcheck {

std::vector<AccuracyPoint> accuracy_points(std::span<const SweepJob> jobs, const SweepPlan& plan) {
  constexpr std::int64_t n = 1024, rows = 4;
  // What a kernel from outside did last may matter to what it does next.
  const bool outside =
      std::any_of(jobs.begin(), jobs.end(), [](const SweepJob& job) { return job.row->outside != nullptr; });
  std::vector<AccuracyPoint> out;
  in_order<std::vector<AccuracyPoint>>(
      jobs.size(),
      [&](std::size_t i) {
        const Row& row = *jobs[i].row;
        const DType dtype = jobs[i].dtype;
        const Contract contract =
            row.outside != nullptr ? held_to(plan, row) : Contract{ContractKind::own, &row};
        std::vector<AccuracyPoint> of;
        for (const double kappa : {1.0, 100.0}) {
          if (!kappa_reachable(dtype, n, kappa)) continue;
          const KappaPoint p =
              measure_point(row, kappa_case(dtype, n, rows, kappa, plan.seed), contract, plan.oracle);
          of.push_back({&row, dtype, n, kappa, contract_name(contract), p.error_ulp, p.bound_ulp, p.input});
        }
        return of;
      },
      [&](std::size_t, const std::vector<AccuracyPoint>& of) { out.insert(out.end(), of.begin(), of.end()); },
      outside ? 1 : most_threads());
  return out;
}

}  // namespace normcheck

// One claim that is too strong: the oracle and bound targets must see it.
#include "fuzz/claims.h"

namespace normcheck {
namespace {

enum class Planted { error, eps, bound };
constexpr Planted planted = Planted::NORMCHECK_PLANTED;

}  // namespace

/// One part in 2^12: the stated error leaves room of about that size for what is rarely met at once.
double claimed_error(double stated) { return planted == Planted::error ? stated * 0x1p-12 : stated; }

double eps_of_second(double eps) {
  return planted == Planted::eps ? static_cast<double>(static_cast<float>(eps)) : eps;
}

MomentBound claimed_bound(std::string_view who, const MomentBound& proven) {
  MomentBound out = proven;
  if (planted == Planted::bound && who == "any-merge-tree") {
    out.mean = out.mean * Upward(0.5);
    out.variance = out.variance * Upward(0.5);
  }
  return out;
}

}  // namespace normcheck

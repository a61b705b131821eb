// Evidence where a bound is blind: a wrong formula explains every row, and no right computation does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "oracles/contract.h"

namespace normcheck {

/// What came out of one row (a case of one row) that kept its contract.
struct Witness {
  const Case* problem = nullptr;
  const Tensor* y = nullptr;
};

/// A wrong hypothesis that explains what came out.
struct Evidence {
  std::string hypothesis;           ///< "divisor n-1 (unbiased variance)"
  std::vector<std::string> others;  ///< that explain the same rows as well
  std::vector<std::size_t> rows;    ///< the witness rows, of those handed in: all explained
  std::int64_t elements = 0;        ///< of those rows
  std::vector<std::int64_t> lengths;
  /// Shorter rows are not explained: then it is what the kernel does from this length on. 0: all are.
  std::int64_t from_length = 0;
  double least_off = 0, most_off = 0;  ///< of the rows, how far the exact y is: the median of |error|, ulp
  std::string nearest_right;           ///< the right row of the table that comes nearest,
  double nearest_off = 0;              ///< and the least of its largest errors in these rows, ulp
};

/// A judgement of evidence with a stated threshold, where FAIL is a proof: SUSPECT rests on it, and is a
/// finding all the same. A hypothesis is a formula without a free real parameter (hypotheses.h; a divisor
/// n+j, |j| from 2 to 16; a root guessed from the bits; one off by 1 part in 2^b, b from 6 to 16), or a
/// reciprocal root of b bits, which is the one that fits y best, row by row, rounded to b bits. A row is a
/// witness where the hypothesis and the exact y differ by 16 ulp or more on half of the elements, and, of a
/// root of b bits, where half a spacing at b bits moves y by as much: else the grid would be too fine for
/// the row, and explain any rstd. It is explained where every element is within 1 ulp. Evidence are at least
/// 8 witness rows of at least two lengths: all there are (from some length on), each explained, and none
/// explained by the exact y nor by a right row of the table in any of several orders.
/// Where the numbers come from: 1 ulp leaves a half for the last rounding and a half for the 3 or 4 before
/// it; 16 ulp put an rstd that has nothing to do with the hypothesis (all elements of a row share it, so a
/// row counts once) within 1 ulp of it in 1 row of 16 at most, and 8 rows by chance in 16^-8 = 2^-32, if rows
/// are independent; there are under 2^7 hypotheses. That is reckoned, not proved: rows of one kernel are
/// alike, and so the lengths are two and right rows are held beside. Nothing for a contract that claims less
/// exactness than `stable`; no root of b bits where it claims a coarser root than `stable` grants.
std::optional<Evidence> weigh_evidence(std::span<const Witness> rows, const Contract& contract);

/// "divisor n-1 explains all 1,048,576 elements of 16 rows (n 4096, 65536) within 1 ulp; ...".
std::string evidence_text(const Evidence& evidence);

}  // namespace normcheck

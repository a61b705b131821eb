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

/// A hypothesis is a formula without a free real parameter (hypotheses.h; a divisor n+j; a reciprocal root of
/// b <= 16 bits, or off by 1 part in 2^b). A row is a witness where it and the exact y differ by 16 ulp or
/// more on half of the elements; it is explained where every element is within 1 ulp. Evidence are at least
/// 8 witness rows of at least two lengths: all there are (from some length on), each explained, and none
/// explained by the exact y nor by a right row of the table in any of several orders. The numbers are a
/// threshold of evidence; they are no tolerance of a verdict. Nothing for a contract that claims less
/// exactness than `stable`.
std::optional<Evidence> weigh_evidence(std::span<const Witness> rows, const Contract& contract);

/// "divisor n-1 explains all 1,048,576 elements of 16 rows (n 4096, 65536) within 1 ulp; ...".
std::string evidence_text(const Evidence& evidence);

}  // namespace normcheck

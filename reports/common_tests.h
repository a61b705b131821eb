// What others test a layer norm with: their shapes, data and tolerances, to be run on our mistakes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"

namespace normcheck {

/// One problem of a test, and how it decides.
struct CommonCase {
  enum class Rule : std::uint8_t {
    close,           ///< |got - want| <= atol + rtol*|want| for every element, want correctly rounded
    moments,         ///< of y: | mean over rows of |mean| - shift | and | mean of var - scale^2 | within atol
    twice,           ///< largest error <= 2 * that of a plain f32 kernel in x's dtype + atol
    own_statistics,  ///< likewise, with want made of the mean and rstd that came beside y; these to 5e-5
    counted          ///< |error| <= (n+4) u (|gamma*x_hat| + |beta|) and half an ulp: of n, without kappa
  };
  Case problem;
  Rule rule = Rule::close;
  double rtol = 0, atol = 0;
  double scale = 1, shift = 0;    ///< of `moments`
  std::vector<double> want = {};  ///< y to more digits than a test looks at; filled by prepare()
  Tensor reference = {};          ///< of `twice`, likewise
};

struct CommonTest {
  std::string_view name;
  std::string_view what;                          ///< shapes, data and tolerances in words
  std::string_view source;                        ///< where they are published
  std::vector<CommonCase> (*cases)(DType dtype);  ///< none for a dtype that it does not test
  bool huge = false;                              ///< takes long: millions of elements a row
};

std::span<const CommonTest> common_tests();
/// Fills in what is the same for every implementation.
void prepare(CommonCase& test);

/// Whether the answer fails the test's case. An answer that is none (a crash, a refusal of a valid call)
/// does.
bool fails(const CommonCase& test, const Observation& observed);

}  // namespace normcheck

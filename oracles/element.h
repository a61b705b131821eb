// One element as the bounds see it: what its allowance depends on, and the allowance.
#pragma once

namespace normcheck {

/// What the allowance of one element depends on; upper bounds. An absent gamma is 1, an absent beta 0.
struct ElementFacts {
  double x_abs = 0;
  double deviation = 0;  ///< |x - mu|
  double x_hat_abs = 0;
  double gamma_abs = 1;
  double beta_abs = 0;
  double y_abs = 0;
};

/// An allowance in absolute terms; infinite: none. in_range: no intermediate of any form that the contract
/// allows can overflow on this element.
struct ElementAllowance {
  double y = 0;
  bool in_range = false;
};

}  // namespace normcheck

// The direct oracle in MPFR.
#include <boost/multiprecision/mpfr.hpp>

#include "oracles/bench/boost_two_pass.h"

namespace normcheck::bench {

void mpfr_float_100(Work& work) {
  boost_two_pass<boost::multiprecision::number<
      boost::multiprecision::mpfr_float_backend<100, boost::multiprecision::allocate_stack>,
      boost::multiprecision::et_off>>(work);
}

}  // namespace normcheck::bench

// Tells the fuzzing engine how near an execution came to a bound, so that it keeps what comes nearer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpus/dtype.h"

namespace normcheck {

/// What one row of the table at one dtype has of the engine's extra counters: a set of steps of the share
/// |error|/bound, eight an octave from 2^-8 up to 2, and one of octaves of kappa.
constexpr std::size_t share_steps = 72;
constexpr std::size_t kappa_steps = 40;
/// Sets there are; a set beyond is not fed back (fuzz/search_test.cpp sees to it that there is none).
constexpr std::size_t most_sets = 320;

/// The highest step that is set: floor(8*log2(share)) + 64, cut to the steps; nothing is set for -1, which is
/// what 0 and NaN have.
int share_step(double share);
/// floor(log2(kappa)), cut; the last for infinity.
int kappa_step(double kappa);

/// An execution of the row and dtype of `set` had this largest share and, where it had it, this kappa. Sets
/// the step of each and all below it, so that the engine sees more where more was reached. The names are for
/// the record.
void feed_back(std::size_t set, std::string_view row, DType dtype, double share, double kappa);

/// Lines "record ...", the largest shares of this process, at most `count`.
std::string records_text(std::size_t count);

}  // namespace normcheck

// The table of implementations: one row each, found by name, run on a case, with the bound of its moments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "corpus/row_facts.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/layer_norm_call.h"
#include "impl/observation.h"
#include "impl/outside.h"
#include "impl/variant.h"

namespace normcheck {

std::string_view finish_name(Finish finish);

struct RowTrace;  // impl/trace.h

/// One implementation. `name` is its name everywhere: algorithm/accumulate[/variant...][+build].
struct Row {
  std::string_view name;
  std::string_view algorithm;
  DType accumulate;
  Variant variant;
  std::string_view expect;          ///< "pass": right, must keep `stable`; else why it is expected to fail it
  std::span<const DType> storages;  ///< storage dtypes it offers
  void (*run)(const LayerNormCall& call);
  void (*trace)(const LayerNormCall& call, std::int64_t row, RowTrace& out);
  MomentBoundFunction moments;  ///< the proven bound of this row's own mean and variance
  bool reads_prefixes;          ///< that bound is a recursion over prefix facts (they cost time to fill)
  /// Where set: what it needs and this machine lacks, in words; empty if nothing. Then it offers nothing.
  std::string_view (*missing)() = nullptr;
  /// Where set: a kernel from outside, which is called in place of `run`. It has no trace and no moments.
  Outside* outside = nullptr;
};

/// The bounds of the moments that `stable` allows, each valid for any order and for multiplication by a
/// rounded 1/n: two_pass, and welford and chan over every merge tree.
std::span<const MomentBoundFunction> careful_forms();
/// All of them as one: the largest error of each kind.
MomentBound any_careful_form(const RowFacts& facts, const Working& format);

std::span<const Row> table();
/// nullptr if there is none.
const Row* find_row(std::string_view name);
bool offers(const Row& row, DType storage);
inline bool is_right(const Row& row) { return row.expect == "pass"; }

/// Runs a row on a case: refuses what semantics refuses (Status::invalid), answers unsupported for a
/// storage dtype it does not offer, and for f32 gamma or beta with a half accumulate type; else y, and
/// mean and rstd as asked.
Observation run_case(const Row& row, const Case& c, Wanted wanted = {});

}  // namespace normcheck

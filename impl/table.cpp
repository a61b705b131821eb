// The table of implementations, put together, and how a row is run on a case.
#include "impl/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "impl/layer_norm.h"
#include "impl/rows.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

constexpr std::array finishes = {std::string_view("direct"), std::string_view("folded"),
                                 std::string_view("half_folded")};

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const auto part : {one_pass_rows(), two_pass_rows(), summation_rows(), welford_rows(), merge_rows(),
                          extended_rows(), build_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace

std::string_view finish_name(Finish finish) { return finishes[static_cast<std::size_t>(finish)]; }

std::span<const Row> table() {
  static const std::vector<Row> rows = all_rows();
  return rows;
}

const Row* find_row(std::string_view name) {
  const std::span<const Row> rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

bool offers(const Row& row, DType storage) {
  if (row.missing != nullptr && !row.missing().empty()) return false;
  return std::find(row.storages.begin(), row.storages.end(), storage) != row.storages.end();
}

LayerNormCall call_on(const Case& c) {
  LayerNormCall call;
  call.storage = c.x.dtype;
  call.rows = row_count(c);
  call.n = row_length(c);
  call.eps = c.eps;
  call.x = c.x.data.data();
  if (c.gamma) {
    call.gamma = c.gamma->data.data();
    call.gamma_dtype = c.gamma->dtype;
  }
  if (c.beta) {
    call.beta = c.beta->data.data();
    call.beta_dtype = c.beta->dtype;
  }
  return call;
}

std::optional<Observation> declined(const Row& row, const Case& c) {
  const auto answer = [](Status status, std::string message) {
    Observation out;
    out.status = status;
    out.message = std::move(message);
    return out;
  };
  if (auto why = refusal(c)) return answer(Status::invalid, std::move(*why));
  if (row.missing != nullptr && !row.missing().empty()) {
    return answer(Status::unsupported, fmt::format("x is {}: {} needs {}, which this machine lacks",
                                                   dtype_name(c.x.dtype), row.name, row.missing()));
  }
  if (!offers(row, c.x.dtype)) {
    std::string offered;
    for (const DType d : row.storages) {
      offered += offered.empty() ? "" : ", ";
      offered += dtype_name(d);
    }
    return answer(Status::unsupported,
                  fmt::format("x is {}: {} takes {}", dtype_name(c.x.dtype), row.name, offered));
  }
  for (const auto* parameter : {&c.gamma, &c.beta}) {
    if (is_half(row.accumulate) && *parameter && (*parameter)->dtype == DType::f32) {
      return answer(Status::unsupported, fmt::format("{} is f32: {} computes in {}, which would round it",
                                                     parameter == &c.gamma ? "gamma" : "beta", row.name,
                                                     dtype_name(row.accumulate)));
    }
  }
  return std::nullopt;
}

Observation run_case(const Row& row, const Case& c, Wanted wanted) {
  if (row.outside != nullptr) {
    // A kernel from outside need not offer mean and rstd: its y is wanted all the same.
    Observation observed = row.outside->run(c, wanted);
    const bool statistics = wanted.mean || wanted.rstd;
    if (observed.status != Status::unsupported || !statistics) return observed;
    Observation again = row.outside->run(c, {});
    again.faults.insert(again.faults.begin(), observed.faults.begin(), observed.faults.end());
    return again;
  }
  if (auto answer = declined(row, c)) return std::move(*answer);
  Observation out;
  out.y = Tensor(c.x.dtype, c.x.shape);
  LayerNormCall call = call_on(c);
  call.y = out.y.data.data();
  if (call.n > 0) {
    const DType dtype = statistics_dtype(c.x.dtype);
    if (wanted.mean) call.mean = out.mean.emplace(dtype, statistics_shape(c)).data.data();
    if (wanted.rstd) call.rstd = out.rstd.emplace(dtype, statistics_shape(c)).data.data();
  }
  row.run(call);
  return out;
}

}  // namespace normcheck

// The list of mistakes; each is written out as a kernel would have it, apart from the hypotheses.
#include "props/formula_mistakes.h"

namespace normcheck {
namespace {

using Row = const FloatRow&;

float welford_squares(Row r, bool zero, int kind) {
  float mean = zero ? 0 : r.value(0), squares = 0;
  for (std::int64_t k = zero ? 0 : 1; k < r.n; ++k) {
    const float d = r.value(k) - mean;
    mean += d / static_cast<float>(k + 1);
    squares += kind == 2 ? (r.value(k) - mean) * (r.value(k) - mean) : d * d;
  }
  return squares;
}

float within_chunks(Row r, std::int64_t parts, bool lanes) {
  float squares = 0;
  const std::int64_t chunk = (r.n + parts - 1) / parts;
  for (std::int64_t p = 0; p < parts; ++p) {
    std::vector<float> part;
    for (std::int64_t i = 0; i < r.n; ++i) {
      if ((lanes ? i % parts : i / chunk) == p) part.push_back(r.value(i));
    }
    float sum = 0;
    for (const float v : part) sum += v;
    const float mean = sum / static_cast<float>(part.size());
    for (const float v : part) squares += (v - mean) * (v - mean);
  }
  return squares;
}

}  // namespace

std::vector<FormulaMistake> formula_mistakes() {
  std::vector<FormulaMistake> out;
  const auto add = [&](const char* name) -> FormulaMistake& {
    out.emplace_back();
    out.back().name = name;
    return out.back();
  };
  const auto y = [&](const char* name, std::function<float(Row, std::int64_t, float)> of,
                     int parameters = 3) {
    FormulaMistake& m = add(name);
    m.y = std::move(of);
    m.parameters = parameters;
  };
  const auto rstd = [&](const char* name, std::function<float(Row)> of) { add(name).rstd = std::move(of); };
  rstd("eps outside the root", [](Row r) { return 1 / (std::sqrt(r.var) + r.eps); });
  rstd("eps times n", [](Row r) { return 1 / std::sqrt(r.var + r.eps * static_cast<float>(r.n)); });
  rstd("eps times max(x)^2", [](Row r) {
    float most = 0;
    for (const float v : r.x) most = std::max(most, std::fabs(v));
    return 1 / std::sqrt(r.var + r.eps * most * most);
  });
  rstd("eps fixed at 0.001", [](Row r) { return 1 / std::sqrt(r.var + 1e-3F); });
  rstd("squared, not rooted", [](Row r) { return 1 / ((r.var + r.eps) * (r.var + r.eps)); });
  rstd("no root", [](Row r) { return 1 / (r.var + r.eps); });
  rstd("multiplied by the root", [](Row r) { return std::sqrt(r.var + r.eps); });
  rstd("not divided at all", [](Row) { return 1.0F; });
  rstd("eps added to the reciprocal root", [](Row r) { return 1 / std::sqrt(r.var) + r.eps; });
  rstd("the root of eps added", [](Row r) { return 1 / (std::sqrt(r.var) + std::sqrt(r.eps)); });
  rstd("the mean absolute deviation", [](Row r) {
    float sum = 0;
    for (const float v : r.x) sum += std::fabs(v - r.mean);
    return 1 / (sum / static_cast<float>(r.n) + r.eps);
  });
  rstd("the sum of squares in place of the variance",
       [](Row r) { return 1 / std::sqrt(r.var * static_cast<float>(r.n) + r.eps); });
  rstd("the variance divided by the number of rows", [](Row r) {
    return 1 / std::sqrt(r.var * static_cast<float>(r.n) / static_cast<float>(row_count(*r.problem)) + r.eps);
  });
  rstd("the variance divided by the width padded to",
       [](Row r) { return 1 / std::sqrt(r.var * static_cast<float>(r.n) / 64.0F + r.eps); });
  rstd("rstd rounded to bf16", [](Row r) { return r.narrow(1 / std::sqrt(r.var + r.eps), DType::bf16); });

  add("Welford's update with d*d (mean from 0)").squares = [](Row r) { return welford_squares(r, true, 0); };
  add("Welford's update with d*d (mean from the").squares = [](Row r) {
    return welford_squares(r, false, 0);
  };
  add("Welford's update with the square about the new").squares = [](Row r) {
    return welford_squares(r, true, 2);
  };
  add("the means of 4 lanes not told apart").squares = [](Row r) { return within_chunks(r, 4, true); };
  add("the means of 2 chunks not told apart").squares = [](Row r) { return within_chunks(r, 2, false); };

  y("x_hat with the other sign", [](Row r, std::int64_t i, float h) { return -h * r.g(i) + r.b(i); });
  y("y with the other sign", [](Row r, std::int64_t i, float h) { return -(h * r.g(i) + r.b(i)); });
  y("eps added to x_hat", [](Row r, std::int64_t i, float h) { return (h + r.eps) * r.g(i) + r.b(i); });
  y("y is x", [](Row r, std::int64_t i, float) { return r.value(i); });
  y("y is 0", [](Row, std::int64_t, float) { return 0.0F; });
  y("y is beta", [](Row r, std::int64_t i, float) { return r.b(i); });
  y("y of the row before",
    [](Row r, std::int64_t i, float) { return r.right_y(std::max<std::int64_t>(0, r.row - 1), i); });
  y("y times 2", [](Row r, std::int64_t i, float h) { return 2 * (h * r.g(i) + r.b(i)); });
  y("x_hat times 1/sqrt(n)",
    [](Row r, std::int64_t i, float h) { return h / std::sqrt(static_cast<float>(r.n)) * r.g(i) + r.b(i); });
  y("gamma applied twice", [](Row r, std::int64_t i, float h) { return h * r.g(i) * r.g(i) + r.b(i); });
  y("beta added twice", [](Row r, std::int64_t i, float h) { return h * r.g(i) + r.b(i) + r.b(i); });
  y("gamma and beta exchanged", [](Row r, std::int64_t i, float h) { return h * r.b(i) + r.g(i); });
  y("gamma and beta in reversed order",
    [](Row r, std::int64_t i, float h) { return h * r.g(r.n - 1 - i) + r.b(r.n - 1 - i); });
  y(
      "gamma taken as 0 where", [](Row r, std::int64_t i, float) { return r.b(i); }, 2);
  y(
      "beta taken as 1 where", [](Row r, std::int64_t i, float h) { return h * r.g(i) + 1; }, 1);
  y(
      "gamma taken for the beta", [](Row r, std::int64_t i, float h) { return h * r.g(i) + r.g(i); }, 1);
  y("the last element of y left at 0",
    [](Row r, std::int64_t i, float h) { return i + 1 < r.n ? h * r.g(i) + r.b(i) : 0; });
  y("the tail behind a multiple of 8 of y left at 0",
    [](Row r, std::int64_t i, float h) { return i < r.n / 8 * 8 ? h * r.g(i) + r.b(i) : 0; });
  y("the tail behind a multiple of 8 of y left as x",
    [](Row r, std::int64_t i, float h) { return i < r.n / 8 * 8 ? h * r.g(i) + r.b(i) : r.value(i); });
  y("the tail behind a multiple of 8 of y left at the row before's", [](Row r, std::int64_t i, float h) {
    return i < r.n / 8 * 8 ? h * r.g(i) + r.b(i) : r.right_y(std::max<std::int64_t>(0, r.row - 1), i);
  });
  y("the tail behind a multiple of 8 of y without gamma",
    [](Row r, std::int64_t i, float h) { return i < r.n / 8 * 8 ? h * r.g(i) + r.b(i) : h; });

  // Roundings: in a type with more digits than y's they do not show.
  y("y rounded to bf16 on the way",
    [](Row r, std::int64_t i, float h) { return r.narrow(h * r.g(i) + r.b(i), DType::bf16); });
  y("y rounded to f16 on the way",
    [](Row r, std::int64_t i, float h) { return r.narrow(h * r.g(i) + r.b(i), DType::f16); });
  out.back().halves = false;
  y("x_hat rounded to bf16 before gamma",
    [](Row r, std::int64_t i, float h) { return r.narrow(h, DType::bf16) * r.g(i) + r.b(i); });
  y("x less the mean rounded to bf16", [](Row r, std::int64_t i, float) {
    return r.narrow(r.value(i) - r.mean, DType::bf16) / std::sqrt(r.var + r.eps) * r.g(i) + r.b(i);
  });
  y("gamma and beta rounded to bf16", [](Row r, std::int64_t i, float h) {
    return h * r.narrow(r.g(i), DType::bf16) + r.narrow(r.b(i), DType::bf16);
  });
  FormulaMistake& cut = add("y rounded toward zero (truncated)");
  cut.store = truncated;
  cut.singles = false;  // a float has no more digits to lose
  return out;
}

}  // namespace normcheck

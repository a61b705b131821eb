// Formulas about y as it is written, its roundings, and how moments are put together.
#include "oracles/hypotheses_more.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/dtype.h"

namespace normcheck {
namespace {

using Row = const HypothesisRow&;
using Affine = std::function<Quad(Row, std::int64_t, Quad)>;
using Applies = std::function<bool(Row)>;

void add(std::vector<Hypothesis>& out, std::string name, Affine affine, Applies applies = {},
         bool convention = false) {
  Hypothesis h;
  h.name = std::move(name);
  h.affine = std::move(affine);
  h.applies = std::move(applies);
  h.convention = convention;
  out.push_back(std::move(h));
}

Quad right_y(Row r, std::int64_t i, Quad x_hat) { return x_hat * r.gamma(i) + r.beta(i); }

double x_at(Row r, std::int64_t row, std::int64_t i) { return r.problem().x.value(row * r.n + i); }

/// The right y of another row.
Quad y_of_row(Row r, std::int64_t row, std::int64_t i) {
  const Moments2& m = r.of_slice(row * r.n, r.n, 1);
  return right_y(r, i, (x_at(r, row, i) - m.mean) * reciprocal_root_of(m.variance + r.eps));
}

Quad nearest(DType dtype, Quad v) { return to_double(dtype, round_to(dtype, static_cast<double>(v))); }

/// The number of the dtype next to v on one side: side 0 towards zero, -1 below, 1 above.
Quad beside(DType dtype, Quad v, int side) {
  const Quad near = nearest(dtype, v);
  if (!(near - near == 0) || near == v) return near;
  const bool down = side < 0 || (side == 0 && v > 0);
  if (down ? near < v : near > v) return near;
  std::uint64_t bits = round_to(dtype, static_cast<double>(near));
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(dtype) - 1);
  if (near == 0) return to_double(dtype, down ? sign | 1 : 1);
  bits += (near > 0) == down ? std::uint64_t(-1) : 1;
  return to_double(dtype, bits);
}

/// Mean and variance as they come of another sum of squares.
template <class Squares>
void add_squares(std::vector<Hypothesis>& out, std::string name, const Squares& squares,
                 Applies applies = {}) {
  Hypothesis h;
  h.name = std::move(name);
  h.moments = [squares](Row r, std::int64_t) {
    return Moments2{r.exact.mean, squares(r) / static_cast<Quad>(r.n)};
  };
  h.applies = std::move(applies);
  out.push_back(std::move(h));
}

/// The sum of squares within lanes (i mod parts) or within chunks of equal size, without what parts their
/// means.
Quad within_parts(Row r, std::int64_t parts, bool lanes) {
  const std::int64_t chunk = (r.n + parts - 1) / parts;
  Quad squares = 0;
  for (std::int64_t p = 0; p < parts; ++p) {
    const std::int64_t first = lanes ? p : p * chunk;
    const std::int64_t count = lanes ? (r.n - p + parts - 1) / parts : std::min(chunk, r.n - first);
    if (count <= 0) continue;
    squares += static_cast<Quad>(count) * r.of_slice(r.row * r.n + first, count, lanes ? parts : 1).variance;
  }
  return squares;
}

}  // namespace

void add_output_hypotheses(std::vector<Hypothesis>& out) {
  const auto scaled = [](Row r) { return r.has_gamma(); };
  const auto shifted = [](Row r) { return r.has_beta(); };
  const auto several = [](Row r) { return r.rows > 1; };
  add_read_hypotheses(out);
  add(out, "x_hat with the other sign (mean - x)",
      [](Row r, std::int64_t i, Quad h) { return right_y(r, i, -h); });
  add(
      out, "y with the other sign", [](Row r, std::int64_t i, Quad h) { return -right_y(r, i, h); }, shifted);
  add(out, "eps added to x_hat", [](Row r, std::int64_t i, Quad h) { return right_y(r, i, h + r.eps); });
  add(out, "y is x", [](Row r, std::int64_t i, Quad) -> Quad { return r.x[static_cast<std::size_t>(i)]; });
  add(out, "y is 0", [](Row, std::int64_t, Quad) -> Quad { return 0; });
  add(
      out, "y is beta: x_hat is 0", [](Row r, std::int64_t i, Quad) -> Quad { return r.beta(i); },
      [](Row r) { return r.has_gamma() && r.has_beta(); });
  add(
      out, "y of the row before",
      [](Row r, std::int64_t i, Quad) { return y_of_row(r, std::max<std::int64_t>(0, r.row - 1), i); },
      several);
  add(
      out, "y of the first row", [](Row r, std::int64_t i, Quad) { return y_of_row(r, 0, i); }, several);
  add(
      out, "y of the row behind",
      [](Row r, std::int64_t i, Quad) { return y_of_row(r, std::min(r.rows - 1, r.row + 1), i); }, several);
  const auto factor = [&](std::string name, std::function<Quad(Row)> of) {
    add(out, "x_hat times " + name, [of](Row r, std::int64_t i, Quad h) { return right_y(r, i, h * of(r)); });
    add(
        out, "y times " + name, [of](Row r, std::int64_t i, Quad h) { return of(r) * right_y(r, i, h); },
        shifted);
  };
  factor("2", [](Row) -> Quad { return 2; });
  factor("1/2", [](Row) -> Quad { return 0.5; });
  factor("n", [](Row r) { return static_cast<Quad>(r.n); });
  factor("1/n", [](Row r) { return 1 / static_cast<Quad>(r.n); });
  factor("sqrt(n)", [](Row r) { return 1 / reciprocal_root_of(static_cast<Quad>(r.n)); });
  factor("1/sqrt(n)", [](Row r) { return reciprocal_root_of(static_cast<Quad>(r.n)); });
  add(
      out, "gamma applied twice", [](Row r, std::int64_t i, Quad h) { return right_y(r, i, h * r.gamma(i)); },
      scaled);
  add(
      out, "beta added twice", [](Row r, std::int64_t i, Quad h) { return right_y(r, i, h) + r.beta(i); },
      shifted);
  add(
      out, "gamma taken as 0 where there is none",
      [](Row r, std::int64_t i, Quad) -> Quad { return r.beta(i); }, [](Row r) { return !r.has_gamma(); });
  add(
      out, "beta taken as 1 where there is none",
      [](Row r, std::int64_t i, Quad h) { return right_y(r, i, h) + 1; },
      [](Row r) { return !r.has_beta(); });
  add(
      out, "gamma taken for the beta that is not there",
      [](Row r, std::int64_t i, Quad h) { return h * r.gamma(i) + r.gamma(i); },
      [](Row r) { return r.has_gamma() && !r.has_beta(); });
  add(
      out, "beta taken for the gamma that is not there",
      [](Row r, std::int64_t i, Quad h) { return h * r.beta(i) + r.beta(i); },
      [](Row r) { return r.has_beta() && !r.has_gamma(); });
  add(
      out, "gamma left out where there is no beta", [](Row, std::int64_t, Quad h) { return h; },
      [](Row r) { return r.has_gamma() && !r.has_beta(); });
  add(
      out, "beta left out where there is no gamma", [](Row, std::int64_t, Quad h) { return h; },
      [](Row r) { return r.has_beta() && !r.has_gamma(); });

  Hypothesis twice;
  twice.name = "the layer norm applied twice";
  twice.whole = [](Row r) {
    std::vector<Quad> once;
    const Quad rstd = reciprocal_root_of(r.exact.variance + r.eps);
    for (std::int64_t i = 0; i < r.n; ++i)
      once.push_back(right_y(r, i, (r.x[static_cast<std::size_t>(i)] - r.exact.mean) * rstd));
    const auto n = static_cast<Quad>(r.n);
    Quad mean = 0, variance = 0;
    for (const Quad v : once) mean += v / n;
    for (const Quad v : once) variance += (v - mean) * (v - mean) / n;
    const Quad root = reciprocal_root_of(variance + r.eps);
    for (std::int64_t i = 0; i < r.n; ++i) {
      Quad& v = once[static_cast<std::size_t>(i)];
      v = right_y(r, i, (v - mean) * root);
    }
    return once;
  };
  out.push_back(std::move(twice));

  // A tail that is not written, or not as the rest is.
  const auto tail = [&](std::string where, std::function<std::int64_t(Row)> kept) {
    const auto has = [kept](Row r) { return kept(r) > 0 && kept(r) < r.n; };
    const auto instead = [&](std::string what, Affine there) {
      add(
          out, fmt::format("{} of y {}", where, what),
          [kept, there](Row r, std::int64_t i, Quad h) {
            return i < kept(r) ? right_y(r, i, h) : there(r, i, h);
          },
          has);
    };
    instead("left at 0", [](Row, std::int64_t, Quad) -> Quad { return 0; });
    instead("left as x",
            [](Row r, std::int64_t i, Quad) -> Quad { return r.x[static_cast<std::size_t>(i)]; });
    instead("without gamma and beta", [](Row, std::int64_t, Quad h) { return h; });
    instead("left at the row before's",
            [](Row r, std::int64_t i, Quad) { return y_of_row(r, std::max<std::int64_t>(0, r.row - 1), i); });
  };
  tail("the last element", [](Row r) { return r.n - 1; });
  for (const std::int64_t width : {2, 4, 8, 16, 32}) {
    // Rows that are stored from the last to the first, in whole vectors: each runs into the one behind it.
    const auto over = [width](Row r) { return (width - r.n % width) % width; };
    add(
        out, fmt::format("the first elements overwritten by vectors of {} of the row before", width),
        [over](Row r, std::int64_t i, Quad h) -> Quad {
          return r.row > 0 && i < over(r) ? Quad(0) : right_y(r, i, h);
        },
        [over](Row r) { return r.row > 0 && over(r) > 0; });
  }
  for (const std::int64_t width : {4, 8, 16, 32, 64, 128}) {
    tail(fmt::format("the tail behind a multiple of {}", width),
         [width](Row r) { return r.n / width * width; });
  }
}

void add_rounding_hypotheses(std::vector<Hypothesis>& out) {
  const auto finished = [](Row r, Quad y) { return nearest(r.problem().x.dtype, y); };
  for (const auto& [side, name] :
       {std::pair(0, "toward zero (truncated)"), std::pair(-1, "down"), std::pair(1, "up")}) {
    add(out, fmt::format("y rounded {}", name), [side = side](Row r, std::int64_t i, Quad h) {
      return beside(r.problem().x.dtype, right_y(r, i, h), side);
    });
  }
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const auto coarser = [dtype](Row r) {
      return format_of(dtype).precision < format_of(r.problem().x.dtype).precision;
    };
    const auto no_finer = [dtype](Row r) {
      return format_of(dtype).precision <= format_of(r.problem().x.dtype).precision &&
             (r.has_gamma() || r.has_beta());
    };
    const std::string_view name = dtype_name(dtype);
    add(
        out, fmt::format("y rounded to {} on the way", name),
        [dtype](Row r, std::int64_t i, Quad h) { return nearest(dtype, right_y(r, i, h)); }, coarser);
    // For halves in their own type this is in use, and a claim of its own.
    add(
        out, fmt::format("x_hat rounded to {} before gamma", name),
        [dtype, finished](Row r, std::int64_t i, Quad h) {
          return finished(r, right_y(r, i, nearest(dtype, h)));
        },
        coarser);
    add(
        out, fmt::format("x_hat, its product with gamma, and y rounded to {}", name),
        [dtype](Row r, std::int64_t i, Quad h) {
          return nearest(dtype, nearest(dtype, nearest(dtype, h) * r.gamma(i)) + r.beta(i));
        },
        no_finer);
    add(
        out, fmt::format("gamma and beta rounded to {}", name),
        [dtype](Row r, std::int64_t i, Quad h) {
          return h * nearest(dtype, r.gamma(i)) + nearest(dtype, r.beta(i));
        },
        no_finer);
    add(
        out, fmt::format("gamma formed as 1 + w in {}", name),
        [dtype](Row r, std::int64_t i, Quad h) {
          return h * nearest(dtype, 1 + nearest(dtype, static_cast<Quad>(r.gamma(i)) - 1)) + r.beta(i);
        },
        no_finer);
    Hypothesis h;
    h.name = fmt::format("x less the mean rounded to {}", name);
    h.applies = coarser;
    h.affine = [dtype, finished](Row r, std::int64_t i, Quad) {
      const Quad centred = nearest(dtype, r.x[static_cast<std::size_t>(i)] - r.exact.mean);
      return finished(r, right_y(r, i, centred * reciprocal_root_of(r.exact.variance + r.eps)));
    };
    out.push_back(std::move(h));
  }
}

void add_moment_hypotheses(std::vector<Hypothesis>& out) {
  const auto welford = [](int kind) {
    return [kind](Row r) {
      Quad sum = 0, squares = 0;
      for (std::int64_t k = 0; k < r.n; ++k) {
        const double x = r.x[static_cast<std::size_t>(k)];
        const Quad before = k > 0 ? sum / static_cast<Quad>(k) : Quad(0);
        sum += x;
        const Quad behind = sum / static_cast<Quad>(k + 1);
        if (kind == 0 || (kind == 1 && k > 0)) squares += (x - before) * (x - before);
        if (kind == 2) squares += (x - behind) * (x - behind);
      }
      return squares;
    };
  };
  const auto longer = [](Row r) { return r.n > 1; };
  add_squares(out, "Welford's update with d*d (mean from 0)", welford(0), longer);
  add_squares(out, "Welford's update with d*d (mean from the first element)", welford(1), longer);
  add_squares(out, "Welford's update with the square about the new mean", welford(2), longer);
  for (const std::int64_t parts : {2, 4, 8, 16, 32, 64, 128, 256}) {
    const auto enough = [parts](Row r) { return r.n >= 2 * parts; };
    add_squares(
        out, fmt::format("the means of {} lanes not told apart in the variance", parts),
        [parts](Row r) { return within_parts(r, parts, true); }, enough);
    add_squares(
        out, fmt::format("the means of {} chunks not told apart in the variance", parts),
        [parts](Row r) { return within_parts(r, parts, false); }, enough);
  }
  add_chunk_hypotheses(out);
  Hypothesis h;
  h.name = "the mean absolute deviation in place of the root mean square";
  h.root = [](Row r, Quad) {
    Quad sum = 0;
    for (const double x : r.x) sum += abs(x - r.exact.mean);
    return 1 / (sum / static_cast<Quad>(r.n) + r.eps);
  };
  out.push_back(h);
  const auto root = [&](std::string name, std::function<Quad(Row, Quad)> of, Applies applies = {}) {
    Hypothesis next;
    next.name = std::move(name);
    next.root = std::move(of);
    next.applies = std::move(applies);
    out.push_back(std::move(next));
  };
  root("squared, not rooted: divided by (var + eps)^2",
       [](Row r, Quad v) { return 1 / ((v + r.eps) * (v + r.eps)); });
  root("multiplied by var + eps", [](Row r, Quad v) { return v + r.eps; });
  root("not divided at all: x - mean", [](Row, Quad) -> Quad { return 1; });
  root("eps added to the reciprocal root", [](Row r, Quad v) { return reciprocal_root_of(v) + r.eps; });
  root("the root of eps added: sqrt(var) + sqrt(eps)", [](Row r, Quad v) {
    return 1 / (1 / reciprocal_root_of(v) + 1 / reciprocal_root_of(static_cast<Quad>(r.eps)));
  });
  root("eps added inside and outside the root",
       [](Row r, Quad v) { return 1 / (1 / reciprocal_root_of(v + r.eps) + r.eps); });
  root("eps subtracted", [](Row r, Quad v) { return reciprocal_root_of(v - r.eps); });
  root(
      "the sum of squares in place of the variance",
      [](Row r, Quad v) { return reciprocal_root_of(v * static_cast<Quad>(r.n) + r.eps); },
      [](Row r) { return r.n > 1; });
  root(
      "the variance divided by the number of rows",
      [](Row r, Quad v) {
        return reciprocal_root_of(v * static_cast<Quad>(r.n) / static_cast<Quad>(r.rows) + r.eps);
      },
      [](Row r) { return r.n != r.rows; });
  root(
      "the variance divided by the last extent",
      [](Row r, Quad v) {
        return reciprocal_root_of(v * static_cast<Quad>(r.n) / static_cast<Quad>(r.last_extent()) + r.eps);
      },
      [](Row r) { return r.last_extent() > 0 && r.last_extent() != r.n; });
  root("the variance divided by the next power of two", [](Row r, Quad v) {
    std::int64_t width = 1;
    while (width < r.n) width *= 2;
    return reciprocal_root_of(v * static_cast<Quad>(r.n) / static_cast<Quad>(width) + r.eps);
  });
}

}  // namespace normcheck

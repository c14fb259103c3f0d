// Tables in fragment order: register e = 2 j + h of a tile holds row lane/4 + 8 h, columns 8 j + 2 (lane%4) and + 1.
#include "tiled_tables.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>

#include "dft_scale.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/templates/half.hpp"
#include "tile_words.hpp"
#include "tiled_shape.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

using Complex = std::complex<double>;

// exp(-2 pi i k1 n / R) for the columns n of a lane, R the product of the outer digits.
void append_column_vector(std::vector<std::uint32_t>& words, const InBlockPlan& plan, int k1) {
  for (int quad = 0; quad < 4; ++quad) {
    const Complex low = unit_root(static_cast<std::int64_t>(k1) * (2 * quad), plan.rows());
    const Complex high = unit_root(static_cast<std::int64_t>(k1) * (2 * quad + 1), plan.rows());
    words.insert(words.end(), {pack_halves(low.real(), high.real()), pack_halves(low.imag(), high.imag()), 0, 0});
  }
}

// Frequency k, or k + 1/4, in those parts of one that the plan counts in.
std::int64_t parts_of(const InBlockPlan& plan, int k) {
  return plan.right_angle() ? plan.frequency_parts() * k + 1 : k;
}

// The column matrix with the twiddle exp(-2 pi i a k / R) of its frequencies k, as B operand: to k and, for the
// conjugate way back, from k. With the matrix's frequencies k + 1/4 the twiddle's are.
template <class Element>
void append_column_matrices(std::vector<std::uint32_t>& words, const InBlockPlan& plan, const Element& matrix, int a) {
  const UnitRoots roots(plan.frequency_parts() * plan.rows());
  const auto twiddle = [&](int k) { return roots[static_cast<std::int64_t>(a) * parts_of(plan, k)]; };
  const auto forward = [&](int k, int n) { return finite_product(matrix(k, n), twiddle(k)); };
  const std::size_t begin = words.size();
  if (half_columns(plan))
    append_half_matrix(words, forward);
  else
    append_tile(words, forward, {0, 2, 1, 3});
  if (plan.wide_columns) put_blocks_first(words, begin);
  append_tile(words, [&](int n, int k) { return finite_product(matrix(k, n), twiddle(k)); }, {0, 2, 1, 3});
}

// The matrices of a real row's frequencies 0 and radix / 2 of the butterfly, real_row_columns.cuh, and back: real parts
// and then imaginary ones of the 8 frequencies of either. Rows 0 and rows / 2 come back halved, for every other row
// stands for its mirror, too. Of an even radix the second one shares the column of the first. Without a butterfly
// there is frequency 0 alone.
template <class Element>
void append_end_matrices(std::vector<std::uint32_t>& words, const InBlockPlan& plan, const Element& matrix) {
  const UnitRoots roots(plan.rows());
  const int radix = plan.outer_tile, kept = (radix + 1) / 2;
  const bool shares = radix % 2 == 0;
  const auto of_end = [&](bool half, int k, int n) {
    if (k >= kept || n >= radix || (half && !has_butterfly(plan))) return Complex(0);
    const Complex element = matrix(k, n);
    if (half) return finite_product(element, roots[static_cast<std::int64_t>(plan.outer_butterfly / 2) * n]);
    return k == 0 && shares ? Complex(element.real(), matrix(kept, n).real()) : element;
  };
  const auto back = [&](bool half, int k, int n) {
    const bool last = half && !shares && k == kept - 1;
    const Complex element = of_end(half, k, n);
    return last ? Complex(0.5 * element.real()) : (half || k > 0 ? 1 : 0.5) * element;
  };
  append_tile(words, [&](int k, int n) { return of_end(k >= 8, k % 8, n); }, {0, 2, 1, 3});
  for (const bool half : {false, true})
    for (int lane = 0; lane < 32; ++lane)
      for (const int j : {0, 8}) {
        const int k = 2 * (lane % 4), n = lane / 4 + j;
        const Complex low = back(half, k, n), high = back(half, k + 1, n);
        words.insert(words.end(), {pack_halves(low.real(), high.real()), pack_halves(low.imag(), high.imag())});
      }
}

// Of a frequency between them, with the twiddle of the samples that it contracts.
template <class Element>
void append_between_matrices(std::vector<std::uint32_t>& words, const InBlockPlan& plan, const Element& matrix, int q) {
  const UnitRoots roots(plan.rows());
  const auto element = [&](int k, int n) {
    return finite_product(matrix(k, n), roots[static_cast<std::int64_t>(q) * n]);
  };
  append_tile(words, element, {0, 2, 1, 3});
  append_tile(words, [&](int n, int k) { return element(k, n); }, {0, 2, 1, 3});
}

// Element(row, column) of the kept values of the second last digit, as its A operand there (real above imaginary parts)
// and its B operand back; then the inner twiddle as half tiles [kept][n3] and [n3][kept].
template <class Element>
void append_kept_inner(std::vector<std::uint32_t>& words, const std::vector<int>& kept, const Element& element) {
  const auto value = [&](int place) { return kept[static_cast<std::size_t>(place)]; };
  for (int lane = 0; lane < 32; ++lane)
    for (const int half : {0, 8}) {
      const int row = value(lane / 4), column = half + 2 * (lane % 4);
      const Complex low = element(row, column), high = element(row, column + 1);
      words.insert(words.end(), {pack_halves(low.real(), high.real()), pack_halves(low.imag(), high.imag())});
    }
  append_half_matrix(words, [&](int row, int column) { return std::conj(element(row, value(column))); });
  for (const bool back : {false, true})
    for (int lane = 0; lane < 32; ++lane)
      for (const bool imaginary : {false, true})
        for (const int half : {0, 8}) {
          const auto twiddle = [&](int i) {
            const int pair = 2 * (lane % 4) + i;
            const Complex root = back ? unit_root((lane / 4 + half) * value(pair), 256)
                                      : unit_root(value(lane / 4) * (half + pair), 256);
            return imaginary ? root.imag() : root.real();
          };
          words.push_back(pack_halves(twiddle(0), twiddle(1)));
        }
}

// Element(row, column) of the kept values of the last digit, as B operand there and A operand back.
template <class Element>
void append_kept_last(std::vector<std::uint32_t>& words, const std::vector<int>& kept, const Element& element) {
  const auto value = [&](int place) { return kept[static_cast<std::size_t>(place)]; };
  for (int lane = 0; lane < 32; ++lane)
    for (const bool imaginary : {false, true})
      for (const int half : {0, 8}) {
        const int row = half + 2 * (lane % 4), column = value(lane / 4);
        const Complex low = element(row, column), high = element(row + 1, column);
        words.push_back(imaginary ? pack_halves(low.imag(), high.imag()) : pack_halves(low.real(), high.real()));
      }
  for (int lane = 0; lane < 32; ++lane)
    for (const bool imaginary : {false, true})
      for (const int half : {0, 8}) {
        const int row = lane / 4 + half, column = 2 * (lane % 4);
        const Complex low = element(row, value(column)), high = element(row, value(column + 1));
        words.push_back(imaginary ? pack_halves(low.imag(), high.imag()) : pack_halves(low.real(), high.real()));
      }
}

// The rows of factors: all, or those that a mask keeps.
std::vector<int> factor_rows_of(const InBlockPlan& plan) {
  if (!plan.kept_rows.empty()) return plan.kept_rows;
  std::vector<int> rows(static_cast<std::size_t>(plan.factor_rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// The frequencies of a row whose tiles are halved, in registers re[0], re[1] of each lane.
void append_half_order(std::vector<std::int32_t>& order, const InBlockPlan& plan, int row) {
  for (int lane = 0; lane < 32; ++lane)
    for (const int half : {0, 8})
      for (int i = 0; i < 2; ++i) {
        const int pair = 2 * (lane % 4) + i;
        const int inner =
            plan.kept_inner.empty() ? lane / 4 + half : plan.kept_inner[static_cast<std::size_t>(lane / 4)];
        const int last = plan.kept_inner.empty() ? plan.kept_last[static_cast<std::size_t>(pair)] : half + pair;
        order.push_back(row + plan.rows() * (inner + 16 * last));
      }
}

// The twiddle between row `row` and its samples 16 n2 + n3, from one root for each value of either digit.
void append_outer_twiddle(std::vector<std::uint32_t>& words, const UnitRoots& roots, std::int64_t row) {
  std::array<Complex, 16> of_n2, of_n3;
  for (std::size_t n = 0; n < 16; ++n) {
    of_n2[n] = roots[row * 16 * static_cast<std::int64_t>(n)];
    of_n3[n] = roots[row * static_cast<std::int64_t>(n)];
  }
  append_tile(words, [&](int n3, int n2) {
    return finite_product(of_n3[static_cast<std::size_t>(n3)], of_n2[static_cast<std::size_t>(n2)]);
  });
}

// The last digit's matrix in halves, conjugate: as B operand it leads to frequencies. A phase of each frequency, which
// the way back takes back, makes that of the odd ones symmetric.
void append_last_halves(std::vector<std::uint32_t>& words, double scale) {
  const auto append = [&](double signed_scale, int odd) {
    append_real_form(words, [&](int row, int column) {
      return signed_scale * std::conj(unit_root((2 * row + odd) * (2 * column + odd), 32));
    });
  };
  append(scale, 0);
  append(scale, 1);
  append(-scale, 1);
}

// The factors of a row at frequencies k + part / parts: see fractional_rows.cuh.
void append_row_factors(std::vector<std::uint32_t>& words, std::int64_t part, std::int64_t parts, double scale) {
  append_tile(
      words, [&](int n3, int k2) { return unit_root((n3 * parts + part) * (k2 * parts + part), 256 * parts * parts); });
  for (const int odd : {0, 1})
    for (const bool imaginary : {false, true})
      for (int k2 = 0; k2 < 8; ++k2)
        for (int pair = 0; pair < 8; pair += 2) {
          const auto element = [&](int n) {
            const Complex value = scale * unit_root((2 * n + odd) * (k2 * parts + part), 16 * parts);
            return imaginary ? value.imag() : value.real();
          };
          words.push_back(pack_halves(element(pair), element(pair + 1)));
        }
}

// The butterflies are unscaled; the matrices share their part of the unitary scale.
double butterfly_share(const InBlockPlan& plan) {
  const int products = plan.outer_tile > 1 ? 3 : 2;
  return std::pow(plan.outer_butterfly, -0.5 / products);
}

// Of the matrices of the inner digits.
double inner_scale(const InBlockPlan& plan) {
  const double around = butterfly_share(plan) / 4;
  return plan.fractional_rows ? quiet_halved_scale(around) : quiet_scale(16, around);
}

}  // namespace

double outer_scale(const InBlockPlan& plan) {
  if (plan.outer_tile == 1) return plan.holds_row_alone() ? quiet_turns_scale(plan.rows()) : 1;
  const ColumnMatrix products = column_matrix(plan);
  if (products == ColumnMatrix::made) return column_scale(plan);
  if (products == ColumnMatrix::radix16 || (products == ColumnMatrix::halves && plan.outer_tile == 16))
    return inner_scale(plan);
  return quiet_scale(plan.outer_tile, butterfly_share(plan) / std::sqrt(plan.outer_tile));
}

float column_scale(const InBlockPlan& plan) {
  return static_cast<float>(butterfly_share(plan) / std::sqrt(plan.outer_tile));
}

std::vector<std::int32_t> tiled_spectrum_order(const InBlockPlan& plan) {
  std::vector<std::int32_t> order;
  order.reserve(static_cast<std::size_t>(plan.factor_rows()) * 256);
  const bool fours = plan.fractional_rows || plan.spectrum_of_fractional;
  for (const int row : factor_rows_of(plan)) {
    if (halves_rows(plan)) {
      append_half_order(order, plan, row);
      continue;
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int e = 0; e < 4; ++e)
        for (int i = 0; i < 2; ++i) {
          const Cell cell = cell_of(lane, e);
          // Four neighbours of a lane's two rows together serve products in halves and whole ones.
          const int inner = fours ? lane / 4 + 8 * (e % 2) : cell.row;
          const int last = fours ? 4 * (lane % 4) + 2 * (e / 2) + i : cell.column + i;
          order.push_back(row + plan.rows() * (inner + 16 * last));
        }
  }
  return order;
}

TiledTables make_tiled_tables(const InBlockPlan& plan) {
  TiledTables tables;
  const auto position = [&] { return static_cast<int>(tables.words.size() / 4); };
  const double scale16 = inner_scale(plan);
  const UnitRoots roots16(16);
  tables.radix16 = position();
  if (plan.fractional_rows)
    append_last_halves(tables.words, scale16);
  else
    append_matrix(tables.words, [&](int row, int column) { return scale16 * roots16[row * column]; });
  tables.inner_twiddle = position();
  const auto inner_twiddle = [](int row, int column) { return unit_root(row * column, 256); };
  if (plan.fused_factors > 0)
    append_wide_tile(tables.words, inner_twiddle);
  else if (!plan.fractional_rows)
    append_tile(tables.words, inner_twiddle);
  tables.column_matrix = tables.radix16;
  if (plan.outer_tile > 1) {
    const int radix = plan.outer_tile;
    const ColumnMatrix products = column_matrix(plan);
    const double scale = outer_scale(plan);
    const UnitRoots outer_roots(plan.frequency_parts() * radix);
    const auto matrix = [&](int row, int column) {
      return row < radix && column < radix ? scale * outer_roots[parts_of(plan, row) * column] : Complex(0);
    };
    if (products != ColumnMatrix::radix16) tables.column_matrix = position();
    if (radix == 8) append_matrix8(tables.words, scale);
    if (radix > 8 && radix < 16 && !plan.right_angle() && !plan.half_spectrum()) append_matrix(tables.words, matrix);
    tables.half_matrix = position();
    if (half_columns(plan)) append_half_matrix(tables.words, matrix);
    tables.column_twiddle = position();
    // Those that are `made` blocks make themselves.
    if (products == ColumnMatrix::halves) {
      append_end_matrices(tables.words, plan, matrix);
      for (int q = 1; q < plan.frequency_butterflies(); ++q) append_between_matrices(tables.words, plan, matrix, q);
    }
    const bool by_value = products != ColumnMatrix::made && products != ColumnMatrix::halves;
    const int factors = by_value ? column_factors(plan) : 0;
    for (int a = plan.outer_butterfly - factors; a < plan.outer_butterfly; ++a) {
      if (radix == 8)
        append_column_vector(tables.words, plan, a);
      else
        append_column_matrices(tables.words, plan, matrix, a);
    }
  }
  tables.outer_twiddle = position();
  const UnitRoots roots(plan.frequency_parts() * plan.transform_length);
  if (plan.fractional_rows)
    for (int row = 0; row < plan.rows(); ++row)
      append_row_factors(tables.words, parts_of(plan, row), plan.frequency_parts() * plan.rows(), scale16);
  else if (plan.has_outer_twiddle() && plan.real_filter())
    for (const int row : factor_rows_of(plan)) append_outer_twiddle(tables.words, roots, parts_of(plan, row));
  tables.kept_matrix = position();
  const auto matrix16 = [&](int row, int column) { return scale16 * roots16[row * column]; };
  if (!plan.kept_inner.empty())
    append_kept_inner(tables.words, plan.kept_inner, matrix16);
  else if (!plan.kept_last.empty())
    append_kept_last(tables.words, plan.kept_last, matrix16);
  return tables;
}

double tiled_gain(const InBlockPlan& plan) {
  const double scale16 = inner_scale(plan), forward = scale16 * scale16 * outer_scale(plan);
  return 1.0 / (static_cast<double>(plan.transform_length) * forward * forward);
}

double spectrum_gain(const InBlockPlan& plan) {
  InBlockPlan reader = plan;
  reader.fractional_rows = plan.fractional_rows || plan.spectrum_of_fractional;
  return tiled_gain(reader);
}

}  // namespace ffc

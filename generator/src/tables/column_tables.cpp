// Tables of a split plan's columns: DFT matrices of 16 that carry the twiddle behind them.
#include "column_tables.hpp"

#include <cmath>
#include <complex>

#include "dft_scale.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/templates/half.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "tile_words.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

// A real 16 x 16 matrix as A operand.
template <class Element>
void append_operand(std::vector<std::uint32_t>& words, const Element& element) {
  for (int lane = 0; lane < 32; ++lane)
    for (int e = 0; e < 4; ++e) {
      const Cell cell = cell_of(lane, e);
      words.push_back(pack_halves(element(cell.row, cell.column), element(cell.row, cell.column + 1)));
    }
}

// What a product takes of the samples' 16 rows, and gives on the way back: both parts of all, both parts of the 8 that
// exist, or the real part of all, at frequencies k + 1/4.
enum class Rows { all, lower_half, real };

Rows rows_of(const FourStepPlan& plan) {
  return plan.right_angle() ? Rows::real : halves_samples(plan) ? Rows::lower_half : Rows::all;
}

// A ColumnMatrix for each of `sections`: products of 16 with the twiddle between their digit and the sections' in them.
// Of half of the samples, both parts of the 8 that exist are the 16 columns of the matrices, or their 16 rows on the
// way back.
void append_matrices(std::vector<std::uint32_t>& words, int sections, Rows rows, double scale, bool inverse) {
  const int parts = rows == Rows::real ? 4 : 1, shift = rows == Rows::real ? 1 : 0;  // of a frequency
  const UnitRoots roots(std::int64_t{16} * parts * sections);
  for (int b = 0; b < sections; ++b) {
    // Sample 16's row n and frequency k; the way back is the conjugate, and transposed.
    const auto factor = [&](int n, int k) {
      return scale * roots[static_cast<std::int64_t>(parts * k + shift) * (n * sections + b)];
    };
    const auto forward_re = [&](int k, int n) { return factor(n, k).real(); };
    const auto forward_im = [&](int k, int n) { return factor(n, k).imag(); };
    const auto back_re = [&](int n, int k) { return factor(n, k).real(); };
    const auto back_im = [&](int n, int k) { return -factor(n, k).imag(); };
    if (rows == Rows::lower_half && inverse) {
      append_operand(words, [&](int n, int k) { return n < 8 ? back_re(n, k) : back_im(n - 8, k); });
      append_operand(words, [&](int n, int k) { return n < 8 ? -back_im(n, k) : back_re(n - 8, k); });
    } else if (rows == Rows::lower_half) {
      append_operand(words, [&](int k, int n) { return n < 8 ? forward_re(k, n) : -forward_im(k, n - 8); });
      append_operand(words, [&](int k, int n) { return n < 8 ? forward_im(k, n) : forward_re(k, n - 8); });
    } else if (inverse) {
      append_operand(words, back_re);
      append_operand(words, [&](int n, int k) { return rows == Rows::real ? -back_im(n, k) : back_im(n, k); });
    } else {
      append_operand(words, forward_re);
      append_operand(words, forward_im);
    }
  }
}

// A ColumnMatrix for each section, or for two of which half of the samples exist, of the frequencies that a mask keeps
// (column_kept_products.cuh): real and imaginary parts of the roots, samples by frequencies or transposed.
void append_kept_matrices(std::vector<std::uint32_t>& words, const FourStepPlan& plan, double scale, bool inverse) {
  const int sections = plan.columns.sections(), at_once = halves_samples(plan) ? 2 : 1, live = 16 / at_once;
  const std::vector<int> kept = spectrum_columns(plan);
  const UnitRoots roots(plan.columns.length());
  for (int b = 0; b < sections; b += at_once) {
    const auto factor = [&](int place, int row) {
      if (place >= static_cast<int>(kept.size())) return std::complex<double>(0);
      const int sample = row % live * sections + b + row / live;
      return scale * roots[static_cast<std::int64_t>(kept[static_cast<std::size_t>(place)]) * sample];
    };
    const auto element = [&](int row, int column) { return inverse ? factor(column, row) : factor(row, column); };
    append_operand(words, [&](int row, int column) { return element(row, column).real(); });
    append_operand(words, [&](int row, int column) { return element(row, column).imag(); });
  }
}

}  // namespace

ColumnScales column_scales(const ColumnShape& columns) {
  const double last = quiet_scale(16, 0.25 / std::sqrt(columns.butterfly));
  if (columns.products == 1) return {last, 1};
  return {quiet_scale(16, 0.25), last};
}

std::vector<std::uint32_t> column_tables(const FourStepPlan& plan, const ColumnScales& scales, bool inverse) {
  const ColumnShape& columns = plan.columns;
  // Sums and differences of frequencies and mirrors are twice the halves of a row one by one.
  const double apart = plan.packing == Packing::half_length && !inverse ? 0.5 : 1;
  std::vector<std::uint32_t> words;
  if (columns_left(plan) == ColumnsLeft::one_product) {
    append_kept_matrices(words, plan, scales.first, inverse);
    return words;
  }
  append_matrices(words, columns.sections(), rows_of(plan), apart * scales.first, inverse);
  if (columns.products == 2) append_matrices(words, columns.butterfly, Rows::all, scales.second, inverse);
  return words;
}

}  // namespace ffc

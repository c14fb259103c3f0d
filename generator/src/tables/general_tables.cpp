// Matrices padded to tiles, roots of unity, and the order in which digits leave frequencies.
#include "general_tables.hpp"

#include <bit>
#include <cmath>
#include <complex>

#include "dft_scale.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/templates/half.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

using Complex = std::complex<double>;

// Tiles of 16 x 16 as A operands, row of tiles by row, padded with zeros.
void append_matrix(std::vector<std::uint32_t>& words, int radix, double scale) {
  const auto element = [&](int row, int column) {
    return row < radix && column < radix ? scale * unit_root(static_cast<std::int64_t>(row) * column, radix)
                                         : Complex(0);
  };
  const int tiles = (radix + 15) / 16;
  for (int tile = 0; tile < tiles * tiles; ++tile)
    for (const bool imaginary : {false, true})
      for (int lane = 0; lane < 32; ++lane)
        for (int e = 0; e < 4; ++e) {
          const int row = 16 * (tile / tiles) + lane / 4 + 8 * (e % 2);
          const int column = 16 * (tile % tiles) + 8 * (e / 2) + 2 * (lane % 4);
          const Complex low = element(row, column), high = element(row, column + 1);
          words.push_back(imaginary ? pack_halves(low.imag(), high.imag()) : pack_halves(low.real(), high.real()));
        }
}

// Of value k of the digit and a position m behind it, at k stride + m: exp(-2 pi i k m / (radix stride)).
void append_twiddles(std::vector<std::uint32_t>& words, const Digit& digit) {
  const UnitRoots roots(digit.radix * digit.stride);
  for (std::int64_t k = 0; k < digit.radix; ++k)
    for (std::int64_t m = 0; m < digit.stride; ++m)
      words.push_back(pack_halves(roots[k * m].real(), roots[k * m].imag()));
  words.resize((words.size() + 3) / 4 * 4);  // matrices are read 16 bytes at a time
}

constexpr std::int64_t most_roots = 1 << 20;  // of a table in the order of positions

// Roots that are fine_roots apart behind those up to there.
void append_roots_in_steps(std::vector<std::uint32_t>& words, std::int64_t count) {
  const UnitRoots roots(count);
  const auto append = [&](std::int64_t i) {
    words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(roots[i].real())));
    words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(roots[i].imag())));
  };
  for (std::int64_t i = 0; i < fine_roots; ++i) append(i);
  for (std::int64_t i = 0; i < count; i += fine_roots) append(i);
  words.resize((words.size() + 3) / 4 * 4);
}

}  // namespace

GeneralTables make_general_tables(const MixedRadixPlan& plan) {
  GeneralTables tables;
  double product = 1;
  for (const Digit& digit : plan.digits) {
    DigitTables entry;
    const double scale = quiet_scale(digit.radix, 1 / std::sqrt(digit.radix));
    product *= scale;
    entry.matrix = static_cast<int>(tables.words.size() / 4);
    append_matrix(tables.words, digit.radix, scale);
    entry.twiddle = static_cast<int>(tables.words.size());
    const std::int64_t roots = digit.radix * digit.stride;
    entry.in_steps = roots > most_roots;
    if (entry.in_steps)
      append_roots_in_steps(tables.words, roots);
    else if (digit.stride > 1)
      append_twiddles(tables.words, digit);
    tables.digits.push_back(entry);
  }
  tables.gain = 1 / (static_cast<double>(plan.transform_length) * product * product);
  return tables;
}

std::vector<std::int32_t> general_spectrum_order(const MixedRadixPlan& plan) {
  std::vector<std::int32_t> order;
  for (std::int64_t p = 0; p < plan.transform_length; ++p) {
    std::int64_t frequency = 0;
    for (const Digit& digit : plan.digits) frequency += p / digit.stride % digit.radix * digit.weight;
    order.push_back(static_cast<std::int32_t>(frequency));
  }
  while (order.size() % 4 != 0) order.push_back(-1);
  return order;
}

}  // namespace ffc

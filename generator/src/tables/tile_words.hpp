// Matrices and tiles as words in fragment order.
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ffc/templates/half.hpp"

namespace ffc {

/// A lane's register e = 2 j + h of a tile holds row lane/4 + 8 h, columns 8 j + 2 (lane%4) and the next.
struct Cell {
  int row, column;
};
[[nodiscard]] constexpr Cell cell_of(int lane, int e) { return {lane / 4 + 8 * (e % 2), 8 * (e / 2) + 2 * (lane % 4)}; }

/// A tile of element(row, column), real parts before imaginary ones. `order` permutes the registers of a lane.
template <class Element>
void append_tile(std::vector<std::uint32_t>& words, const Element& element, std::array<int, 4> order = {0, 1, 2, 3}) {
  constexpr std::size_t part = 32 * 4;
  std::size_t at = words.size();
  words.resize(at + 2 * part);
  for (int lane = 0; lane < 32; ++lane)
    for (const int e : order) {
      const Cell cell = cell_of(lane, e);
      const std::complex<double> low = element(cell.row, cell.column);
      const std::complex<double> high = element(cell.row, cell.column + 1);
      words[at] = pack_halves(low.real(), high.real());
      words[at + part] = pack_halves(low.imag(), high.imag());
      ++at;
    }
}

/// A symmetric matrix as A operand and as B operand: there the two row halves of a column block stand side by side.
template <class Element>
void append_matrix(std::vector<std::uint32_t>& words, const Element& element) {
  append_tile(words, element);
  append_tile(words, element, {0, 2, 1, 3});
}

/// In fp32, elements in accumulator order: 8 real parts of each lane as two times 16 bytes, then 8 imaginary parts.
template <class Element>
void append_wide_tile(std::vector<std::uint32_t>& words, const Element& element) {
  for (const bool imaginary : {false, true})
    for (int j = 0; j < 2; ++j)
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
          const std::complex<double> value = element(lane / 4 + 8 * (i / 2), 8 * j + 2 * (lane % 4) + i % 2);
          words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(imaginary ? value.imag() : value.real())));
        }
}

/// B operands of the first 8 columns of a matrix as the real matrix (re 8, im 8) to re and to im, blocks of 8 new.
template <class Element>
void append_half_matrix(std::vector<std::uint32_t>& words, const Element& element) {
  for (const bool to_imaginary : {false, true})
    for (int lane = 0; lane < 32; ++lane)
      for (int j = 0; j < 2; ++j) {
        const std::complex<double> low = element(lane / 4 + 8 * j, 2 * (lane % 4));
        const std::complex<double> high = element(lane / 4 + 8 * j, 2 * (lane % 4) + 1);
        const std::uint32_t real = pack_halves(low.real(), high.real());
        const std::uint32_t imaginary = pack_halves(low.imag(), high.imag());
        if (to_imaginary)
          words.insert(words.end(), {imaginary, real});
        else
          words.insert(words.end(), {real, pack_halves(-low.imag(), -high.imag())});
      }
}

/// A matrix of 8 x 8 as A operand [re -im; im re].
template <class Element>
void append_real_form(std::vector<std::uint32_t>& words, const Element& element) {
  for (int lane = 0; lane < 32; ++lane) {
    const std::complex<double> low = element(lane / 4, 2 * (lane % 4)), high = element(lane / 4, 2 * (lane % 4) + 1);
    const std::uint32_t re = pack_halves(low.real(), high.real()), im = pack_halves(low.imag(), high.imag());
    words.insert(words.end(), {re, im, pack_halves(-low.imag(), -high.imag()), re});
  }
}

/// The 8 x 8 matrix: re, im, -im and re again of row lane/4, columns 2 (lane%4) and + 1.
void append_matrix8(std::vector<std::uint32_t>& words, double scale);

/// A matrix from `begin` on, in each part: the 8 bytes of all lanes for one block of new columns before those for the
/// other, because a stage that takes one block at a time would find them 16 bytes apart, in half of the banks.
void put_blocks_first(std::vector<std::uint32_t>& words, std::size_t begin);

}  // namespace ffc

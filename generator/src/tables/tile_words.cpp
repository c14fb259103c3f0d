// Words of one kind of matrix each.

#include "tile_words.hpp"

#include "unit_roots.hpp"

namespace ffc {

void append_matrix8(std::vector<std::uint32_t>& words, double scale) {
  for (int lane = 0; lane < 32; ++lane) {
    const std::complex<double> low = scale * unit_root(lane / 4 * (2 * (lane % 4)), 8);
    const std::complex<double> high = scale * unit_root(lane / 4 * (2 * (lane % 4) + 1), 8);
    const std::uint32_t re = pack_halves(low.real(), high.real());
    words.insert(words.end(), {re, pack_halves(low.imag(), high.imag()), pack_halves(-low.imag(), -high.imag()), re});
  }
}

void put_blocks_first(std::vector<std::uint32_t>& words, std::size_t begin) {
  const std::vector<std::uint32_t> lanes_first(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
  std::size_t at = begin;
  for (std::size_t part = 0; part < lanes_first.size(); part += 128)
    for (std::size_t block = 0; block < 2; ++block)
      for (std::size_t lane = 0; lane < 32; ++lane)
        for (std::size_t i = 0; i < 2; ++i) words[at++] = lanes_first[part + 4 * lane + 2 * block + i];
}

}  // namespace ffc

// Matrix products and block moves in the register layouts of the PTX manual.
#include "warp_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "ffc/templates/half.hpp"

namespace ffc::host {
namespace {

using Parts = std::array<Part*, 32>;

float low(std::uint32_t word) { return half_values()[word & 0xffffu]; }
float high(std::uint32_t word) { return half_values()[word >> 16]; }

// Rows and columns of a 16 x 8 product, its operands in fp32.
struct Product {
  std::array<std::array<float, 16>, 16> a;
  std::array<std::array<float, 16>, 8> b;  // by column
};

Product gather(const Parts& parts) {
  Product product;
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::size_t row = lane / 4, pair = 2 * (lane % 4);
    const std::uint32_t* const in = parts[lane]->in;
    for (std::size_t i = 0; i < 4; ++i) {
      product.a[row + 8 * (i % 2)][pair + 8 * (i / 2)] = low(in[i]);
      product.a[row + 8 * (i % 2)][pair + 8 * (i / 2) + 1] = high(in[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      product.b[row][pair + 8 * i] = low(in[4 + i]);
      product.b[row][pair + 8 * i + 1] = high(in[4 + i]);
    }
  }
  return product;
}

// Products of fp16 values are exact in fp32 and their sums nearly so in fp64; rounded once, at the end.
double dot(const Product& product, std::size_t row, std::size_t column) {
  double sum = 0;
  for (std::size_t k = 0; k < 16; ++k) sum += static_cast<double>(product.a[row][k]) * product.b[column][k];
  return sum;
}

void multiply16(const Parts& parts) {
  const Product product = gather(parts);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    auto* const d = static_cast<std::uint32_t*>(parts[lane]->out);
    const std::size_t column = 2 * (lane % 4);
    for (std::size_t h = 0; h < 2; ++h) {
      const std::size_t row = lane / 4 + 8 * h;
      d[h] = pack_halves(low(d[h]) + dot(product, row, column), high(d[h]) + dot(product, row, column + 1));
    }
  }
}

void multiply32(const Parts& parts) {
  const Product product = gather(parts);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    auto* const d = static_cast<float*>(parts[lane]->out);
    for (std::size_t i = 0; i < 4; ++i)
      d[i] = static_cast<float>(d[i] + dot(product, lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2));
  }
}

// Addresses of the 32 rows of four blocks; a refusal names the lane that gave a bad one.
Refusal block_rows(const Parts& parts, const SharedMemory& shared, std::array<std::uint32_t, 32>& addresses) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    addresses[lane] = parts[lane]->in[0];
    if (std::string what = shared.refuse(addresses[lane], 16, 16); !what.empty())
      return {static_cast<int>(lane), std::move(what)};
  }
  return {};
}

// Half `column` of row `row` of block `block`.
unsigned char* cell(SharedMemory& shared, const std::array<std::uint32_t, 32>& addresses, std::size_t block,
                    std::size_t row, std::size_t column) {
  return shared.at(addresses[8 * block + row]) + 2 * column;
}

// A lane holds, of every block, row lane / 4 and columns 2 (lane % 4) and the next; transposed, column and rows.
template <class Move>
void each_cell(SharedMemory& shared, const std::array<std::uint32_t, 32>& addresses, bool transposed, Move move) {
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t block = 0; block < 4; ++block)
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t own = lane / 4, pair = 2 * (lane % 4) + i;
        move(lane, block, i, cell(shared, addresses, block, transposed ? pair : own, transposed ? own : pair));
      }
}

void load_blocks(const Parts& parts, SharedMemory& shared, const std::array<std::uint32_t, 32>& addresses,
                 bool transposed) {
  each_cell(shared, addresses, transposed,
            [&](std::size_t lane, std::size_t block, std::size_t i, const unsigned char* at) {
              std::memcpy(static_cast<unsigned char*>(parts[lane]->out) + 4 * block + 2 * i, at, 2);
            });
}

void store_blocks(const Parts& parts, SharedMemory& shared, const std::array<std::uint32_t, 32>& addresses,
                  bool transposed) {
  each_cell(shared, addresses, transposed, [&](std::size_t lane, std::size_t block, std::size_t i, unsigned char* at) {
    const auto half = static_cast<std::uint16_t>(parts[lane]->in[1 + block] >> (16 * i));
    std::memcpy(at, &half, 2);
  });
}

void transpose_block(const Parts& parts) {
  std::uint16_t block[8][8];
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < 2; ++i)
      block[lane / 4][2 * (lane % 4) + i] = static_cast<std::uint16_t>(parts[lane]->in[0] >> (16 * i));
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const std::size_t row = lane / 4, column = 2 * (lane % 4);
    *static_cast<std::uint32_t*>(parts[lane]->out) =
        static_cast<std::uint32_t>(block[column][row]) | static_cast<std::uint32_t>(block[column + 1][row]) << 16;
  }
}

}  // namespace

const float* half_values() {
  static const std::vector<float> values = [] {
    std::vector<float> all(65536);
    for (std::size_t bits = 0; bits < all.size(); ++bits)
      all[bits] = static_cast<float>(from_half(static_cast<std::uint16_t>(bits)));
    return all;
  }();
  return values.data();
}

Refusal perform(const Parts& parts, const Site& site, SharedMemory& shared, Counter& counter) {
  std::array<std::uint32_t, 32> addresses;
  const Together operation = parts[0]->operation;
  switch (operation) {
    case Together::multiply16:
    case Together::multiply32:
      ++counter.totals.matrix_products;
      operation == Together::multiply16 ? multiply16(parts) : multiply32(parts);
      return {};
    case Together::load_blocks:
    case Together::load_blocks_transposed:
    case Together::store_blocks:
    case Together::store_blocks_transposed:
      if (Refusal refusal = block_rows(parts, shared, addresses); !refusal.what.empty()) return refusal;
      counter.add_shared(site, wavefronts_of_blocks(addresses));
      if (operation == Together::load_blocks || operation == Together::load_blocks_transposed)
        load_blocks(parts, shared, addresses, operation == Together::load_blocks_transposed);
      else
        store_blocks(parts, shared, addresses, operation == Together::store_blocks_transposed);
      return {};
    case Together::transpose_block:
      transpose_block(parts);
      return {};
    case Together::shuffle:
      for (Part* const part : parts) *static_cast<std::uint32_t*>(part->out) = parts[part->in[1] % 32]->in[0];
      return {};
    case Together::warp_barrier:
    case Together::wait:
    case Together::barrier:
    case Together::cluster_barrier:
      return {};
  }
  return {0, fmt::format("operation {} is unknown", static_cast<int>(operation))};
}

}  // namespace ffc::host

// How a launch of a split plan is cut into chunks: every pair of rows once, whole channels or slices of one.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "ffc/generator/generated_kernel.hpp"

using namespace ffc;

namespace {

// How often each row of (channels, batch) is covered.
std::vector<int> coverage(const std::vector<Chunk>& chunks, int batch, int channels) {
  std::vector<int> times(static_cast<std::size_t>(batch * channels));
  for (const Chunk& chunk : chunks)
    for (int h = chunk.first_channel; h < chunk.first_channel + chunk.channels; ++h)
      for (int b = chunk.first_row; b < chunk.first_row + chunk.rows; ++b)
        ++times.at(static_cast<std::size_t>(h * batch + b));
  return times;
}

void check_chunks(int batch, int channels, std::int64_t most_pairs) {
  CAPTURE(batch);
  CAPTURE(channels);
  CAPTURE(most_pairs);
  const std::vector<Chunk> chunks = make_chunks(batch, channels, most_pairs);
  const std::int64_t pairs = (std::int64_t{batch} + 1) / 2;
  bool whole = true, slices = true, even = true, bounded = true, in_order = true;
  std::int64_t total = 0, last_end = 0;
  for (const Chunk& chunk : chunks) {
    whole = whole && chunk.first_row == 0 && chunk.rows == batch;
    slices = slices && chunk.channels == 1;
    even = even && chunk.first_row % 2 == 0 && (chunk.rows % 2 == 0 || chunk.first_row + chunk.rows == batch);
    bounded = bounded && chunk.pairs() >= 1 && chunk.pairs() <= most_pairs && chunk.channels >= 1 && chunk.rows >= 1;
    const std::int64_t first = chunk.first_channel * pairs + chunk.first_row / 2;
    in_order = in_order && first == last_end;
    last_end = first + chunk.pairs();
    total += chunk.pairs();
  }
  CHECK((whole || slices));
  CHECK(even);
  CHECK(bounded);
  CHECK(in_order);
  CHECK(total == pairs * channels);
  // No more chunks than the bound makes necessary.
  const std::int64_t least = pairs <= most_pairs ? (channels + most_pairs / pairs - 1) / (most_pairs / pairs)
                                                 : channels * ((pairs + most_pairs - 1) / most_pairs);
  CHECK(static_cast<std::int64_t>(chunks.size()) == least);
}

}  // namespace

TEST_CASE("chunks cover every row once, in order, within their bound") {
  for (const int batch : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 64, 101})
    for (const int channels : {1, 2, 3, 4, 5, 7, 8, 13, 64})
      for (const std::int64_t most : {1, 2, 3, 4, 5, 7, 8, 9, 16, 50, 51, 64, 1000}) {
        check_chunks(batch, channels, most);
        const std::vector<int> times = coverage(make_chunks(batch, channels, most), batch, channels);
        CHECK(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
      }
}

TEST_CASE("chunks of large launches") {
  constexpr int largest = std::numeric_limits<int>::max();
  check_chunks(largest - 1, 1, std::int64_t{1} << 40);
  check_chunks(largest, 1, std::int64_t{1} << 29);
  check_chunks(1, largest, std::int64_t{1} << 29);
  check_chunks(99999, 70001, 1 << 26);
  check_chunks(1 << 20, 3, 77);
}

TEST_CASE("chunks of one launch are about as large") {
  for (const auto& [batch, channels, most] :
       {std::tuple{100, 1, 16}, std::tuple{2, 33, 16}, std::tuple{7, 100, 45}, std::tuple{333, 2, 100}}) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = 0;
    int unit = 1;  // pairs of a channel, where channels stay whole
    for (const Chunk& chunk : make_chunks(batch, channels, most)) {
      least = std::min(least, chunk.pairs());
      largest = std::max(largest, chunk.pairs());
      if (chunk.rows == batch) unit = (batch + 1) / 2;
    }
    CHECK(largest - least <= unit);
  }
}

TEST_CASE("a chunk's arguments begin with its first row and channel") {
  Generated generated;
  generated.spectrum_row_bytes = 1008;
  generated.columns.emplace();
  generated.columns->length = 32;
  generated.columns->row_length = 256;
  const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
  ConvArguments whole;
  whole.u = at(0x10000), whole.v = at(0x20000), whole.y = at(0x30000), whole.spectrum = at(0x40000);
  whole.u_batch_stride = 1000, whole.u_channel_stride = 10;
  whole.v_batch_stride = 0, whole.v_channel_stride = 7;
  whole.y_batch_stride = 500, whole.y_channel_stride = 20000;
  whole.batch = 9, whole.channels = 5;
  const Chunk chunk{3, 2, 6, 3};
  const ChunkArguments parts = chunk_arguments(generated, whole, chunk, at(0x50000));
  CHECK(parts.forward.u == at(0x10000 + 2 * (6 * 1000 + 3 * 10)));
  CHECK(parts.forward.y == at(0x50000));
  CHECK(parts.rows.u == at(0x50000));
  CHECK(parts.rows.y == at(0x50000));
  CHECK(parts.inverse.u == at(0x50000));
  CHECK(parts.inverse.v == at(0x20000 + 2 * 3 * 7));
  CHECK(parts.inverse.y == at(0x30000 + 2 * (6 * 500 + 3 * 20000)));
  for (const ConvArguments& part : {parts.forward, parts.rows, parts.inverse}) {
    CHECK(part.w == nullptr);
    CHECK(part.spectrum == at(0x40000 + 3 * 1008));
    CHECK(part.batch == 3);
    CHECK(part.channels == 2);
    CHECK(part.y_batch_stride == 500);
  }
}

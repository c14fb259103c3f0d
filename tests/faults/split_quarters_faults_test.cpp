// Faults put into the text of rows alone past one block, at frequencies k + 1/4: each must show in the result, or stop
// the launch.
#include <doctest/doctest.h>

#include <utility>

#include "split_faults.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Real samples, complex frequencies.
constexpr Fault product_faults[] = {
    {"the second chunk is the first", "16 * b + lane % 16, chunk + lane / 16)", "16 * b + lane % 16, chunk)"},
    {"samples of the imaginary part", "chunk_at(tile, 0, 16 * b + lane % 16, chunk + lane / 16)",
     "chunk_at(tile, 1, 16 * b + lane % 16, chunk + lane / 16)"},
    {"samples copied over results", "to = chunk_at(tile, 1, slot_of_sample(row), chunk)",
     "to = chunk_at(tile, 0, slot_of_sample(row), chunk)"},
    {"results taken for samples", "load_columns(at + tile_plane_bytes)", "load_columns(at)"},
    {"tiles that do not change places", "tile = next, next = of_results;", ""},
    {"samples of the same turn again", "load_in(split, turn_at(split, index + step), tile",
     "load_in(split, turn, tile"},
    {"results stored from where samples come in", "from = chunk_at(tile, 0, slot_of_sample(row), chunk)",
     "from = chunk_at(tile, 1, slot_of_sample(row), chunk)"},
    {"the first chunk's samples in both", "{narrow_part(x, j, 0), narrow_part(x, j, 1)}",
     "{narrow_part(x, 0, 0), narrow_part(x, 0, 1)}"},
    {"the second chunk's frequencies where the first's are",
     "unload(im, y.im[0], y.im[1]);\n        store_columns(columns_at(tile, b, chunk + j, lane), y)",
     "unload(im, y.im[0], y.im[1]);\n        store_columns(columns_at(tile, b, chunk, lane), y)"},
    {"the first chunk's frequencies in both", "load_columns(columns_at(tile, b, chunk + j, lane))",
     "load_columns(columns_at(tile, b, chunk, lane))"},
    {"chunks change places on the way back", "narrow_part(y, j, 0), narrow_part(y, j, 1)",
     "narrow_part(y, 1 - j, 0), narrow_part(y, 1 - j, 1)"},
    {"imaginary parts made as real ones are", "multiply_block(im, matrix.im, samples)",
     "multiply_block(im, matrix.re, samples)"},
    {"and taken back so", "multiply_block(samples, matrix.im, x.im)", "multiply_block(samples, matrix.re, x.im)"},
    {"the way back by the matrices of the way there", "contract_frequencies(inverse,", "contract_frequencies(forward,"},
    {"the upper half conjugated as mirrors are", "is_mirrored(int, int) { return false; }",
     "is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }"},
};

// Rows of frequencies: which they are, where, and who waits for how many.
constexpr Fault row_faults[] = {
    {"frequencies k", "return 4 * number + 1;", "return 4 * number;"},
    {"a quarter of the rows", "number < spectrum_rows ?", "number < spectrum_rows / 4 ?", stuck},
    {"every other row", "at.number + course.blocks;", "at.number + 2 * course.blocks;", stuck},
    {"the next row taken for this one", "offset_of(coming, next.number, coming.first)",
     "offset_of(coming, at.number, coming.first)"},
    {"whole frequencies in the twiddles", "transform_length = 49152", "transform_length = 12288"},
    {"imaginary parts where the upper real ones are", "plane_length = 12288", "plane_length = 6144"},
    {"the spectrum row of a mirror", "at.number * (4LL * row_length)",
     "(spectrum_rows - 1 - at.number) * (4LL * row_length)"},
    {"a row where its mirror would be", "plane_length + number * row_length",
     "plane_length + (column_length - 1 - number) * row_length"},
    {"the filter of the first channel", "return {row.channel, 0,", "return {0, 0,"},
    {"one row too few", "turn.place.round * spectrum_rows", "turn.place.round * (spectrum_rows - 1)"},
    {"as many rows as have no mirrors", "turn.place.round * spectrum_rows",
     "turn.place.round * (spectrum_rows / 2 + 1)"},
    {"as many rows as of a pair", "turn.place.round * spectrum_rows", "turn.place.round * (2 * spectrum_rows)", stuck},
    {"real and imaginary parts count by themselves", "place_of(split, number), 1};", "place_of(split, number), 2};"},
};

// Counts of rows that are done, which a group leaves to a later stage where its next row is on its way.
constexpr Fault count_faults[] = {
    {"not counted where nobody comes behind", "if (!ahead) count_done();", "", stuck},
    {"counted twice", "done.counts_for = 0;", ""},
    {"counted by every thread", "if (thread == 0 && done.counts_for > 0)", "if (done.counts_for > 0)"},
};

Generated alone(int column_length, int row_length) { return example(column_length, row_length, 1, Padding::padded); }

}  // namespace

TEST_CASE("texts as they are emitted pass, in rings of any size and warps in any order") {
  for (const auto& [column_length, row_length] : {std::pair{48, 256}, std::pair{16, 512}}) {
    const Generated generated = alone(column_length, row_length);
    REQUIRE(generated.name.find("_quarters") != std::string::npos);
    check_passes(generated);
  }
}

TEST_CASE("every fault of the products shows") {
  for (const Fault& fault : product_faults) check_shows(alone(48, 256), fault);
}

TEST_CASE("every fault of the rows shows") {
  for (const Fault& fault : row_faults) check_shows(alone(48, 256), fault);
}

TEST_CASE("frequencies of a row, where there are several, a quarter as far apart show") {
  check_shows(alone(16, 512), {"column_length quarters", "frequency_step = 64", "frequency_step = 16"});
}

// Over the next channel it is not kept here, where a block is at another frequency then: that shows on a GPU.
TEST_CASE("a spectrum that is kept over the next frequency shows") {
  check_shows(alone(48, 4096), {"kept", "      held_channel = -1;\n", ""});
}

TEST_CASE("every fault of counts a stage behind shows") {
  check_passes(alone(16, 4608));
  for (const Fault& fault : count_faults) check_shows(alone(16, 4608), fault);
}

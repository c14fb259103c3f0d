// Faults put into the text of a transform past one block: each must show in the result, or stop the launch.
#include "split_faults.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr Fault column_faults[] = {
    {"mirrored rows go out unconjugated", "butterfly_tiles<false>(x);\n    conjugate_mirrored(x);",
     "butterfly_tiles<false>(x);"},
    {"and come back so", "conjugate_mirrored(x);\n    butterfly_tiles<true>(x);", "butterfly_tiles<true>(x);"},
    {"no barrier before the columns", "wait_copies<0>();\n    unit_barrier(unit);", "wait_copies<0>();"},
    {"copies not waited for", "wait_copies<0>();\n    unit_barrier(unit);", "unit_barrier(unit);"},
    {"no barrier between products and butterflies", "unit_barrier(unit);\n    if (turn.in.exists) to_frequencies",
     "if (turn.in.exists) to_frequencies"},
    {"no barrier behind the columns", "unit_barrier(unit);\n    if (turn.in.exists) store_frequencies",
     "if (turn.in.exists) store_frequencies"},
    {"the tile that came not free yet", "unit_barrier(unit);\n    // Another warp", "// Another warp"},
    {"samples of the same turn again", "load_in(split, turn_at(split, index + step), next",
     "load_in(split, turn, next"},
    {"both units at one barrier", "(first_barrier + unit)", "(first_barrier)"},
    {"both units in one tile", "shared + unit * unit_bytes", "shared"},
    {"rows where the columns are", "shared + rows_offset", "shared"},
    {"the place of another pair", "2LL * place.slot * plane_length + first_column;\n  if (is_lone",
     "2LL * ((place.slot + 1) % split.ring) * plane_length + first_column;\n  if (is_lone"},
    {"the pair that comes sent out", "pair_at(split.conv, step - split.ring)", "pair_at(split.conv, step)"},
    {"samples all of a thread's first row",
     "i * copied_rows * row_length;  // from the first one on\n      const int live", "0;\n      const int live"},
    {"results all to it", "i * copied_rows * row_length;  // from the first one on\n      const SharedAddress from",
     "0;\n      const SharedAddress from"},
    {"frequencies sent out to a thread's first row", "part * plane_length + i * copied_rows * columns)),",
     "part * plane_length)),"},
    {"and fetched from there", "part * plane_length + i * copied_rows * columns), 8);", "part * plane_length), 8);"},
    {"the scale of the first channel", "(channel + 1) * spectrum_channel_bytes", "spectrum_channel_bytes"},
    {"lone rows stored as those of one channel", "if (is_lone(split.conv, at)) {", "if (false) {"},
    {"lone rows sent out apart", "if (turn.out.exists && is_lone(split.conv, turn.out)) join_rows",
     "if (false) join_rows"},
    {"pairs of one channel put together as lone rows", "turn.out.exists && is_lone(split.conv, turn.out)",
     "turn.out.exists"},
    {"no barrier behind lone rows put together", "store_shared(mirror_at, second);\n    }\n  unit_barrier(unit);",
     "store_shared(mirror_at, second);\n    }"},
    {"lone rows halved on neither side", "make_uint4(mul(x.x, half), mul(x.y, half), mul(x.z, half), mul(x.w, half))",
     "x"},
    {"the middle row made one of lone rows", "row = 1 + thread / tile_chunks; row < column_length / 2;",
     "row = 1 + thread / tile_chunks; row <= column_length / 2;"},
    {"row 0 left out of lone rows", "int number = thread / tile_chunks", "int number = 1 + thread / tile_chunks"},
    {"the middle row left out of lone rows", "number < spectrum_rows; number += unit_threads",
     "number < spectrum_rows - 1; number += unit_threads"},
    {"a lone row's partner in its own channel",
     "is_lone(arguments, pair) ? min(pair.channel + part, arguments.channels - 1)", "false ? pair.channel"},
    {"a lone row's partner in its own row", "is_lone(arguments, pair) ? 0 : pair.row + 1", "pair.row + 1"},
    {"a partner that does not exist", "part == 0 || has_second(arguments, at);\n    if (!exists)",
     "true;\n    if (!exists)"},
};

constexpr Fault row_faults[] = {
    {"no twiddle of the samples 256 apart on the way in", "multiply_columns(x[a], shifts[a]);", "{}"},
    {"and on the way back", "multiply_columns_conj(x[a], shifts[a]);", "{}"},
    {"the twiddle of another row", "split_twiddle(frequency + frequency_step * ",
     "split_twiddle(frequency + 1 + frequency_step * "},
    {"the twiddles of the first frequency for all", "if (frequency != held) {", "if (held < 0) {"},
    {"twiddles still in use", "unit_barrier();  // nobody needs those of the frequency before", ""},
    {"twiddles not made yet", "unit_barrier();\n#pragma unroll", "#pragma unroll"},
    {"the spectrum of the next row", "at.number * (4LL * row_length)",
     "(at.number + 1) % spectrum_rows * (4LL * row_length)"},
    {"the spectrum of the first channel", "channel * spectrum_channel_bytes +\n          at", "at"},
    {"the spectrum of a lone row's partner", "mine.lone ? mine.channel + side : mine.channel", "mine.channel"},
    {"a partner that does not exist", "lone ? has_second(split.conv, pair) : has_mirror", "lone || has_mirror"},
    {"both lone rows in the real parts", "of.real ? side : 0", "0"},
    {"the mirror of a row that is its own", "side == 0 || of.real ? frequency", "side == 0 ? frequency"},
    {"a lone row where its partner is", "if (part == 1 && mine.real) break;", ""},
    {"a row taken for its mirror", "load_row(offset_of(mine, at.number, side + 1), mine, to)",
     "load_row(offset_of(mine, at.number, side), mine, to)"},
    {"the next row taken for this one", "offset_of(coming, next.number, coming.first)",
     "offset_of(coming, at.number, coming.first)"},
    {"a mirror stored as its row", "offset = offset_of(mine, at.number, side)",
     "offset = offset_of(mine, at.number, 0)"},
    {"mirrors left as they are", "frequency : column_length - frequency", "frequency : frequency"},
    {"the middle row transformed twice", "2 * frequency % column_length != 0", "frequency != 0"},
    {"row 0 with a mirror", "2 * frequency % column_length != 0", "2 * frequency != column_length"},
    {"rows of every pair in the first place", "2LL * of.place.slot + plane", "0LL + plane"},
    {"copies not waited for", "wait_copies<1>();", "wait_copies<2>();"},
};

// Who adds to which count, who waits for how much.
constexpr Fault count_faults[] = {
    {"columns done that nobody says so of", "add_to_count(columns_done(split, turn.place), 1);", ";", stuck},
    {"rows done that nobody says so of", "add_to_count(rows_done(split, mine.place), mine.counts_for);", ";", stuck},
    {"every thread says that columns are done", "if (turn.in.exists && thread == 32)", "if (turn.in.exists)"},
    {"every thread says that rows are done", "group_barrier<group_threads>(group);\n    if (thread == 0)", "if (true)"},
    {"a row and its mirror count as one", "has_mirror ? 4 : 2", "2", stuck},
    {"a row that is its own mirror counts as two", "has_mirror ? 4 : 2", "4"},
    {"rows not waited for",
     "if (thread < 32) wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length));", ""},
    {"rows that one warp waited for and others did not",
     "turn.place.round * (2 * column_length));\n  unit_barrier(unit);", "turn.place.round * (2 * column_length));"},
    {"one row too few", "wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length))",
     "wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length) - 2)"},
    {"as many rows as the spectrum has",
     "wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length))",
     "wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * spectrum_rows))"},
    {"rows of the round to come",
     "wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length))",
     "wait_for_count(rows_done(split, turn.place), (turn.place.round + 1) * (2 * column_length))", stuck},
    {"columns not waited for", "wait_for_count(columns_done(split, mine.place), columns_target(mine.place));", ""},
    {"one tile too few", "return (place.round + 1) * outer_columns::column_tiles;",
     "return (place.round + 1) * outer_columns::column_tiles - 1;"},
    {"columns of the round before", "return (place.round + 1) * outer_columns::column_tiles;",
     "return place.round * outer_columns::column_tiles;"},
    {"columns of the round to come", "return (place.round + 1) * outer_columns::column_tiles;",
     "return (place.round + 2) * outer_columns::column_tiles;", stuck},
    {"one count for rows and columns", "progress_stride + counts_of_place / 2", "progress_stride"},
    {"the columns' counts of another pair",
     "columns_done(const SplitArguments& split, const Place& place) {\n  return split.progress + place.slot * ",
     "columns_done(const SplitArguments& split, const Place& place) {\n  return split.progress + 0 * "},
    {"every round the first", "static_cast<int>(index % ring), index / ring", "static_cast<int>(index % ring), 0u"},
};

// Matrices of the columns in shared memory.
constexpr Fault matrix_faults[] = {
    {"matrices not copied", "store_shared(forward + 16 * i, load_constant(tables + forward_matrices + i));", ";"},
    {"those of the way back left out", "i < matrices_bytes / 16;", "i < matrices_bytes / 32;"},
    {"those of another way", "forward + 16 * (inverse_matrices - forward_matrices)", "forward"},
    {"in the tiles of a unit", "tile + (units - unit) * unit_bytes", "tile + (units - unit - 1) * unit_bytes"},
};

// One tile, whose parts take turns.
constexpr Fault turn_faults[] = {
    {"one part stored twice", "store_samples(split.conv, turn.out, turn.first_column, tile, part",
     "store_samples(split.conv, turn.out, turn.first_column, tile, 0"},
    {"and loaded", "load_in(split, turn, tile, part, thread)", "load_in(split, turn, tile, 0, thread)"},
};

// Matrices down the columns that a block makes for its frequency: without a butterfly, with one.
constexpr Fault made_matrix_faults[] = {
    {"whole frequencies", "of_n * (frequency + frequency_step * of_k)", "of_n * (frequency_step * of_k)"},
    {"not symmetric", " + butterfly * frequency * of_k", ""},
    {"the first frequency's for all", "split_matrix(frequency, 0, false, lane)", "split_matrix(0, 0, false, lane)"},
    {"rows of padding", "to < tile_radix && from + i < tile_radix", "true"},
};
constexpr Fault made_matrices_faults[] = {
    {"the way back as the way there", "i % 2 != 0, lane)", "false, lane)"},
    {"the first value's for all", "split_matrix(frequency, i / 2,", "split_matrix(frequency, 0,"},
    {"half of them", "i < 2 * butterflies; i += block_threads", "i < butterflies; i += block_threads"},
};
// Rows that blocks share out, whose factors they keep. The host has one block for all rows, which makes them each time.
constexpr Fault shared_row_faults[] = {
    {"steps left out", "at.item + course.taken, course.first", "at.item + 2 * course.taken, course.first", stuck},
    {"the first row alone", "if (at.number < course.last)", "if (at.number < 0)", stuck},
    {"the factors of the first row for all", "make_factors(frequency);",
     "if (at.number == 0) make_factors(frequency);"},
    {"factors made while others are at work",
     "unit_barrier();  // nobody needs those of the frequency before\n        make_factors(frequency);\n        "
     "unit_barrier();",
     "make_factors(frequency);"},
    {"the matrix of the first row for all", "column_matrix = load_matrix_b(factors",
     "if (at.number == 0) column_matrix = load_matrix_b(factors"},
    {"the place of the other row's factors", "load_tile(factors + outer_twiddle_offset",
     "load_tile(factors + factors_bytes + outer_twiddle_offset"},
};

}  // namespace

TEST_CASE("texts as they are emitted pass, in rings of any size and warps in any order") {
  for (const auto& [column_length, row_length] : {std::pair{16, 512}, std::pair{48, 512}, std::pair{16, 2048}})
    check_passes(example(column_length, row_length));
}

TEST_CASE("every fault of matrices in shared memory and of parts that take turns shows") {
  check_passes(example(256, 256));
  for (const Fault& fault : matrix_faults) check_shows(example(256, 256), fault);
  for (const Fault& fault : turn_faults) check_shows(example(256, 256), fault);
}

TEST_CASE("every fault of matrices that a block makes shows") {
  check_passes(example(16, 2304));
  for (const Fault& fault : made_matrix_faults) check_shows(example(16, 2304), fault);
  check_passes(example(16, 4608));
  for (const Fault& fault : made_matrices_faults) check_shows(example(16, 4608), fault);
}

TEST_CASE("every fault of rows that blocks share out shows") {
  const Generated generated = example(96, 2304);
  REQUIRE(generated.conv.source.find("factors_bytes") != std::string::npos);
  check_passes(generated);
  for (const Fault& fault : shared_row_faults) check_shows(generated, fault);
}

TEST_CASE("every fault of the columns shows") {
  for (const Fault& fault : column_faults) check_shows(example(48, 512), fault);
}

TEST_CASE("every fault of the rows shows") {
  for (const Fault& fault : row_faults) check_shows(example(48, 512), fault);
}

TEST_CASE("every fault of the counts shows") {
  for (const Fault& fault : count_faults) check_shows(example(48, 512), fault);
}

TEST_CASE("a row that its mirror or partner is not beside counts for both, others for themselves") {
  check_shows(example(16, 2048), {"rows alone count for themselves", "sides == 2 ? planes / 2 : planes",
                                  "true ? planes / 2 : planes", stuck});
  check_shows(example(16, 2048), {"every row counts for both", "rows_at_once == 1 && sides == 2", "false"});
}

TEST_CASE("a group of several warps says that a row is done when its last one has stored it") {
  // Rows that one warp of four has in other places than the next: they part behind the last stage.
  check_shows(example(16, 2048),
              {"said too early", "group_barrier<group_threads>(group);\n    if (thread == 0)", "if (thread == 0)"});
}

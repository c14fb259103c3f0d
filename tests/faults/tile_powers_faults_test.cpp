// Faults put into what columns find of their tiles and rows take of it: each must show in the result, or stop the
// launch.
#include <algorithm>
#include <memory>
#include <vector>

#include "gradient_outcome.hpp"
#include "uneven_rows.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr std::int64_t length = 65536;

// Rows in one channel each, whose tiles and which themselves are far apart, and gates that are large.
Recipe far_apart(std::int64_t samples, Runs runs = {}) {
  Recipe recipe;
  recipe.batch = 1;
  recipe.channels = 5;
  recipe.sample = uneven(samples, 9, falling, runs);
  recipe.gate_sample = uneven(
      samples, 9, +[](std::int64_t) { return 40; });
  recipe.channel_gain = gain_of_falling;  // all results are alike: no row's hide another's
  return recipe;
}

// Of one launch; huge where it is stopped.
double error_of(const host::HostKernel& kernel, const Recipe& recipe, const Workspace& workspace) {
  HostOptions options;
  options.seed = 1;
  try {
    const double error = relative_error_of(Machine::host(), kernel, recipe, 7, [&](LaunchArguments arguments) {
      arguments.workspace = workspace;
      (void)kernel.run(arguments, options);
    });
    return std::isnan(error) ? HUGE_VAL : error;
  } catch (const HostError&) {
    return HUGE_VAL;
  }
}

double forward_error(const Generated& generated) {
  const host::HostKernel kernel = kernel_of(generated);
  double largest = 0;
  for (const std::int64_t ring : {1, 5}) {
    Buffer workspace(Machine::host(), static_cast<std::size_t>(generated.split->workspace_bytes(ring)));
    workspace.poison();
    const Recipe recipe = far_apart(generated.config.length);
    largest = std::max(largest, error_of(kernel, recipe, {workspace.data(), workspace.bytes()}));
  }
  return largest;
}

double cluster_error(const Generated& generated) {
  return error_of(kernel_of(generated), far_apart(generated.config.length, pieces_of(generated.conv.cluster)), {});
}

double gradient_error(const Generated& generated) {
  const auto kernel = shared_kernel_of(generated);
  Recipe recipe = far_apart(generated.config.length);
  recipe.channels = 2, recipe.channel_gain = 1;
  return gradient_outcome(kernel, recipe, kernel->backward_workspace_bytes(1, recipe.channels), 1).error;
}

void check(Generated generated, double (*error)(const Generated&), const std::vector<Fault>& faults) {
  CAPTURE(generated.name);
  REQUIRE(generated.name.find("_selfscaled") != std::string::npos);
  CHECK(error(generated) < 5.0e-3);
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(broken.conv.source, fault);
    CHECK(error(broken) > 1.0e-2);
  }
}

}  // namespace

TEST_CASE("faults of a tile's power of two show") {
  check(generate(rows_of_tile_powers(length, Pass::forward)), forward_error,
        {{"results measured", "largest.add(0, load_shared(chunk_at(tile, 1,",
          "largest.add(0, load_shared(chunk_at(tile, 0,"},
         {"the first warp's largest alone", "if (thread % 32 == 0) store_shared4(words + thread / 32 * 4, of_warp);",
          "if (thread == 0) store_shared4(words, of_warp);"},
         {"samples measured before they have come", "turn.out.exists ? wait_copies<1>() : wait_copies<0>();", ""},
         {"nobody told", "put_tile_exponent(split, place, place_of_tile(first_column), exponent);", ""},
         {"the tile of another line", "first_column % 256 / tile_columns * tiles_of_line +", ""},
         {"the tiles of a lane in their own order",
          "return tile / 2 % 4 * (tiles_of_line / 4) + tile / 8 * 2 + tile % 2;", "return tile;"},
         {"rounds that are alike", "round % words_of_rounds;", "0 * round;"},
         {"the largest of all rounds", "place.round << 8 | exponent", "exponent"},
         {"tiles left as they are", "times_powers(column_matrix, powers)", "column_matrix"},
         {"the way back by powers too", "contract_as_a<true>(column_matrix, x[b][a])",
          "contract_as_a<true>(powered_matrix, x[b][a])"},
         {"results of the row that comes", "turn.place.round - 1)", "turn.place.round)"}});
}

TEST_CASE("faults of products of such rows show") {
  check(
      generate(rows_of_tile_powers(length, Pass::backward)), gradient_error,
      {{"squares of one warp", "if (thread % 32 == 0) store_shared4(words + squares_at",
        "if (thread == 0) store_shared4(words + squares_at"},
       {"norms far too large", "return (above + 2 * exponent + 1) / 2;", "return (above + 2 * exponent + 1) / 2 + 60;"},
       {"u's scale alone taken back", "fminf(of_input * of_gradient,", "fminf(of_input,"},
       {"dy's exponents for u", "row_powers(words_of(0)", "row_powers(words_of(1)"},
       {"columns not told", "tell_sums_exponent(split, mine.place, sums_exponent);", ";"}});
}

TEST_CASE("faults of gates that come to shared memory show") {
  check(generate(with_gates(rows_of_tile_powers(length, Pass::forward))), forward_error,
        {{"samples measured without their gates", "largest.add_gated(0, load_shared(at),",
          "largest.add(0, load_shared(at)); (void)("},
         {"one gate for all samples", "const Columns gate = load_columns(at +",
          "const Columns gate = load_columns(tile +"}});
  check(generate(with_gates(rows_of_tile_powers(length, Pass::backward))), gradient_error,
        {{"gates left where they are",
          "if (turn.in.exists) load_in_gates(split.conv, turn.in, turn.first_column, tile, thread);", ""},
         {"gates of the row that leaves", "load_in_gates(split.conv, turn.in,", "load_in_gates(split.conv, turn.out,"},
         {"dv by the other row's power", "const float result_scale = scale * scale_from_one(exponent);",
          "const float result_scale = scale * (at.tensor == 0 ? 1.0f : scale_from_one(exponent));"}});
}

TEST_CASE("faults of powers of two of rows that a warp has by itself show") {
  check(generate(rows_of_tile_powers(8192, Pass::forward)), forward_error,
        {{"tiles in the order of longer rows", "return first_column / tile_columns;",
          "return first_column % 256 / tile_columns * (columns / 256) + first_column / 256;"},
         {"the first two tiles of a line for all", "two >> 16 * j & 255", "two & 255"},
         {"one tile for two", ">> lane % 4 / 2 * 8", ""},
         {"one line for all", "load_shared4(words + 4 * a)", "load_shared4(words)"},
         {"tiles left as they are", "mul(x.re[e], powers[e / 2])", "x.re[e]"}});
  check(generate(rows_of_tile_powers(8192, Pass::backward)), gradient_error,
        {{"u's largest forgotten", "largest_of_u = powers.largest;", "largest_of_u = 127;"},
         {"exponents of the other tensor", "of.place.slot + tensor, word_of_lane", "of.place.slot, word_of_lane"}});
}

TEST_CASE("faults of powers of two of a cluster's pieces show") {
  check(generate(rows_of_piece_powers(4)), cluster_error,
        {{"one block told", "at_rank(exponents + column / piece_samples, lane)",
          "at_rank(exponents + column / piece_samples, 0)"},
         {"the first lane's samples alone", "tile_exponent(largest_of_warp(larger_of_both(magnitudes(largest))))",
          "tile_exponent(larger_of_both(magnitudes(largest)))"},
         {"pieces left as they are", "make_uint2(mul(shift.x, power), mul(shift.y, power))", "shift"},
         {"lines the other way",
          "pack(power_below(of_both & 255, largest), power_below(of_both >> 8 * pieces_of_line & 255, largest))",
          "pack(power_below(of_both >> 8 * pieces_of_line & 255, largest), power_below(of_both & 255, largest))"},
         {"warps do not wait for shifts",
          "put_item_shifts(shared, exponents_of(shared, slot), unit_thread % group_threads);\n"
          "    group_barrier<group_threads>(group);",
          "put_item_shifts(shared, exponents_of(shared, slot), unit_thread % group_threads);"},
         {"results of the item that comes", "scale * scale_from_one(largest), place", "scale, place"}});
  check(generate(rows_of_piece_powers(8)), cluster_error,
        {{"one half of a line for both", "warp * columns_per_warp * 8 / piece_samples", "0"}});
}

TEST_CASE("faults of powers of two of rows of 10 times 2 lines show") {
  check(generate(rows_of_tile_powers(81920, Pass::forward)), forward_error,
        {{"the other value's lines", "line % 2 * 16", "(line + 1) % 2 * 16"},
         {"one value's powers for both", "matrix.re[e] = mul(matrix.re[e], powers.of[2 * a + e % 2])",
          "matrix.re[e] = mul(matrix.re[e], powers.of[e % 2])"},
         {"lines in order", "place_in_line(contracted, 32)", "contracted"}});
}

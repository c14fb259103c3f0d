// Faults put into the text of gradients of rows alone in one block: their sums, what waits in memory, and the taps.
#include "gradient_outcome.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr int channels = 2;

// Causal, with as many taps. 16 rows of 256 have their sums in registers; of more than 64 u and dy take turns.
Generated gradients_of(std::int64_t length) {
  ConvConfig config;
  config.length = config.filter_length = length;
  config.padding = Padding::causal;
  config.pass = Pass::backward;
  config.gradients = parse_gradients("du,dk,dd");
  config.arch = "sm_90a";
  return generate(config);
}

bool shows(const Generated& generated, int batch) {
  const auto kernel = shared_kernel_of(generated);
  const std::size_t bytes = kernel->backward_workspace_bytes(batch, channels);
  return gradient_outcome(kernel, recipe_of(batch, channels), bytes, 1).error > 1.0e-2;
}

template <class Program>
void check_faults(const Generated& generated, Program program, const std::vector<Fault>& faults, int batch = 5) {
  CAPTURE(generated.name);
  REQUIRE(are_alone(generated.packing));
  CHECK_FALSE(shows(generated, batch));
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(program(broken).source, fault);
    CHECK(shows(broken, batch));
  }
}

GeneratedKernel& gradients(Generated& generated) { return generated.conv; }
GeneratedKernel& taps(Generated& generated) { return *generated.backward->filter_gradient; }

}  // namespace

TEST_CASE("faults of what comes round of delayed rows show") {
  for (const std::int64_t length : {4094, 16382}) {
    ConvConfig config = gradients_of(length).config;
    config.row_alignment = 2;  // rows here have a gap of one sample
    check_faults(
        generate(config), gradients,
        {{"samples with the other sign", "x[a].im[2 * j] = sub(x[a].im[2 * j]", "x[a].im[2 * j] = add(x[a].im[2 * j]"},
         {"results with the other sign", "pack(-end_scale * sum, -end_scale * sum)",
          "pack(end_scale * sum, end_scale * sum)"},
         {"the next sample", "dy + points", "dy + points + 1"},
         {"no results", "sample < length + delay)", "sample < length)"}},
        2);
  }
}

TEST_CASE("faults of sums of a real row show") {
  ConvConfig config = gradients_of(3000).config;
  config.length = config.filter_length = 0, config.fft_length = 16384, config.padding = Padding::circular;
  check_faults(generate(config), gradients,
               {{"half of the rows", "const int pairs = arguments.batch;", "const int pairs = arguments.batch / 2;"},
                {"rows that are their own mirrors counted twice", "weighed(x[b], real)", "x[b]"},
                {"sums of row rows / 2 where those of another row are", "put_own_sums(first + b, row, sum)",
                 "put_own_sums(first + b, row < rows / 2 ? row : 0, sum)"},
                {"results half as large", "float scale = 2 *", "float scale ="}});
  // What u's frequencies have left in slots that hold no samples is large as bf16.
  config.fft_length = 10240, config.dtype = DataType::bf16, config.scaling = Scaling::found;
  constexpr int rows_of_blocks = 40;
  check_faults(generate(config), gradients, {{"slots between samples", "drop_between(real[b][a].re, lane);", ";"}},
               rows_of_blocks);
}

TEST_CASE("faults of sums in registers show") {
  check_faults(gradients_of(3000), gradients,
               {{"half of the rows", "const int pairs = arguments.batch;", "const int pairs = arguments.batch / 2;"},
                {"another row's sums", "sums_row + (row) *", "sums_row + (row ^ 1) *"},
                {"products that are not added", "add_product(sums[first + b], x[b], g[b]);", ";"}});
}

TEST_CASE("faults of taps that a block makes show") {
  const std::vector<Fault> faults = {
      {"sums of another size", "* taps_gain * range.out", "* taps_gain"},
      {"products that do not go back", "x = contract_as_b<true>(radix16, x);", "x = contract_as_b<false>(radix16, x);"},
      {"results in another row's place", "store_rows_transposed(row_address(row), x);",
       "store_rows_transposed(row_address(row ^ 1), x);"},
      {"samples of two in the other order", "tap % 2 == 0 ? low", "tap % 2 == 1 ? low"},
      {"the first two of eight alone", "tap % 8 / 2 * 4", "0"},
      {"no taps", "if (dk != nullptr) store_global(dk + tap, value);", ";"},
      {"dd of another tap", "dd != nullptr && tap == 0", "dd != nullptr && tap == 1"}};
  constexpr int few = 2;
  check_faults(gradients_of(3000), gradients, faults, few);   // sums in registers
  check_faults(gradients_of(20000), gradients, faults, few);  // and in memory
  // A warp holds the row, and several of them its sums, which come together in the last.
  std::vector<Fault> of_warp = faults;
  of_warp[1] = {"products that do not go back", "x[a] = range.tile(sums[a]);", "x[a] = range.tile(sums[0]);"};
  of_warp[2] = {"sums of one warp", "if (turn > 0) add(sums[row], load_sums(at, lane));", ";"};
  constexpr int all_warps = 6;
  check_faults(gradients_of(1000), gradients, of_warp, all_warps);
}

TEST_CASE("faults of sums in memory, and of frequencies that wait there, show") {
  check_faults(
      gradients_of(20000), gradients,
      {{"sums that do not begin at zero", "store_sums(sums_row + (row) * (sums_bytes / 16), lane, Sums());", ";"},
       {"sums that nothing joins", "join_sums(sums_row + row * (sums_bytes / 16), lane, s);", ";"},
       {"joined by what does not begin at zero", "load_sums(own_sums + i * sums_bytes, lane) : Sums();",
        "load_sums(own_sums + i * sums_bytes, lane) : load_sums(sums_row, lane);"},
       {"u's frequencies of another row", "parked_tile(parked + row *", "parked_tile(parked + (row ^ 1) *"},
       {"u's rows left where dy's were to come", "refill_row(pair, row);", ";"}});
}

TEST_CASE("faults of sums that a cluster's blocks add to in turns show") {
  constexpr int rows = 7;  // two rounds, the last without a row for the fourth block
  check_faults(
      gradients_of(32768), gradients,
      {{"a part that does not begin with its first sums", "if (is_first_row && (members == 1 || turn == 0))",
        "if (is_first_row && members == 1)"},
       {"tiles that any block may join, not from zero", "if (members > 1) store_sums(tile(member",
        "if (members > 4) store_sums(tile(member"},
       {"tiles in shared memory that go on from the channel before",
        "store_sums(resident + turn * sums_bytes, lane, Sums());", ";"},
       {"tiles in shared memory that join nothing", "turns.begin_row(pair + members >= end_pair);",
        "turns.begin_row(false);"},
       {"every block's first part the same", "(member + turn) % cluster_blocks", "turn % cluster_blocks"},
       {"tiles in another order than their sums", "(i + member * part_tiles) % rows_per_warp", "i % rows_per_warp"},
       {"another part's tile", "float4* const to = tile(part_of(turn), i % part_tiles);",
        "float4* const to = tile(part_of(turn + i % part_tiles / 3), i % part_tiles);"},
       {"the same row for all blocks", "const int pair = first_of_round + member;", "const int pair = first_of_round;"},
       {"a channel's first row of the one before", "more ? channel : channel + next_channel", "channel"},
       {"channels that no cluster takes", "channel += next_channel", "channel += 2 * next_channel"},
       {"u's frequencies where another block's wait", "(static_cast<long long>(blockIdx.x) * gridDim.y",
        "(static_cast<long long>(blockIdx.x / 4) * gridDim.y"}},
      rows);
}

TEST_CASE("faults of taps whose points are there at once show") {
  check_faults(gradients_of(3000), taps,
               {{"frequencies that are not conjugated", "float2{re.z, -im.z}", "float2{re.z, im.z}"},
                {"the next row's frequencies", "first + sums_rows * offset, value",
                 "(first + 1) % sums_rows + sums_rows * offset, value"},
                {"samples at whole frequencies", "turns_samples = true", "turns_samples = false"}});
}

TEST_CASE("faults of taps by columns and rows show") {
  check_faults(
      gradients_of(20000), taps,
      {{"frequencies that are not conjugated", "{re[turn].w, -im[turn].w}", "{re[turn].w, im[turn].w}"},
       {"rows at whole frequencies", "roots.multiply_all(x, line);", ";"},
       {"columns at whole frequencies", "x[q] = multiply(x[q], constant_root<4 * radix>(q));", ";"},
       {"another row's points", "place_of(row, column), value", "place_of(row ^ 1, column), value"},
       {"dd of another point", "offset == 0 && dd != nullptr && n == 0", "offset == 0 && dd != nullptr && n == 1"}});
}

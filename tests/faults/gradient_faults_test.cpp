// Faults put into the text of gradients past one block: what says that places are full, read and written back.
#include "gradient_outcome.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr int batch = 7, channels = 1;

// In rows of 256 u and dy take turns, in rows of 2048 they are there together.
Generated gradients_of(int row_length, std::string_view wanted) {
  ConvConfig config;
  config.column_length = 16;
  config.fft_length = config.length = std::int64_t{16} * row_length;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(wanted);
  config.arch = "sm_90a";
  return generate(config);
}

// Shows in a ring as short as can be, or as long, in one of some orders of the warps.
bool shows(const Generated& generated, const Fault& fault) {
  const auto kernel = shared_kernel_of(generated);
  const std::size_t least =
      least_bytes(*kernel, BackwardRun(Machine::host(), kernel, recipe_of(batch, channels), 5).arguments());
  for (const std::size_t bytes : {least, kernel->backward_workspace_bytes(batch, channels)})
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const Outcome outcome = gradient_outcome(kernel, recipe_of(batch, channels), bytes, seed);
      if (outcome.error > 1.0e-2 && outcome.refusal.find(fault.refusal) != std::string::npos) return true;
    }
  return false;
}

constexpr Fault faults[] = {
    {"u's place free with the first of its rows", "place_of_tensor(mine, 0)), 2 * mine.sides);",
     "place_of_tensor(mine, 0)), 2 * column_length);"},
    {"u's place that nobody says is free", "side + 1 == mine.sides)", "false)", stuck},
    {"dy's rows that nobody says are done", "add_to_count(rows_done(split, place_of_tensor(mine, 1)), 2 * mine.sides);",
     ";", stuck},
    {"rows ahead of the columns of dy", "place_of_tensor(of, tensor)), columns_target(of.place));\n}\n\n// A block",
     "place_of_tensor(of, 0)), columns_target(of.place));\n}\n\n// A block"},
};

}  // namespace

TEST_CASE("gradients as they are emitted pass, and every fault of their counts shows") {
  for (const int row_length : {256, 2048}) {
    const Generated generated = gradients_of(row_length, "du,dk");
    CAPTURE(generated.name);
    CHECK_FALSE(shows(generated, {"nothing", "", ""}));
    for (const Fault& fault : faults) {
      CAPTURE(std::string(fault.what));
      Generated broken = generated;
      put(broken.conv.source, fault);
      CHECK(shows(broken, fault));
    }
  }
}

// Rows alone, at frequencies k + 1/4: which rows of frequencies there are, and where their factors and sums are.
TEST_CASE("every fault of rows alone shows") {
  constexpr Fault faults_alone[] = {
      {"frequencies k", "return 4 * number + 1;", "return 4 * number;"},
      {"a row where another would be", "const int row = frequency / 4;",
       "const int row = column_length - 1 - frequency / 4;"},
      {"the spectrum row of a mirror", "    frequency / 4 * (4LL * row_length));",
       "    (spectrum_rows - 1 - frequency / 4) * (4LL * row_length));"},
      {"another row's sums", "* spectrum_rows + frequency / 4;",
       "* spectrum_rows + (spectrum_rows - 1 - frequency / 4);"},
      {"half of the rows", "return arguments.batch; }", "return (arguments.batch + 1) / 2; }"},
      {"results taken for samples", "load_columns(at + tile_plane_bytes)", "load_columns(at)"},
      {"the upper half conjugated as mirrors are", "is_mirrored(int, int) { return false; }",
       "is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }"},
  };
  constexpr Fault faults_of_taps[] = {
      {"rows as a transform of whole places gives them", "(k * (first + line * apart))", "(0)"},
      {"frequencies that are not conjugated", "{re[turn].y, -im[turn].y}", "{re[turn].y, im[turn].y}"},
      {"frequencies of a lane in each other's place", "(to[16], {re[turn].y", "(to[8], {re[turn].y"},
      {"the next row of sums", "return (c % column_length * rows + tile) * tile_words",
       "return ((c + 1) % column_length * rows + tile) * tile_words"},
      {"rows in place of sums that are not read yet", "return (c % column_length * rows + tile) * 256",
       "return ((c + 1) % column_length * rows + tile) * 256"},
      {"roots of the row before", "roots.put(places.first,", "roots.put(max(1, places.first - 4),"},
      {"rows that are read before they have come", "row, array);\n      block_barrier();", "row, array);\n"},
      {"half of the gain", "unscaled(sample * static_cast<float>(gain))",
       "unscaled(sample * static_cast<float>(gain / 2))"},
      {"taps behind the points left as they were", "tap < filter_length; tap += points", "tap < n; tap += points"},
  };
  ConvConfig config;
  config.column_length = 16;
  config.length = 16 * 256 - 296;
  config.fft_length = 2 * 16 * 256;
  config.filter_length = config.fft_length - config.length + 1;
  config.padding = Padding::causal;
  config.batch = 1;
  config.pass = Pass::backward;
  config.gradients = parse_gradients("du,dk");
  config.arch = "sm_90a";
  const Generated generated = generate(config);
  REQUIRE(generated.packing == Packing::right_angle);
  CHECK_FALSE(shows(generated, {"nothing", "", ""}));
  for (const Fault& fault : faults_alone) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(broken.conv.source, fault);
    CHECK(shows(broken, fault));
  }
  for (const Fault& fault : faults_of_taps) {
    CAPTURE(std::string(fault.what));
    Generated broken = generated;
    put(broken.backward->filter_gradient->source, fault);
    CHECK(shows(broken, fault));
  }
}

TEST_CASE("where dk alone is wanted, both places are free as they are read") {
  for (const int row_length : {256, 2048}) {
    const Generated generated = gradients_of(row_length, "dk");
    CAPTURE(generated.name);
    CHECK(generated.conv.source.find("add_to_count(rows_done(") == std::string::npos);
    CHECK_FALSE(shows(generated, {"nothing", "", ""}));
  }
}

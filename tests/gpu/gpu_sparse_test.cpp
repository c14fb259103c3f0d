// Masked convolutions on a GPU, against float64 with the masked filter.
#include <doctest/doctest.h>

#include "conv_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Run {
  ConvConfig config;
  int batch, channels;
};

Run run_of(std::int64_t n, FrequencyMask mask, int batch, int channels, std::int64_t length = 0,
           Gating gating = Gating::none, DataType dtype = DataType::fp16, int columns = 0) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length > 0 ? length : n;
  config.padding = config.length == n ? Padding::circular : Padding::padded;
  config.gating = gating;
  config.dtype = dtype;
  config.column_length = columns;
  config.mask = std::move(mask);
  return {config, batch, channels};
}

void require_all(const std::vector<Run>& runs) {
  static const auto device = open_device();
  static unsigned seed = 8000;
  compile_ahead(device, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto kernel = get_kernel(runs[i].config, device->device());
    CAPTURE(kernel->name());
    CAPTURE(to_string(runs[i].config));
    Recipe recipe;
    recipe.batch = runs[i].batch;
    recipe.channels = runs[i].channels;
    recipe.skip = i % 2 == 0;
    recipe.row_gap = runs[i].batch % 2;
    CHECK(relative_error(device, runs[i].config, recipe, ++seed) <= bar(*kernel));
  }
}

}  // namespace

TEST_CASE("within one block: rows dropped, tiles halved, every kind of kernel") {
  require_all({run_of(256, low_pass(0.2, 256), 7, 33), run_of(256, keep_counts({8, 16}, {16, 16}), 8, 5),
               run_of(512, keep_values({{1}, {0, 17, 200}}, {2, 256}), 3, 9),
               run_of(1024, keep_counts({2, 256}, {4, 256}), 5, 17, 512, Gating::both, DataType::bf16),
               run_of(2048, keep_counts({8, 8, 16}, {8, 16, 16}), 6, 11, 0, Gating::both),
               run_of(4096, keep_counts({8, 16, 16}, 4096), 65, 8), run_of(4096, keep_counts({8, 8, 6}, 4096), 9, 8),
               run_of(4096, low_pass(0.25, 4096), 64, 8, 2048, Gating::both, DataType::bf16),
               run_of(4096, keep_values({{3, 5}, {0, 1, 2}, {1}}, {16, 16, 16}), 5, 8),
               run_of(8192, keep_counts({16, 16, 32}, 8192), 4, 9, 4096, Gating::out),
               run_of(16384, keep_counts({16, 16, 16}, {16, 32, 32}), 5, 7),
               run_of(32768, keep_counts({16, 16, 28}, 32768), 3, 5), run_of(32768, low_pass(0.25, 32768), 4, 5),
               run_of(992, keep_counts({16, 16}, {32, 31}), 3, 5)});
}

TEST_CASE("past one block: rows out of the workspace, in rows, halved tiles, lone rows") {
  require_all({run_of(65536, keep_counts({16, 32, 32}, {32, 32, 64}), 5, 6),
               run_of(65536, keep_values({{3, 5}, {0, 7}, {2}}, {32, 32, 64}), 4, 7),
               run_of(131072, low_pass(0.25, 131072), 3, 5, 0, Gating::both, DataType::bf16),
               run_of(262144, keep_counts({16, 16, 16, 24}, {16, 16, 32, 32}), 1, 9, 131072),
               run_of(1048576, keep_counts({16, 16, 32, 32}, 1048576), 5, 6, 0, Gating::both),
               run_of(1048576, keep_counts({16, 16, 24, 24}, 1048576), 2, 9, 524288, Gating::none, DataType::bf16)});
}

TEST_CASE("so few rows of frequencies that columns make them all at once") {
  const FrequencyMask few = keep_counts({7, 32, 32}, {32, 32, 64}),
                      one = keep_values({{3, 5}, {0, 7}, {2}}, {32, 32, 64});
  require_all({run_of(65536, few, 5, 6, 0, Gating::none, DataType::fp16, 128),
               run_of(65536, few, 1, 7, 0, Gating::both, DataType::bf16, 128),
               run_of(65536, one, 3, 5, 0, Gating::none, DataType::fp16, 64),
               run_of(65536, few, 4, 6, 32768, Gating::in, DataType::fp16, 64),
               run_of(1048576, keep_counts({16, 8, 32, 32}, 1048576), 5, 6, 0, Gating::both, DataType::fp16, 128)});
}

TEST_CASE("2097152 = 32 x 32 x 32 x 64 as in the paper") {
  for (const std::vector<std::int64_t>& counts : std::vector<std::vector<std::int64_t>>{
           {16, 32, 32, 64}, {16, 16, 32, 64}, {16, 16, 28, 60}, {16, 16, 24, 56}, {16, 16, 16, 48}})
    for (const int columns : {0, 256})
      require_all({run_of(2097152, keep_counts(counts, 2097152), 3, 4, 0, Gating::none, DataType::fp16, columns)});
}

// Filter kernels of long transforms: their launches, chunk after chunk, what is refused, and that NVRTC takes them.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "compiler.hpp"
#include "filter_launches.hpp"
#include "long_filter.hpp"

using namespace ffc;
using namespace ffc::filter_tests;

TEST_CASE("launches go through the steps of one chunk after the other") {
  Generated generated = generated_of({.column_length = 16, .row_length = 256});
  CHECK(generated.filter_steps == 3);  // columns, rows, spectrum
  generated.filter_blocks = 4;
  FilterArguments all;
  all.k = reinterpret_cast<const float*>(0x1000);
  all.skip = reinterpret_cast<const float*>(0x2000);
  all.spectrum = reinterpret_cast<void*>(0x4000);
  all.workspace = reinterpret_cast<void*>(0x8000);
  all.tables = reinterpret_cast<const void*>(0x9000);
  all.k_channel_stride = std::int64_t{1} << 32;  // 4 channels of it are more than an int holds
  all.channels = 10;
  all.filter_length = 77;
  int launches = 0;
  for_each_filter_launch(generated, all, [&](const LongFilterArguments& got, const LaunchGrid& grid) {
    const int chunk = launches / 3;
    CHECK(got.step == launches % 3);
    CHECK(got.channels == (chunk < 2 ? 4 : 2));
    CHECK(got.k == all.k + 4 * chunk * all.k_channel_stride);
    CHECK(got.skip == all.skip + 4 * chunk);
    CHECK(got.spectrum == static_cast<unsigned char*>(all.spectrum) + 4 * chunk * generated.spectrum_row_bytes);
    CHECK(got.workspace == all.workspace);
    CHECK(got.tables == all.tables);
    CHECK(got.k_channel_stride == all.k_channel_stride);
    CHECK(got.filter_length == 77);
    CHECK(static_cast<int>(grid.x) == generated.filter_shares);
    CHECK(grid.y == static_cast<unsigned>(got.channels));
    ++launches;
  });
  CHECK(launches == 9);
  CHECK(filter_chunks(generated, 8) == 2);
  CHECK(filter_chunks(generated, 1) == 1);
  all.skip = nullptr;
  const FilterLaunch last = filter_launch(generated, all, 2, 2);
  CHECK(last.arguments.skip == nullptr);
  CHECK(static_cast<int>(last.grid.x) == generated.filter_shares);
}

TEST_CASE("what a chunk holds is bounded by 128 MB of workspace") {
  const Generated little = generated_of({.column_length = 16, .row_length = 256});
  CHECK(little.transform_length == 4096);
  CHECK(little.spectrum_row_bytes == 9 * 4 * 256 + 16);
  CHECK(little.filter_workspace_bytes_per_block == 4 * 4096 + 256);
  CHECK(little.filter_blocks == (128 << 20) / (4 * 4096 + 256));
  const Generated longest = generated_of({.column_length = 512, .row_length = 32768});
  CHECK(longest.filter_workspace_bytes_per_block == (64 << 20) + 256);
  CHECK(longest.filter_blocks == 1);
  CHECK(longest.filter.tables.size() == 32768);
  CHECK(longest.spectrum_row_bytes == 257 * 4 * 32768 + 16);
}

TEST_CASE("lengths and rows that no filter kernel takes are refused") {
  const SpectrumLayout layout = layout_of({.column_length = 16, .row_length = 256});
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 0, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 15, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 4096, 32, "sm_80"), std::logic_error);  // frequencies past the row
  CHECK_THROWS_AS((void)emit_long_filter(layout, 256 * 67, 67, "sm_80"), std::logic_error);
  CHECK_THROWS_AS((void)emit_long_filter(layout, 1 << 26, 1 << 18, "sm_80"), std::logic_error);
}

TEST_CASE("NVRTC compiles them") {
  Compiler nvrtc([] { return load_nvrtc(nvrtc_candidates()); }, {.root = {}, .disabled = true, .warn = {}});
  const auto check = [&](const LongFilter& test, const char* arch) {
    const GeneratedKernel kernel = emit_long_filter(layout_of(test), length_of(test), test.column_length, arch);
    const CompiledProgram program = nvrtc.compile(kernel, arch);
    CAPTURE(program.log);
    CHECK(program.cubin.find(kernel.name) != std::string::npos);
  };
  check({.column_length = 512, .row_length = 32768}, "sm_90a");
  check({.column_length = 3 * 59, .row_length = 256}, "sm_80");
}

// Rows one by one past one block, forced on short ones and run on the host, against float64: halves of columns as the
// parts of complex ones, whose frequencies the rows take apart.
#include <doctest/doctest.h>

#include <string>

#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "split_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// The hint chooses the plan; a launch may have any batch.
ConvConfig config_of(const ColumnCase& test) {
  ConvConfig config = column_config(test);
  config.batch = 1;
  return config;
}

void require_single(const Kernel& kernel) {
  REQUIRE(kernel.generated().split);
  REQUIRE(are_alone(kernel.generated().split->packing));
  REQUIRE(kernel.name().find("_single") != std::string::npos);
}

void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  require_accurate_kernel(config, recipe, next_seed(), require_single);
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  require_accurate(config, gapped(batch, channels));
}

bool goes_one_by_one(const ConvConfig& config) {
  const Plan plan = make_plans(normalised(config)).front();
  return plan.family() == Family::split && plan->packing == Packing::half_length;
}

}  // namespace

TEST_CASE("rows go one by one where the batch is one, and where they are long") {
  ConvConfig config;
  config.arch = "sm_90a";
  for (const std::int64_t n : {131072, 524288, 1048576, 2097152, 8388608})
    for (const int batch : {0, 1, 2, 3, 64}) {
      config.fft_length = n;
      config.column_length = n == 8388608 ? 512 : 128;
      config.batch = batch;
      CAPTURE(n);
      CAPTURE(batch);
      // Rows of 1024 have no butterfly in front of a product.
      CHECK(goes_one_by_one(config) == (n >= 2097152 || (batch == 1 && n >= 524288)));
    }
  ConvConfig masked = config;
  masked.batch = 1;
  masked.mask = low_pass(0.25, masked.fft_length);
  CHECK_FALSE(goes_one_by_one(masked));
  ConvConfig gradients = config;
  gradients.batch = 1;
  gradients.pass = Pass::backward;
  CHECK(make_plans(normalised(gradients)).front()->packing == Packing::two_rows);
}

TEST_CASE("a place of the ring is half of a pair's, and the spectrum that of pairs") {
  const ColumnCase test{16, 8192};
  const Generated single = get_kernel(config_of(test), machine()->device())->generated();
  const Generated pairs = get_kernel(column_config(test), machine()->device())->generated();
  REQUIRE(are_alone(single.split->packing));
  REQUIRE(!are_alone(pairs.split->packing));
  CHECK(2 * single.split->pair_bytes() == pairs.split->pair_bytes());
  CHECK(single.split->pairs(3, 5) == 15);
  CHECK(pairs.split->pairs(3, 5) == 8);
  CHECK(single.spectrum_tag == pairs.spectrum_tag);
  CHECK(single.name != pairs.name);
}

TEST_CASE("columns of every length, circular") {
  int i = 0;
  for (const int columns : {16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    require_accurate(config_of({columns, 4096, 0, Gating::none, dtype}), columns >= 48 ? 1 : 1 + i % 3,
                     columns < 48 ? 2 : 1);
  }
}

TEST_CASE("rows of several kinds") {
  require_accurate(config_of({16, 8192}), 3, 2);
  require_accurate(config_of({16, 8192, 0, Gating::none, DataType::bf16}), 1, 1);
  ConvConfig config = config_of({32, 4096});
  config.radices = {16, 2, 2, 8, 16, 16};
  require_accurate(config, 2, 1);
}

TEST_CASE("rows of 16384: twiddles of steps, a spectrum that is copied ahead") {
  require_accurate(config_of({16, 16384}), 2, 1);
  require_accurate(config_of({16, 16384, 60000, Gating::both}), 1, 2);
  require_accurate(config_of({32, 16384, 131072}), 1, 1);
}

TEST_CASE("zero-padded rows, gates, odd alignments") {
  require_accurate(config_of({16, 4096, 16384, Gating::both}), 3, 2);
  require_accurate(config_of({16, 4096, 16384, Gating::none, DataType::bf16}), 2, 3);
  require_accurate(config_of({16, 4096, 16000, Gating::in}), 1, 2);
  require_accurate(config_of({16, 4096, 65533, Gating::in, DataType::bf16}), 3, 2);
  require_accurate(config_of({16, 4096, 9874, Gating::out}), 2, 2);
  require_accurate(config_of({16, 4096, 32768 + 2000}), 1, 2);        // half of a row of samples
  require_accurate(config_of({16, 4096, 1600, Gating::both}), 3, 2);  // the later half of no column
  require_accurate(config_of({16, 4096, 7, Gating::both}), 3, 2);
  require_accurate(config_of({48, 4096, 120001, Gating::both}), 1, 2);
  require_accurate(config_of({256, 4096, 250002, Gating::both, DataType::bf16}), 1, 1);
}

TEST_CASE("circular rows with gates, two archs") {
  for (const std::string arch : {"sm_80", "sm_90a"})
    require_accurate(config_of({16, 4096, 0, Gating::both, DataType::fp16, arch}), 3, 2);
  require_accurate(config_of({16, 4096, 0, Gating::in}), 2, 3);
  require_accurate(config_of({16, 4096, 0, Gating::out, DataType::bf16}), 3, 1);
  require_accurate(config_of({16, 4096, 65532, Gating::both}), 2, 1);  // rows aligned to 8 bytes
}

TEST_CASE("causal convolutions") {
  ConvConfig config = config_of({16, 4096, 40000, Gating::none});
  config.padding = Padding::causal;
  config.filter_length = 65536 - 40000 + 1;  // as many taps as there is room for
  require_accurate(config, 3, 1);
  config.length = config.filter_length = 16384;  // half of the products
  require_accurate(config, 1, 3);
  config.length = 64001;
  config.filter_length = 100;
  config.gating = Gating::both;
  require_accurate(config, 2, 2);
}

TEST_CASE("every channel has a filter of its own, and a scale; the skip term, filters of any gain") {
  check_channel_filters(config_of({16, 4096}), require_single);
  check_filter_gains(config_of({16, 4096}), config_of({32, 4096, 0, Gating::none, DataType::bf16}), require_single);
}

TEST_CASE("accumulation in fp32") {
  ConvConfig config = config_of({16, 4096});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
}

TEST_CASE("input_exponent moves the range") {
  check_input_exponents(config_of({16, 4096, 0, Gating::none, DataType::bf16}), require_single);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  for (const ColumnCase& test : {ColumnCase{16, 4096}, ColumnCase{32, 4096, 0, Gating::none, DataType::bf16}}) {
    const ConvConfig config = config_of(test);
    check_demanding_samples(config, config.fft_length, 5, require_single);
  }
}

TEST_CASE("workspaces of any size give the same bits") {
  check_workspaces(config_of({16, 4096, 16384, Gating::both}), 5, 2);
  check_workspaces(config_of({16, 4096, 16384, Gating::both}), 1, 5);
  check_workspaces(config_of({16, 8192}), 3, 2);
  check_workspaces(config_of({16, 4096}), 1, 5);
}

TEST_CASE("what is not finite reaches no row but its own") { check_spoils_itself_alone(config_of({16, 4096})); }

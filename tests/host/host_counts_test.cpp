// What a kernel counts on the host is what its plan predicts, and no access to shared memory meets a bank conflict.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Counts of so many rows of each channel.
HostCounts counts_of_rows(const Kernel& kernel, int batch_rows, int channels = 1) {
  const auto machine = Machine::host();
  const ConvConfig& config = kernel.config();
  const auto length = static_cast<std::size_t>(config.length);
  const auto count = static_cast<std::size_t>(batch_rows * channels) * length;
  const Buffer rows = Buffer::of(machine, std::vector<std::uint16_t>(count, 0x3c00));
  const Buffer y(machine, 2 * count);
  const Buffer k =
      Buffer::of(machine, std::vector<float>(static_cast<std::size_t>(channels * config.filter_length), 0.01f));
  LaunchArguments arguments;
  arguments.u = {rows.data(), channels * config.length, config.length};
  if (has_in_gate(config.gating)) arguments.w = arguments.u;
  if (has_out_gate(config.gating)) arguments.v = arguments.u;
  arguments.y = {y.data(), channels * config.length, config.length};
  arguments.batch = batch_rows;
  arguments.channels = channels;
  arguments.spectrum = kernel.prepare_filter({k.at<float>(0), nullptr, config.filter_length, channels});
  HostOptions options;
  options.slices = 1;
  return profile(kernel, arguments, options);
}

HostCounts counts_of(const Kernel& kernel, int pairs) { return counts_of_rows(kernel, 2 * pairs); }

// What a split plan does on the host beside its prediction, which is of a full ring on a GPU whose blocks keep their
// frequencies.
struct HostExtra {
  double wavefronts = 0, barrier_arrivals = 0, bytes_read = 0;
};

// One product makes all the rows of frequencies that a mask keeps of a column.
bool contracts_kept(const FourStepPlan& plan, const SplitLaunch& split) {
  const ColumnShape& columns = plan.columns;
  const bool halves = 2 * plan.length <= plan.transform_length;
  return plan.sparsity > 0 && split.spectrum_rows <= 16 && columns.butterfly > 1 &&
         (!halves || columns.butterfly % 2 == 0);
}

// Of a unit of columns, for a tile that comes or leaves by itself: it need not wait for a pair that leaves.
int turn_barriers(const FourStepPlan& plan, const ConvConfig& config, const SplitLaunch& split) {
  const ColumnShape& columns = plan.columns;
  const bool both = columns.tiles > 1;
  const int spared = !contracts_kept(plan, split)                       ? 0
                     : !both                                            ? 2
                     : columns.gate_tile && config.gating != Gating::in ? 0
                                                                        : 1;
  return (both ? 4 : 7) - spared;
}

// Of blocks that walk over channels: a group keeps the spectrum that it has read for its first row or window.
HostExtra first_spectra(const InBlockPlan& plan, int few, int more) {
  if (!plan.geometry.walks_channels || plan.geometry.spectrum != Placement::registers) return {};
  const std::int64_t items_of_pair = 2 * (plan.windows ? plan.windows->count : 1);
  const auto working = [&](int pairs) { return std::min<std::int64_t>(plan.geometry.groups, pairs * items_of_pair); };
  HostExtra extra;
  extra.bytes_read = 1024.0 * static_cast<double>(working(more) - working(few)) * plan.factor_rows();
  return extra;
}

// A block makes the twiddles of every frequency anew for each round of its groups over the rows; and until the ring is
// full, pairs come and leave by themselves, with barriers of their own. Of rows one by one a pair is two, with a place
// each. A spectrum that blocks keep is read for every row, as they are at another frequency before the next one.
HostExtra split_extra(const FourStepPlan& plan, const ConvConfig& config, const SplitLaunch& split, bool lacks_power,
                      int ring, int few, int more) {
  const InBlockPlan& rows = plan.row_plan;
  const int places_of_pair = 2 / packed_rows(plan.packing);
  const int items_of_pair = rows.rows() <= 2 ? places_of_pair : 2;  // a row with its mirror, or one
  const int taken = std::min(rows.geometry.groups, ring * items_of_pair / places_of_pair);
  const auto rounds = [&](int pairs) { return (items_of_pair * pairs + taken - 1) / taken; };
  const double made = (rounds(more) - rounds(few)) * split.spectrum_rows;
  const double row = static_cast<double>(plan.transform_length) / plan.columns.length();
  const double tiles_of_place = row / plan.columns.columns() / (plan.packing == Packing::half_length ? 2 : 1);
  HostExtra extra;
  if (rows.geometry.twiddle == Placement::shared) extra.wavefronts = made * rows.factor_rows() * 8;
  if (rows.geometry.twiddle == Placement::steps) extra.wavefronts = made * 8 * rows.outer_butterfly / 32;
  // Matrices down the rows' columns that carry the twiddles of the samples 256 apart.
  if (rows.tile_first() && rows.outer_butterfly > 1) extra.wavefronts += made * 2 * rows.outer_butterfly * 8;
  const int warps = rows.geometry.threads() / 32;
  extra.barrier_arrivals = made * 2 * warps;
  extra.barrier_arrivals += (std::min(places_of_pair * more, ring) - places_of_pair * few) *
                            turn_barriers(plan, config, split) * tiles_of_place * plan.columns.warps;
  // Where a mask's row of frequencies is, every thread looks up, and those that work on a row where the next one is.
  const double rows_worked_on = static_cast<double>(items_of_pair) * (more - few) * split.spectrum_rows;
  if (!plan.kept_columns.empty())
    extra.bytes_read += (made * rows.geometry.threads() + rows_worked_on * rows.geometry.group_threads()) * 4;
  const int rows_of_pair =
      plan.columns.length() * (plan.right_angle() ? 2 : 1) + (plan.packing == Packing::half_length ? 2 : 0);
  if (rows.geometry.spectrum == Placement::registers)
    extra.bytes_read += 1024.0 * (more - few) * rows_of_pair * rows.factor_rows();
  // The power of two that a spectrum lacks, every thread of a row.
  if (lacks_power) extra.bytes_read += 4.0 * (more - few) * rows_of_pair * rows.geometry.group_threads();
  return extra;
}

int groups_of(const Plan& plan) {
  if (const ColumnsAndRowsPlan* const split = plan.columns_and_rows()) return split->row_plan.geometry.groups;
  const auto* const block = plan.as<InBlockPlan>();
  return block != nullptr ? block->geometry.groups : 1;
}

HostExtra host_extra(const Plan& plan, const ConvConfig& config, const Generated& generated, int ring, int few,
                     int more) {
  const bool lacks_power = generated.filter_steps == 2;
  if (generated.split)
    return split_extra(*plan.as<FourStepPlan>(), config, *generated.split, lacks_power, ring, few, more);
  const auto* const block = plan.as<InBlockPlan>();
  return block != nullptr ? first_spectra(*block, few, more) : HostExtra{};
}

// Of `more` pairs beyond `few`: what a block does once is in both. `most_conflicts`: of the wavefronts, beside those
// that are predicted.
void check_counts(const ConvConfig& config, double most_conflicts = 0) {
  const auto kernel = get_kernel(config, Device::host());
  CAPTURE(kernel->name());
  const Plan plan = make_plans(kernel->config()).front();
  const Work work = predict_work(plan, kernel->config());
  const int few = 1, more = 2 + groups_of(plan);
  const std::optional<SplitLaunch>& split = kernel->generated().split;
  const std::int64_t ring = split ? split->ring_of(static_cast<std::int64_t>(kernel->workspace_bytes())) : few;
  const HostExtra extra = host_extra(plan, kernel->config(), kernel->generated(), static_cast<int>(ring), few, more);
  const HostCounts one = counts_of(*kernel, few), two = counts_of(*kernel, more);
  const double pairs = more - few;
  CHECK(static_cast<double>(two.matrix_products - one.matrix_products) == pairs * work.matrix_products);
  CHECK(static_cast<double>(two.bytes_written - one.bytes_written) == pairs * work.bytes_written);
  if (plan.family() == Family::general) return;
  CHECK(static_cast<double>(two.bytes_read - one.bytes_read) == pairs * work.bytes_read + extra.bytes_read);
  const double wavefronts = static_cast<double>(two.wavefronts - one.wavefronts);
  const double predicted = pairs * work.wavefronts + extra.wavefronts;
  CHECK(wavefronts >= predicted);
  CHECK(wavefronts <= (1 + most_conflicts) * predicted);
  CHECK(static_cast<double>(two.block_barriers - one.block_barriers) ==
        pairs * work.barrier_arrivals + extra.barrier_arrivals);
  if (most_conflicts > 0) return;
  CHECK(two.conflicts == 0);
  for (const HostSite& site : two.sites) {
    CAPTURE(site.line);
    CAPTURE(site.text);
    CHECK(site.conflicts == 0);
  }
}

ConvConfig config_of(std::int64_t n, std::int64_t length, Gating gating) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = length == n ? Padding::circular : Padding::padded;
  config.gating = gating;
  config.arch = "sm_90a";
  return config;
}

}  // namespace

TEST_CASE("counts of every kind of tiled kernel are those of its plan, without a bank conflict") {
  for (const std::int64_t n : {256, 512, 768, 1024, 2048, 2304, 4096, 6144, 8192})
    for (const std::int64_t length : {n, n / 2})
      for (const Gating gating : {Gating::none, Gating::both}) check_counts(config_of(n, length, gating));
}

TEST_CASE("counts of clusters are those of their plans, without a bank conflict") {
  struct Case {
    int blocks;
    std::int64_t n, length;
    Gating gating;
  };
  for (const Case& test : {Case{2, 8192, 8192, Gating::none}, Case{4, 16384, 8192, Gating::both},
                           Case{8, 32768, 32768, Gating::none}, Case{2, 16384, 16384, Gating::both}}) {
    ConvConfig config = config_of(test.n, test.length, test.gating);
    config.column_length = test.blocks;
    check_counts(config);
  }
}

TEST_CASE("counts of windows are those of their plans, without a bank conflict") {
  struct Case {
    int n, length, taps;
    Gating gating;
  };
  for (const Case& test :
       {Case{256, 1000, 65, Gating::none}, Case{256, 704, 60, Gating::both}, Case{512, 1024, 257, Gating::both},
        Case{1024, 768 * 3, 256, Gating::none}, Case{1024, 2048, 900, Gating::in}, Case{2048, 4000, 1025, Gating::none},
        Case{4096, 8000, 1024, Gating::none}, Case{4096, 6000, 1000, Gating::both},
        Case{8192, 10000, 2048, Gating::none}, Case{8192, 8192, 5000, Gating::both}}) {
    ConvConfig config = config_of(test.n, test.length, test.gating);
    config.padding = Padding::causal;
    config.filter_length = test.taps;
    REQUIRE(make_plans(normalised(config)).front()->windows);
    check_counts(config);
  }
}

TEST_CASE("counts of windows alone are those of their plans, without a bank conflict") {
  struct Case {
    std::vector<int> radices;
    int length, taps;
    Gating gating;
  };
  for (const Case& test :
       {Case{{16, 16, 16}, 20000, 2048, Gating::none}, Case{{16, 16, 16}, 12288, 1000, Gating::both},
        Case{{12, 16, 16}, 10000, 65, Gating::in}, Case{{16, 2, 16, 16}, 24576, 4001, Gating::none},
        Case{{16, 2, 16, 16}, 20000, 2048, Gating::both}, Case{{16, 4, 16, 16}, 49152, 8192, Gating::none},
        Case{{16, 8, 16, 16}, 98304, 16384, Gating::both}}) {
    ConvConfig config = config_of(0, test.length, test.gating);
    config.padding = Padding::causal;
    config.filter_length = test.taps;
    config.radices = test.radices;
    config.fft_length = 2;
    for (const int radix : test.radices) config.fft_length *= radix;
    REQUIRE(make_plans(normalised(config)).front()->right_angle());
    check_counts(config);
  }
}

TEST_CASE("counts of rows alone are those of their plans, without a bank conflict") {
  struct Case {
    std::vector<int> radices;
    int length;
    Gating gating;
  };
  for (const Case& test : {Case{{16, 16, 16}, 4096, Gating::none}, Case{{16, 16, 16}, 4096, Gating::both},
                           Case{{12, 16, 16}, 2816, Gating::in}, Case{{16, 2, 16, 16}, 8192, Gating::none},
                           Case{{16, 2, 16, 16}, 7680, Gating::both}, Case{{16, 4, 16, 16}, 16384, Gating::none},
                           Case{{16, 8, 16, 16}, 32768, Gating::none}, Case{{16, 8, 16, 16}, 32768, Gating::both}}) {
    ConvConfig config = config_of(0, test.length, test.gating);
    config.radices = test.radices;
    config.fft_length = 2;
    for (const int radix : test.radices) config.fft_length *= radix;
    REQUIRE(make_plans(normalised(config)).front()->right_angle());
    check_counts(config);
  }
}

TEST_CASE("products of the general family are those of its plan") {
  for (const std::vector<int>& radices : std::vector<std::vector<int>>{{31, 32}, {7, 11, 13}, {20, 40}}) {
    ConvConfig config = config_of(radices[0] * radices[1] * (radices.size() > 2 ? radices[2] : 1), 0, Gating::none);
    config.length = config.fft_length;
    config.padding = Padding::circular;
    config.radices = radices;
    check_counts(config);
  }
}

TEST_CASE("counts of transforms past one block are those of their plans, without a bank conflict") {
  struct Case {
    int n, column_length, length;
    Gating gating;
  };
  for (const Case& test :
       {Case{4096, 16, 4096, Gating::none}, Case{4096, 16, 2048, Gating::none}, Case{4096, 16, 4096, Gating::both},
        Case{4096, 16, 2048, Gating::both}, Case{16384, 32, 16384, Gating::none}, Case{16384, 32, 8192, Gating::both},
        Case{24576, 48, 12288, Gating::in}, Case{36864, 16, 36864, Gating::none}, Case{73728, 16, 73728, Gating::none},
        Case{65536, 256, 65536, Gating::none}, Case{131072, 512, 50000, Gating::none},
        Case{65536, 256, 65536, Gating::both}, Case{131072, 512, 50000, Gating::both},
        Case{262144, 16, 262144, Gating::none}, Case{327680, 80, 327680, Gating::none}}) {
    ConvConfig config = config_of(test.n, test.length, test.gating);
    config.column_length = test.column_length;
    check_counts(config);
  }
}

TEST_CASE("counts of masked transforms past one block are those of their plans, without a bank conflict") {
  struct Case {
    int column_length, row_length;
    std::int64_t kept;  // rows of frequencies
    int length;
    Gating gating;
  };
  for (const Case& test : {Case{128, 512, 31, 128 * 512, Gating::none}, Case{64, 256, 5, 64 * 256, Gating::both},
                           Case{128, 256, 16, 64 * 256, Gating::none}, Case{32, 512, 7, 7000, Gating::both},
                           Case{48, 256, 9, 48 * 256, Gating::none}, Case{64, 256, 48, 64 * 256, Gating::none},
                           Case{128, 256, 41, 64 * 256, Gating::none}}) {
    ConvConfig config = config_of(test.column_length * test.row_length, test.length, test.gating);
    config.column_length = test.column_length;
    config.mask = keep_counts({test.kept, test.row_length}, {test.column_length, test.row_length});
    check_counts(config);
  }
}

TEST_CASE("counts of rows one by one in the ring are those of their plans, without a bank conflict") {
  struct Case {
    int n, column_length, length;
    Gating gating;
  };
  for (const Case& test : {Case{131072, 16, 131072, Gating::none}, Case{131072, 16, 70000, Gating::both},
                           Case{262144, 32, 140000, Gating::none}, Case{131072, 16, 120000, Gating::in},
                           Case{262144, 16, 160000, Gating::out}, Case{262144, 16, 262144, Gating::none},
                           Case{196608, 48, 196608, Gating::none}}) {
    ConvConfig config = config_of(test.n, test.length, test.gating);
    config.column_length = test.column_length;
    config.batch = 1;
    REQUIRE(make_plans(normalised(config)).front()->packing == Packing::half_length);
    check_counts(config);
  }
}

TEST_CASE("counts of rows alone in the ring are those of their plans, without a bank conflict") {
  struct Case {
    int n, column_length, length;
    Gating gating;
  };
  for (const Case& test : {Case{8192, 16, 4096, Gating::none}, Case{16384, 16, 8192, Gating::both},
                           Case{32768, 32, 12000, Gating::in}, Case{49152, 48, 24576, Gating::out},
                           Case{73728, 16, 36864, Gating::none}, Case{147456, 16, 73728, Gating::none},
                           Case{131072, 256, 65536, Gating::none}, Case{262144, 512, 100000, Gating::none},
                           Case{524288, 16, 262144, Gating::none}, Case{393216, 48, 196608, Gating::none}}) {
    ConvConfig config = config_of(test.n, test.length, test.gating);
    config.column_length = test.column_length;
    config.batch = 1;
    const Plan plan = make_plans(normalised(config)).front();
    CAPTURE(test.n);
    REQUIRE(plan.family() == Family::split);
    REQUIRE(plan->right_angle());
    check_counts(config);
  }
}

// Its frequencies below zero are the conjugates of those above: half of its rows are not transformed, and of those that
// are their own mirrors one plane is.
TEST_CASE("a row without a partner costs about half of a pair between the columns, and two of two channels one") {
  for (const auto& [n, column_length] : {std::pair{4096, 16}, std::pair{24576, 48}, std::pair{65536, 256}}) {
    ConvConfig config = config_of(n, n, Gating::none);
    config.column_length = column_length;
    const auto kernel = get_kernel(config, Device::host());
    CAPTURE(kernel->name());
    const Plan plan = make_plans(kernel->config()).front();
    const Work work = predict_work(plan, kernel->config());
    const int points_of_row = n / column_length, spared_rows = column_length / 2 - 1;
    const double row_length = points_of_row, spared = spared_rows;
    const HostCounts lone = counts_of_rows(*kernel, 1), both = counts_of_rows(*kernel, 2);
    const HostCounts two_lone = counts_of_rows(*kernel, 1, 2);
    const double column_products =
        row_length * plan.as<FourStepPlan>()->columns.butterfly;  // 8 for 8 columns and value of the butterfly
    const double row_products = (work.matrix_products - column_products) / column_length;
    CHECK(static_cast<double>(both.matrix_products - lone.matrix_products) == spared * row_products);
    // Columns write and read the whole place in either case, rows what there is of them.
    const double of_rows = 4 * row_length * (spared + 1);
    CHECK(static_cast<double>(both.bytes_written - lone.bytes_written) == 2 * n + of_rows);
    const double tables = work.bytes_read - 4 * n - 2 * 4 * n;
    CHECK(static_cast<double>(both.bytes_read - lone.bytes_read) >= 2 * n + of_rows);
    CHECK(static_cast<double>(both.bytes_read - lone.bytes_read) <= 2 * n + of_rows + tables);
    // Two more rows are transformed, each with half of the planes, and all by the filters of their own channels.
    CHECK(static_cast<double>(two_lone.matrix_products - both.matrix_products) == 2 * row_products);
    CHECK(two_lone.bytes_written == both.bytes_written);
    CHECK(two_lone.bytes_read - both.bytes_read == 2 * 4 * static_cast<std::int64_t>(row_length));
    CHECK(lone.conflicts == 0);
    CHECK(two_lone.conflicts == 0);
  }
}

// The same as host_counts_test.cpp of transforms past one block, in columns and rows.
#include <utility>

#include "predicted_counts.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

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
    ConvConfig config = config_of_counts(test.n, test.length, test.gating);
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
    ConvConfig config = config_of_counts(test.column_length * test.row_length, test.length, test.gating);
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
    ConvConfig config = config_of_counts(test.n, test.length, test.gating);
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
    ConvConfig config = config_of_counts(test.n, test.length, test.gating);
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
    ConvConfig config = config_of_counts(n, n, Gating::none);
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

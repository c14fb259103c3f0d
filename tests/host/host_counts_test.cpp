// What a kernel of one block or of a cluster counts on the host is what its plan predicts, and no access to shared
// memory meets a bank conflict.
#include "predicted_counts.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

TEST_CASE("counts of every kind of tiled kernel are those of its plan, without a bank conflict") {
  for (const std::int64_t n : {256, 512, 768, 1024, 2048, 2304, 4096, 6144, 8192})
    for (const std::int64_t length : {n, n / 2})
      for (const Gating gating : {Gating::none, Gating::both}) check_counts(config_of_counts(n, length, gating));
}

TEST_CASE("counts of clusters are those of their plans, without a bank conflict") {
  struct Case {
    int blocks;
    std::int64_t n, length;
    Gating gating;
  };
  for (const Case& test : {Case{2, 8192, 8192, Gating::none}, Case{4, 16384, 8192, Gating::both},
                           Case{8, 32768, 32768, Gating::none}, Case{2, 16384, 16384, Gating::both}}) {
    ConvConfig config = config_of_counts(test.n, test.length, test.gating);
    config.column_length = test.blocks;
    check_counts(config);
  }
}

TEST_CASE("counts of real rows without a butterfly are those of their plans, without a bank conflict") {
  for (const int n : {2560, 3072, 3584, 4096})
    for (const Gating gating : {Gating::none, Gating::both}) {
      ConvConfig config = config_of_counts(n, n, gating);
      config.batch = 1;
      REQUIRE(make_plans(normalised(config)).front()->packing == Packing::real_row);
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
    ConvConfig config = config_of_counts(test.n, test.length, test.gating);
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
    ConvConfig config = config_of_counts(0, test.length, test.gating);
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
    ConvConfig config = config_of_counts(0, test.length, test.gating);
    config.radices = test.radices;
    config.fft_length = 2;
    for (const int radix : test.radices) config.fft_length *= radix;
    REQUIRE(make_plans(normalised(config)).front()->right_angle());
    check_counts(config);
  }
}

TEST_CASE("products of the general family are those of its plan") {
  for (const std::vector<int>& radices : std::vector<std::vector<int>>{{31, 32}, {7, 11, 13}, {20, 40}}) {
    ConvConfig config =
        config_of_counts(radices[0] * radices[1] * (radices.size() > 2 ? radices[2] : 1), 0, Gating::none);
    config.length = config.fft_length;
    config.padding = Padding::circular;
    config.radices = radices;
    check_counts(config);
  }
}

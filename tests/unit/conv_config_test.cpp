// ConvConfig: what is filled in, and which sizes, radices and fields are refused.
#include "ffc/generator/conv_config.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ffc/generator/error.hpp"
#include "sized_config.hpp"

using namespace ffc;

namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("lengths left to default are filled in") {
  ConvConfig config = normalised(circular(4096));
  CHECK(config.length == 4096);
  CHECK(config.filter_length == 4096);

  config = normalised(padded(4096, 2048));
  CHECK(config.length == 2048);
  CHECK(config.filter_length == 4096);

  // A causal filter reaches no further back than the row.
  CHECK(normalised(causal(4096, 2048, 0)).filter_length == 2048);
  CHECK(normalised(causal(5999, 3000, 0)).filter_length == 3000);
  CHECK(normalised(causal(0, 1000, 0)).filter_length == 1000);
  CHECK(normalised(causal(0, 30000, 0)).filter_length == 30000);
  CHECK(normalised(causal(0, 8388608, 0)).filter_length == 8388608);
}

TEST_CASE("a causal filter that was left open is never shortened") {
  const std::string longest = ", and the longest fft_length is 16777216, too few for 2 x length - 1 points; ";
  check_refused(causal(0, 8388609, 0),
                "filter_length is 0, which means length, 8388609" + longest + "set filter_length, in [1, 8388608]");
  check_refused(causal(0, 16777216, 0),
                "filter_length is 0, which means length, 16777216" + longest + "set filter_length, in [1, 32705]");
  check_refused(causal(4096, 3000, 0),
                "filter_length is 0, which means length, 3000, and fft_length is 4096, too few for 2 x length - 1 "
                "points; set filter_length, in [1, 4033]");
  check_refused(causal(4095, 3000, 0),
                "filter_length is 0, which means length, 3000, and fft_length is 4095, too few for 2 x length - 1 "
                "points; set filter_length, in [1, 1096]");
  for (const std::int64_t taps : {8388608, 32705}) CHECK_NOTHROW((void)normalised(causal(0, 8388609, taps)));
  CHECK_NOTHROW((void)normalised(causal(0, 16777216, 32705)));
  CHECK_NOTHROW((void)normalised(causal(4096, 3000, 4033)));
  CHECK_NOTHROW((void)normalised(causal(4095, 3000, 1096)));
  CHECK_THROWS_AS((void)normalised(causal(4095, 3000, 1097)), ConfigError);
}

TEST_CASE("the choice of the transform length stays open for a causal config") {
  CHECK(normalised(causal(0, 1000, 77)).fft_length == 0);
  CHECK(normalised(with_radices(causal(0, 1000, 77), {8, 16, 16})).fft_length == 2048);
  CHECK(normalised(with_radices(circular(0), {6, 16, 16})).fft_length == 1536);
}

TEST_CASE("the rows' alignment follows from their length") {
  CHECK(normalised(circular(4096)).row_alignment == 16);
  CHECK(normalised(padded(4096, 2044)).row_alignment == 8);
  CHECK(normalised(padded(4096, 2046)).row_alignment == 4);
  CHECK(normalised(padded(4096, 2047)).row_alignment == 2);
  for (const int bytes : {2, 4, 8, 16}) {
    ConvConfig config = circular(4096);
    config.row_alignment = bytes;
    CHECK(normalised(config).row_alignment == bytes);
  }
}

TEST_CASE("normalising twice changes nothing more") {
  for (const ConvConfig& config : {circular(3000), padded(4096, 1001), causal(4096, 2000, 0), causal(0, 1000, 33),
                                   with_radices(circular(0), {6, 16, 16})}) {
    const ConvConfig once = normalised(config);
    CHECK(normalised(once) == once);
  }
}

TEST_CASE("what lies at the ends of the ranges is taken") {
  CHECK_NOTHROW((void)normalised(circular(16)));
  CHECK_NOTHROW((void)normalised(circular(32768)));
  CHECK_NOTHROW((void)normalised(circular(4097)));
  CHECK_NOTHROW((void)normalised(padded(16, 1)));
  CHECK_NOTHROW((void)normalised(causal(4096, 2048, 2049)));
  // Taps beyond the row are never reached and need no room.
  CHECK_NOTHROW((void)normalised(causal(4096, 2048, 4096)));
  CHECK_NOTHROW((void)normalised(causal(0, 16384, 16384)));
  CHECK_NOTHROW((void)normalised(with_radices(circular(4096), {64, 2, 2, 16})));
  for (const int exponent : {-24, 15})
    CHECK_NOTHROW((void)normalised(changed(circular(64), [&](ConvConfig& c) { c.input_exponent = exponent; })));
}

TEST_CASE("a wrong size is refused with its name, value and range") {
  check_refused(circular(0), "fft_length is 0; it must lie in [16, 16777216]");
  check_refused(circular(-4096), "fft_length is -4096; it must lie in [16, 16777216]");
  check_refused(circular(15), "fft_length is 15; it must lie in [16, 16777216]");
  check_refused(circular(16777217), "fft_length is 16777217; it must lie in [16, 16777216]");
  check_refused(circular(huge), "fft_length is 9223372036854775807; it must lie in [16, 16777216]");
  check_refused(changed(circular(1 << 25),
                        [](ConvConfig& c) {
                          c.mask = keep_counts({8, 8}, {4096, 8192});
                        }),
                "fft_length is 33554432; it must lie in [16, 16777216]");
  check_refused(causal(8, 4, 4), "fft_length is 8; it must lie in [16, 16777216]");

  check_refused(padded(4096, -1), "length is -1; it must lie in [1, 4096]");
  check_refused(padded(4096, 4097), "length is 4097; it must lie in [1, 4096]");
  check_refused(padded(4096, huge), "length is 9223372036854775807; it must lie in [1, 4096]");
  check_refused(causal(0, 0, 0), "length and fft_length are both 0; a causal config needs a length in [1, 16777216]");
  check_refused(causal(0, (std::int64_t{1} << 36) + 1, 1), "length is 68719476737; it must lie in [1, 68719476736]");
  check_refused(changed(padded(4096, 2048), [](ConvConfig& c) { c.padding = Padding::circular; }),
                "length is 2048 and padding is circular; it must equal fft_length, 4096, or 0");

  const auto taps = [](std::int64_t count) {
    return changed(circular(4096), [&](ConvConfig& c) { c.filter_length = count; });
  };
  check_refused(taps(-1), "filter_length is -1; it must lie in [1, 4096]");
  check_refused(taps(4097), "filter_length is 4097; it must lie in [1, 4096]");
  check_refused(taps(huge), "filter_length is 9223372036854775807; it must lie in [1, 4096]");
}

TEST_CASE("column lengths that no split plan has are refused") {
  const auto columns = [](std::int64_t n, int r, std::vector<int> radices = {}) {
    return changed(circular(n), [&](ConvConfig& c) {
      c.column_length = r;
      c.radices = radices;
    });
  };
  CHECK_NOTHROW((void)normalised(columns(4096, 16)));
  CHECK_NOTHROW((void)normalised(columns(65536, 256)));
  CHECK_NOTHROW((void)normalised(columns(32768, 128, {16, 8, 16, 16})));
  for (const int r : {-16, 1, 3, 24, 144, 384, 2048})
    check_refused(columns(1 << 20, r), "column_length is " + std::to_string(r) +
                                           "; it must be 0, 2, 4 or 8, or 16 times 1 to 8, 16, 32 or 64");
  check_refused(columns(2048, 16), "fft_length is 2048 and column_length 16; it must be a multiple of 4096");
  check_refused(columns(65536, 48), "fft_length is 65536 and column_length 48; it must be a multiple of 12288");
  check_refused(columns(32768, 128, {8, 16, 16, 16}),
                "radices are 8x16x16x16 and column_length 128; they must begin with 16 and 8");
  check_refused(columns(131072, 512, {16, 32, 16, 16}),
                "radices are 16x32x16x16 and column_length 512; they must begin with 16 and 16 and 2");
}

TEST_CASE("radices that do not make the length are refused") {
  check_refused(with_radices(circular(4096), {16, 16, 8}),
                "radices 16x16x8 have the product 2048; it must be fft_length, 4096");
  check_refused(with_radices(circular(4096), {1, 64, 64}), "radices is 1; it must lie in [2, 64]");
  check_refused(with_radices(circular(4096), {65, 64}), "radices is 65; it must lie in [2, 64]");
  check_refused(with_radices(circular(4096), {-16, -16, 16}), "radices is -16; it must lie in [2, 64]");
  check_refused(with_radices(causal(0, 100, 100), {0, 16}), "radices is 0; it must lie in [2, 64]");
  check_refused(
      with_radices(padded(1890, 945), {3, 5, 7, 9}),
      "radices are 3x5x7x9 with half of fft_length, 1890, as product, which is 945; that of rows or windows alone "
      "must be 256 times 9 to 16, or times 9 to 16 and 2, 3, 4 or 8");
  CHECK_NOTHROW((void)normalised(with_radices(padded(8192, 4096), {8, 2, 16, 16})));
  check_refused(with_radices(causal(0, 100, 100), {2, 2}), "product of radices is 4; it must lie in [16, 16777216]");
  // Products beyond 64 bits must not come round to something valid.
  CHECK_THROWS_AS((void)normalised(with_radices(circular(4096), std::vector<int>(12, 64))), ConfigError);
  CHECK_THROWS_AS((void)normalised(with_radices(causal(0, 100, 100), std::vector<int>(12, 64))), ConfigError);
}

TEST_CASE("other fields out of range are refused") {
  const auto check = [](const std::function<void(ConvConfig&)>& change, const std::string& message) {
    check_refused(changed(circular(4096), change), message);
  };
  // A text made of such a value would read past the table of names, so no CAPTURE of the config here.
  const auto check_enum = [](const std::function<void(ConvConfig&)>& change, const std::string& message) {
    CHECK_THROWS_WITH_AS((void)normalised(changed(circular(4096), change)), message.c_str(), ConfigError);
  };
  check_enum([](ConvConfig& c) { c.padding = static_cast<Padding>(3); }, "padding is 3; it must lie in [0, 2]");
  check_enum([](ConvConfig& c) { c.padding = static_cast<Padding>(-1); }, "padding is -1; it must lie in [0, 2]");
  check_enum([](ConvConfig& c) { c.dtype = static_cast<DataType>(2); }, "dtype is 2; it must lie in [0, 1]");
  check_enum([](ConvConfig& c) { c.gating = static_cast<Gating>(4); }, "gating is 4; it must lie in [0, 3]");
  check_enum([](ConvConfig& c) { c.accumulation = static_cast<Accumulation>(3); },
             "accumulation is 3; it must lie in [0, 2]");
  for (const int bytes : {-2, 1, 3, 6, 32})
    check([&](ConvConfig& c) { c.row_alignment = bytes; },
          "row_alignment is " + std::to_string(bytes) + "; it must be 0, 2, 4, 8 or 16 bytes");
  check([](ConvConfig& c) { c.scaling = Scaling::given, c.input_exponent = 2; },
        "input_exponent is 2 and scaling is given; it must be 0");
  check([](ConvConfig& c) { c.scaling = Scaling::given, c.gradient_exponent = -1; },
        "gradient_exponent is -1 and scaling is given; it must be 0");
  check([](ConvConfig& c) { c.input_exponent = 16; }, "input_exponent is 16; it must lie in [-24, 15]");
  check([](ConvConfig& c) { c.input_exponent = -25; }, "input_exponent is -25; it must lie in [-24, 15]");
  check([](ConvConfig& c) { c.dtype = DataType::bf16, c.input_exponent = 25; },
        "input_exponent is 25; it must lie in [-24, 24]");
  check([](ConvConfig& c) { c.arch = "sm_75"; },
        "arch is \"sm_75\"; known are sm_80, sm_86, sm_89, sm_90a, sm_100, sm_120");
}

TEST_CASE("forced columns need an FFT length") {
  ConvConfig open = causal(0, 20000, 0);
  open.column_length = 32;
  check_refused(open, "column_length is 32 and fft_length 0, which leaves it open; it must be a multiple of 8192");
}

TEST_CASE("gates by side") {
  CHECK_FALSE(has_in_gate(Gating::none));
  CHECK_FALSE(has_out_gate(Gating::none));
  CHECK(has_in_gate(Gating::in));
  CHECK_FALSE(has_out_gate(Gating::in));
  CHECK_FALSE(has_in_gate(Gating::out));
  CHECK(has_out_gate(Gating::out));
  CHECK(has_in_gate(Gating::both));
  CHECK(has_out_gate(Gating::both));
}

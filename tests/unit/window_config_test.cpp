// ConvConfig: rows that may go in windows, streams of them, and what is said where there are no windows.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "sized_config.hpp"

using namespace ffc;

TEST_CASE("few taps allow windows, which leave the length of a row open") {
  CHECK_NOTHROW((void)normalised(causal(4096, 3000, 1098)));
  CHECK_NOTHROW((void)normalised(causal(0, std::int64_t{1} << 36, 32705)));
  CHECK_NOTHROW((void)normalised(causal(1024, 100000, 961)));
  CHECK(normalised(causal(1024, 100000, 961)).filter_length == 961);
}

TEST_CASE("rows that need windows and cannot have them are told why not") {
  const std::string no = ", as there are no windows: ";
  const auto too_long = [&](const ConvConfig& config, const std::string& most, const std::string& why) {
    check_refused(config,
                  "length is " + std::to_string(config.length) + "; it must lie in [1, " + most + "]" + no + why);
  };
  too_long(causal(1024, 100000, 962), "1024",
           "filter_length is 962, and windows of 1024 samples have room for [1, 961]");
  too_long(causal(8192, 100000, 0), "8192", "filter_length is 0, and windows of 8192 samples have room for [1, 8129]");
  too_long(causal(65536, 100000, 32770), "65536",
           "filter_length is 32770, and windows of 65536 samples have room for [1, 32769]");
  too_long(causal(0, 16777217, 40000), "16777216",
           "filter_length is 40000, and windows of 32768 samples have room for [1, 32705]");
  too_long(causal(1000, 100000, 100), "1000", "fft_length is 1000, and of windows it must be a multiple of 256");
  too_long(causal(33024, 100000, 100), "33024",
           "fft_length is 33024, and of windows past 32768 it must be a multiple of 512");
  too_long(causal(131072, 1000000, 100), "131072", "fft_length is 131072, and of windows it must lie in [256, 65536]");
  too_long(changed(causal(8192, 100000, 100), [](ConvConfig& c) { c.column_length = 16; }), "8192",
           "column_length is 16, and with windows it must be 0");
  const auto backward = [](ConvConfig& c) { c.pass = Pass::backward; };
  const auto gated_backward = [](ConvConfig& c) { c.pass = Pass::backward, c.gating = Gating::both; };
  too_long(changed(causal(65536, 100000, 100), backward), "65536",
           "fft_length is 65536, and of windows of gradients it must lie in [256, 32768]");
  CHECK_NOTHROW((void)normalised(changed(causal(1024, 100000, 961), backward)));
  too_long(changed(causal(1024, 100000, 258), gated_backward), "1024",
           "filter_length is 258, and windows of 1024 samples have room for [1, 257]");
  CHECK_NOTHROW((void)normalised(changed(causal(1024, 100000, 257), gated_backward)));
  too_long(with_radices(causal(0, 100000, 100), {13, 7}), "91",
           "radices are 13x7, of 91 points; they must be 256 times 1 to 16, or times 8 to 16 and 2, 3, 4 or 8, or 16 "
           "and 5, and at "
           "most 32768");

  check_refused(causal(4000, 3000, 1098),
                "length 3000 with 1098 taps needs an fft_length of at least 4097; the config allows 4000 at most" + no +
                    "fft_length is 4000, and of windows it must be a multiple of 256");
  check_refused(causal(1024, 1000, 1000),
                "length 1000 with 1000 taps needs an fft_length of at least 1999; the config allows 1024 at most" + no +
                    "filter_length is 1000, and windows of 1024 samples have room for [1, 961]");
  check_refused(
      causal(0, 9000000, 9000000),
      "length 9000000 with 9000000 taps needs an fft_length of at least 17999999; the config allows 16777216 at most" +
          no + "filter_length is 9000000, and windows of 32768 samples have room for [1, 32705]");
}

TEST_CASE("a history goes with causal configs of few taps") {
  const auto with_history = [](ConvConfig config) {
    config.history = true;
    return config;
  };
  CHECK_NOTHROW((void)normalised(with_history(causal(0, 1000, 32705))));
  CHECK_NOTHROW((void)normalised(with_history(causal(2048, 1 << 20, 1000))));
  // A segment may be shorter than the filter.
  CHECK(normalised(with_history(causal(2048, 8, 1000))).filter_length == 1000);
  check_refused(with_history(circular(4096)), "history is set and padding is circular; it goes with causal");
  check_refused(with_history(padded(4096, 2048)), "history is set and padding is padded; it goes with causal");
  const auto check_no_windows = [&](const ConvConfig& config, const std::string& why) {
    check_refused(with_history(config), "history is set and there are no windows: " + why);
  };
  check_no_windows(causal(0, 100000, 32706),
                   "filter_length is 32706, and windows of 32768 samples have room for [1, 32705]");
  check_no_windows(causal(2048, 1000, 1986),
                   "filter_length is 1986, and windows of 2048 samples have room for [1, 1985]");
  check_no_windows(causal(131072, 1000, 100), "fft_length is 131072, and of windows it must lie in [256, 65536]");
  // Windows alone, half of which a filter may reach back.
  CHECK_NOTHROW((void)normalised(with_history(causal(65536, 1000, 32769))));
  check_no_windows(causal(65536, 1000, 32770),
                   "filter_length is 32770, and windows of 65536 samples have room for [1, 32769]");
  check_no_windows(causal(3000, 1000, 100), "fft_length is 3000, and of windows it must be a multiple of 256");
  check_no_windows(changed(causal(65536, 1000, 100), [](ConvConfig& c) { c.column_length = 16; }),
                   "column_length is 16, and with windows it must be 0");
}

TEST_CASE("a masked filter has as many taps as N: it takes whole rows, and no history") {
  const auto masked = [](ConvConfig config) {
    config.mask = low_pass(0.2, config.fft_length);
    return config;
  };
  CHECK_NOTHROW((void)normalised(masked(causal(4096, 500, 3597))));
  check_refused(masked(causal(4096, 500, 3598)),
                "length 500 with 3598 taps needs an fft_length of at least 4097; the config allows 4096 at most, as "
                "there are no windows: mask is 4096:0-819,3277-4095/mirrors, and a masked filter reaches over all of "
                "fft_length");
  const std::string why = "mask is 1024:0-204,820-1023/mirrors, and a masked filter reaches over all of fft_length";
  check_refused(masked(causal(1024, 4096, 100)),
                "length is 4096; it must lie in [1, 1024], as there are no windows: " + why);
  ConvConfig stream = masked(causal(1024, 512, 100));
  stream.history = true;
  check_refused(stream, "history is set and there are no windows: " + why);
  // One that keeps everything is none.
  stream.mask = keep_counts({1024}, 1024);
  CHECK(normalised(stream).mask.empty());
}

TEST_CASE("gradients of streams are refused") {
  const auto backward = [](ConvConfig config) {
    config.pass = Pass::backward;
    return config;
  };
  CHECK_NOTHROW((void)normalised(backward(circular(4096))));
  ConvConfig stream = causal(0, 4096, 100);
  stream.history = true;
  check_refused(backward(stream),
                "history is set and pass is backward; gradients are those of rows that begin with their first sample, "
                "so it must not be");
}

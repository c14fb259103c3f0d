// The parts of ffc-gen: lists on the command line, JSON, sizes, the bar, the parallel loop.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "json.hpp"
#include "lengths.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "sizes.hpp"

using namespace ffc::tools;

TEST_CASE("lengths are numbers and ranges of powers of two, each once and in order") {
  using Lengths = std::vector<std::int64_t>;
  CHECK(parse_lengths("4096") == Lengths{4096});
  CHECK(parse_lengths("3000,256..2048,512") == Lengths{3000, 256, 512, 1024, 2048});
  CHECK(parse_lengths("300..5000") == Lengths{512, 1024, 2048, 4096});
  CHECK(parse_lengths("1..1") == Lengths{1});
  CHECK(parse_lengths("4611686018427387904..9223372036854775807") == Lengths{std::int64_t{1} << 62});
}

TEST_CASE("what is no list of lengths is refused") {
  for (const char* text : {"", ",", "1,", "0", "-4", "12x", "x", "1.5", "8..4", "5..7", "..", "4..", "..4", "4...8",
                           "99999999999999999999", " 4"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_lengths(text), std::invalid_argument);
  }
  CHECK_THROWS_WITH(
      (void)parse_lengths("99999999999999999999"),
      "--lengths holds '99999999999999999999', which is not a whole number from 1 to 9223372036854775807");
  CHECK_THROWS_WITH((void)parse_lengths("5..7"), doctest::Contains("5..7"));
}

TEST_CASE("radices are positive numbers") {
  CHECK(parse_radices("16,3,20") == std::vector<int>{16, 3, 20});
  CHECK_THROWS_AS((void)parse_radices("16,,16"), std::invalid_argument);
  CHECK_THROWS_AS((void)parse_radices("16,0"), std::invalid_argument);
  CHECK_THROWS_AS((void)parse_radices("99999999999"), std::invalid_argument);
}

TEST_CASE("JSON is nested, separated and escaped") {
  JsonWriter json;
  json.begin_object().field("text", "a\"b\\c\n\x01").field("count", 3).field("yes", true).key("list").begin_array();
  json.value(1.5).value(std::numeric_limits<double>::infinity()).begin_object().end_object();
  json.end_array().key("empty").begin_array().end_array().end_object();
  CHECK(json.text() ==
        "{\n  \"text\": \"a\\\"b\\\\c\\n\\u0001\",\n  \"count\": 3,\n  \"yes\": true,\n  \"list\": [\n    1.5,\n"
        "    null,\n    {}\n  ],\n  \"empty\": []\n}");
}

TEST_CASE("times are readable") {
  CHECK(readable_time(0) == "0.00 ns");
  CHECK(readable_time(0.00048) == "0.48 ns");
  CHECK(readable_time(0.9999999) == "1.00 us");
  CHECK(readable_time(12.3) == "12.30 us");
  CHECK(readable_time(4200000) == "4200.00 ms");
}

TEST_CASE("sizes are readable") {
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1536) == "1.5 KiB");
  CHECK(readable_bytes((1U << 20) - 1) == "1.0 MiB");
  CHECK(readable_bytes(std::uint64_t{5} << 40) == "5.0 TiB");
}

TEST_CASE("the bar fills") {
  CHECK(progress_bar(0, 4) == "[------------------------------] 0/4");
  CHECK(progress_bar(1, 2) == "[###############---------------] 1/2");
  CHECK(progress_bar(4, 4) == "[##############################] 4/4");
}

TEST_CASE("a parallel loop runs every index once, on no more threads than asked for") {
  for (const int jobs : {1, 3, 64}) {
    CAPTURE(jobs);
    std::vector<std::atomic<int>> runs(20);
    std::atomic<int> inside = 0, most = 0;
    parallel_for(runs.size(), jobs, [&](std::size_t index) {
      const int now = ++inside;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++runs[index];
      --inside;
    });
    for (const auto& count : runs) CHECK(count == 1);
    CHECK(most <= jobs);
    if (jobs > 1) CHECK(most > 1);
  }
  parallel_for(0, 4, [](std::size_t) { FAIL("there is nothing to run"); });
}

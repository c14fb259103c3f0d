// The list of shapes that are run is of the kernels that are emitted now, and leaves nothing out.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "config_text.hpp"
#include "cover.hpp"
#include "ffc/generator/generate.hpp"
#include "manifest.hpp"
#include "random_config.hpp"

using namespace ffc;
using namespace ffc::shapes;

namespace {

int jobs() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

}  // namespace

TEST_CASE("a config's text is read back") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    const ConvConfig config = draw_config(random);
    CAPTURE(to_string(config));
    CHECK(normalised(parse_config(to_string(config))) == config);
    CHECK(normalised(parse_config(short_text(config))) == config);
  }
  CHECK_THROWS_WITH_AS(parse_config("fft_length=4096 size=3"), "a config has no field \"size\"", std::invalid_argument);
  CHECK_THROWS_AS(parse_config("fft_length=40x"), std::invalid_argument);
}

TEST_CASE("numbers are no part of a shape, and all else is") {
  ConvConfig config;
  config.arch = default_arch;
  config.fft_length = 18432;
  const Shape shape = shape_of(generate(config));
  ConvConfig other = config;
  other.fft_length = 20480;  // a butterfly and a tile with the same text
  CHECK(generate(other).conv.source != generate(config).conv.source);
  const GeneratedKernel kernel = generate(config).conv;
  CHECK(text_without_numbers(kernel).find("18432") == std::string::npos);
  other = config;
  other.gating = Gating::out;
  CHECK(shape_of(generate(other)).name != shape.name);
  GeneratedKernel small;
  small.name = "f3";
  small.source = "a7 = 0x1Fu + 1.5e-3f * f3; // 5\nb";
  CHECK(text_without_numbers(small) == "a7 = # + # * entry; \nb");
}

TEST_CASE("the listed shapes have all lines that configs drawn at random emit, and nearly all pairs of lines") {
  constexpr std::size_t count = 800, most_new = 8;  // in a hundred one at most; 0.6 were found when the list was made
  constexpr std::uint64_t seed = 1;
  std::vector<Shape> shapes = read_manifest(FFC_SHAPES_MANIFEST, jobs());
  const std::size_t listed = shapes.size();
  REQUIRE(listed > 100);
  for (Shape& shape : draw_shapes(count, seed, jobs())) shapes.push_back(std::move(shape));
  LinePairs pairs(shapes);
  for (std::size_t i = 0; i < listed; ++i) pairs.add(i);
  std::size_t with_new_pairs = 0;
  for (std::size_t i = listed; i < shapes.size(); ++i) {
    CAPTURE(shapes[i].text);
    CHECK(pairs.missing_lines(i) == 0);
    with_new_pairs += pairs.missing(i) > 0 ? 1 : 0;
  }
  MESSAGE(
      fmt::format("seed {}: {} of {} configs have pairs of lines that no listed one has; shapes --extend adds them, "
                  "shapes --make {} makes the list anew",
                  seed, with_new_pairs, count, FFC_SHAPES_MANIFEST));
  CHECK(with_new_pairs <= most_new);
}

TEST_CASE("a cover has every pair of lines, and chooses cheap shapes") {
  const auto shape = [](std::vector<std::uint64_t> lines, std::int64_t size) {
    Shape made;
    made.lines = std::move(lines);
    made.size = size;
    return made;
  };
  const std::vector<Shape> shapes = {shape({1, 2, 3}, 256), shape({1, 2, 4}, 256), shape({1, 2, 3, 4}, 10000000),
                                     shape({1, 5}, 256), shape({1, 2}, 16)};
  const std::vector<std::size_t> chosen = covering_shapes(shapes);
  LinePairs pairs(shapes);
  for (const std::size_t i : chosen) pairs.add(i);
  for (std::size_t i = 0; i < shapes.size(); ++i) CHECK(pairs.missing(i) == 0);
  CHECK(chosen.front() != 2);
  CHECK(std::count(chosen.begin(), chosen.end(), 4) == 0);
}

// fp16 on the host: all 65,536 values, and rounding where it is easy to get wrong.
#include "ffc/templates/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using ffc::from_half;
using ffc::pack_halves;
using ffc::to_half;

TEST_CASE("every fp16 value survives the round trip") {
  int wrong = 0;
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double value = from_half(bits);
    const bool is_nan = (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff) != 0;
    if (std::isnan(value) != is_nan) ++wrong;
    if (is_nan ? !std::isnan(from_half(to_half(value))) : to_half(value) != bits) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("fp16 values are those of IEEE binary16") {
  CHECK(from_half(0x3c00) == 1.0);
  CHECK(from_half(0xc000) == -2.0);
  CHECK(from_half(0x3555) == 0.333251953125);
  CHECK(from_half(0x7bff) == 65504.0);
  CHECK(from_half(0x0400) == std::ldexp(1.0, -14));
  CHECK(from_half(0x03ff) == std::ldexp(1023.0, -24));
  CHECK(from_half(0x0001) == std::ldexp(1.0, -24));
  CHECK(from_half(0x0000) == 0.0);
  CHECK(std::signbit(from_half(0x8000)));
  CHECK(from_half(0x7c00) == std::numeric_limits<double>::infinity());
  CHECK(from_half(0xfc00) == -std::numeric_limits<double>::infinity());
}

TEST_CASE("between two values, the nearer one; halfway, the even one") {
  int wrong = 0;
  for (std::uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const auto next = static_cast<std::uint16_t>(bits + 1);
    const double low = from_half(bits), high = from_half(next), middle = (low + high) / 2;
    const std::uint16_t even = bits % 2 == 0 ? bits : next;
    if (to_half(middle) != even) ++wrong;
    if (to_half(std::nextafter(middle, 0.0)) != bits) ++wrong;
    if (to_half(std::nextafter(middle, 1e9)) != next) ++wrong;
    if (to_half(-middle) != (even | 0x8000)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the ends of the range") {
  CHECK(to_half(65519.999) == 0x7bff);
  CHECK(to_half(65520.0) == 0x7c00);  // halfway to the value that does not exist
  CHECK(to_half(-65520.0) == 0xfc00);
  CHECK(to_half(1e300) == 0x7c00);
  CHECK(to_half(std::numeric_limits<double>::infinity()) == 0x7c00);
  CHECK(to_half(std::ldexp(1.0, -25)) == 0x0000);
  CHECK(to_half(std::nextafter(std::ldexp(1.0, -25), 1.0)) == 0x0001);
  CHECK(to_half(-1e-300) == 0x8000);
  CHECK(to_half(std::numeric_limits<double>::denorm_min()) == 0x0000);
  CHECK((to_half(std::nan("")) & 0x7fff) > 0x7c00);
}

TEST_CASE("a pair is packed low half first") {
  CHECK(pack_halves(1.0, -2.0) == 0xc0003c00u);
  CHECK(pack_halves(-2.0, 1.0) == 0x3c00c000u);
}

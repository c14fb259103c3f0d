// Complex rows in float64: random ones, and how far one is from another.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <vector>

namespace ffc::test {

using Complex = std::complex<double>;
using Row = std::vector<Complex>;

inline Row random_row(std::size_t size, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Row row(size);
  for (Complex& value : row) value = {normal(engine), normal(engine)};
  return row;
}

/// norm(row - reference) / norm(reference).
inline double distance(const Row& row, const Row& reference) {
  REQUIRE(row.size() == reference.size());
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    difference += std::norm(row[i] - reference[i]);
    norm += std::norm(reference[i]);
  }
  return std::sqrt(difference / norm);
}

}  // namespace ffc::test

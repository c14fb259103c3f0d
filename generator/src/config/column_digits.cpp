// Lengths of columns as digits.
#include "column_digits.hpp"

#include <algorithm>

namespace ffc {
namespace {

constexpr int of_ring[] = {16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024};
constexpr int of_clusters[] = {2, 4, 8};

bool has(std::span<const int> lengths, int length) {
  return std::find(lengths.begin(), lengths.end(), length) != lengths.end();
}

}  // namespace

int ColumnDigits::length() const { return (products > 0 ? 16 : 1) * (products > 1 ? 16 : 1) * butterfly; }

std::vector<int> ColumnDigits::radices() const {
  std::vector<int> radices(static_cast<std::size_t>(products), 16);
  if (butterfly > 1) radices.push_back(butterfly);
  return radices;
}

std::span<const int> column_lengths() { return of_ring; }
std::span<const int> cluster_lengths() { return of_clusters; }

std::optional<ColumnDigits> column_digits(int length) {
  if (!has(of_ring, length)) return std::nullopt;
  // Butterflies take less time than products up to 16, and too many registers from 32 on.
  return length <= 256 ? ColumnDigits{1, length / 16} : ColumnDigits{2, length / 256};
}

std::optional<ColumnDigits> cluster_digits(int length) {
  if (!has(of_clusters, length)) return std::nullopt;
  return ColumnDigits{0, length};
}

}  // namespace ffc

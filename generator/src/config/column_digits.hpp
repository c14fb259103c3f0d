// Which lengths columns have, of the ring and of clusters.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ffc {

/// The digits of columns of R: 16 once or twice, which matrix products contract, and a butterfly behind them.
struct ColumnDigits {
  int products = 1;   ///< digits of 16; of a cluster none
  int butterfly = 1;  ///< radix of the digit in the register index

  /// R
  [[nodiscard]] int length() const;
  /// Outermost first.
  [[nodiscard]] std::vector<int> radices() const;
};

/// Every R that columns of the ring may have: 16 times 1 to 8, 16, 32 or 64.
[[nodiscard]] std::span<const int> column_lengths();
/// Every R of clusters, whose blocks they are: 2, 4 and 8.
[[nodiscard]] std::span<const int> cluster_lengths();

/// The digits of columns of the ring of that length; nothing for any other.
[[nodiscard]] std::optional<ColumnDigits> column_digits(int length);
/// The same of a cluster.
[[nodiscard]] std::optional<ColumnDigits> cluster_digits(int length);

}  // namespace ffc

// A tensor's tile of columns in a unit's shared memory: how large its parts are, and the steps that it takes.
#pragma once

#include <cstddef>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The tile of a config's plan, both of which outlive it.
class UnitTile {
 public:
  UnitTile(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor);

  [[nodiscard]] const ConvConfig& config() const { return config_; }
  [[nodiscard]] const FourStepPlan& plan() const { return plan_; }
  [[nodiscard]] const ColumnShape& columns() const { return plan_.columns; }
  [[nodiscard]] Tensor tensor() const { return tensor_; }
  /// One product is all that the columns do.
  [[nodiscard]] bool contracts_whole() const { return whole_; }
  /// Gates come to shared memory as samples do; else they are applied in registers, on the way there and from there.
  [[nodiscard]] bool copies_in_gates() const;
  [[nodiscard]] bool copies_out_gates() const;

  /// Tiles of a complex row.
  [[nodiscard]] double count() const;
  /// A statement of each tile.
  [[nodiscard]] Statement statement(Operation operation, bool inverse) const;

  /// What products read or write of a tile's samples.
  [[nodiscard]] Shape samples() const;

  /// Sizes in tiles of 16 x 16: of so many rows of it,
  [[nodiscard]] double size_of(double rows) const;
  /// of all,
  [[nodiscard]] double whole_size() const { return size_of(columns().length()); }
  /// of samples that products take,
  [[nodiscard]] double samples_size() const;
  /// of those that are stored,
  [[nodiscard]] double results_size() const;
  /// of frequencies: slots of the rows that one product makes, or blocks of 16 rows of which any is kept,
  [[nodiscard]] double frequencies_size() const;
  /// and of those that are kept.
  [[nodiscard]] double kept_size() const;

  /// The tensor's steps of a kind.
  [[nodiscard]] std::vector<std::size_t> steps_of(StepKind kind, bool inverse) const;
  /// Between columns and rows, on the way there.
  [[nodiscard]] std::vector<std::size_t> exchanges() const;
  /// Of the products down a digit: with the twiddle between it and the column's digits behind it, which their matrices
  /// carry.
  [[nodiscard]] std::vector<std::size_t> steps_of_product(int digit, bool inverse) const;
  [[nodiscard]] std::vector<std::size_t> steps_of_butterfly(bool inverse) const;

 private:
  const ConvConfig& config_;
  const FourStepPlan& plan_;
  Tensor tensor_;
  bool whole_;
};

}  // namespace ffc

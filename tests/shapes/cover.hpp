// Which shapes to run, where there are too many to run them all: those in which every two lines meet.
#pragma once

#include <cstddef>
#include <vector>

#include "shape.hpp"

namespace ffc::shapes {

/// Pairs of lines that stand together in one of some shapes. A defect of a kernel is mostly one of what two of its
/// parts do to each other, each of them right by itself.
class LinePairs {
 public:
  /// Of all lines that the shapes have; no pair is there yet.
  explicit LinePairs(const std::vector<Shape>& shapes);

  /// Pairs of a shape that are not there yet. Lines that always stand together count as one.
  [[nodiscard]] std::size_t missing(std::size_t shape) const;
  void add(std::size_t shape);

  /// The same of single lines: a line is a pair with itself.
  [[nodiscard]] std::size_t missing_lines(std::size_t shape) const;

 private:
  std::size_t fragments_ = 0;
  std::vector<std::vector<std::size_t>> shapes_;  ///< as fragments, lines that always stand together
  std::vector<bool> pairs_;
};

/// Shapes, by index, in which every two lines that stand together in any of them do; cheap ones first choice. The first
/// `taken` are in it whatever they add, and are not returned.
[[nodiscard]] std::vector<std::size_t> covering_shapes(const std::vector<Shape>& shapes, std::size_t taken = 0);

}  // namespace ffc::shapes

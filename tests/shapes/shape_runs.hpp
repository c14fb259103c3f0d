// Shapes on a machine with several batches each, and what came of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../examples/machine.hpp"
#include "manifest.hpp"

namespace ffc::shapes {

struct RunOptions {
  std::shared_ptr<examples::Machine> machine;
  int jobs = 1;
  double minutes = 0;  ///< no shape begins later; 0: no limit
  /// Of a shape's first launch; further ones have at most a fifth. 0: any on a GPU, on the host what a core does in
  /// seconds.
  std::int64_t most_samples = 0;
};

/// Runs every shape with 1, 2, 3 and 5 batch rows and prints failures as they come, at the end the worst errors and how
/// much was run. Whether all was right.
[[nodiscard]] bool run_shapes(const std::vector<Shape>& shapes, const RunOptions& options);

}  // namespace ffc::shapes

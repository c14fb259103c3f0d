// How the batch of gradients is shared out.

#include "ffc/generator/generated_kernel.hpp"

#include <algorithm>

namespace ffc {

std::int64_t BackwardLaunch::pairs(int batch) const {
  if (windows) return windows->pairs(batch);
  return are_alone(packing) ? batch : batch / 2 + batch % 2;
}

int BackwardLaunch::pairs_per_slice(int batch) const {
  // Few channels may have all windows, which blocks share as slices.
  const int most_slices = windows ? 64 : 16;
  const auto count = static_cast<int>(pairs(batch));
  return std::max(least_pairs, count / most_slices + (count % most_slices != 0 ? 1 : 0));
}

int BackwardLaunch::slices(int batch) const {
  const int count = static_cast<int>(pairs(batch)), of_slice = pairs_per_slice(batch);
  return count / of_slice + (count % of_slice != 0 ? 1 : 0);
}

}  // namespace ffc

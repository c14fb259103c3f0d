// Executes a plan's list of steps on the host in float64, slowly and plainly: the judge of the digits and twiddles.
#pragma once

#include <complex>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// The result of `plan.steps` for one complex row: the first plan.length samples of its circular convolution with the
/// filter whose DFT is `spectrum`. `row` and `spectrum` hold plan.transform_length values in natural order; samples
/// from plan.loaded_length() on are ignored, as the kernels do. Every inverse sum is divided by its radix, so a right
/// list of steps is exact. Throws std::logic_error for a list that contradicts itself: a digit contracted twice, a
/// twiddle between digits in the wrong state, a spectrum multiplied in before all digits are contracted, and so on;
/// std::invalid_argument for data of another length.
[[nodiscard]] std::vector<std::complex<double>> interpret(const Plan& plan,
                                                          const std::vector<std::complex<double>>& row,
                                                          const std::vector<std::complex<double>>& spectrum);

/// What a backward plan's list makes of one complex row of u and one of dy.
struct InterpretedGradients {
  std::vector<std::complex<double>> input;     ///< row of u convolved with the filter, where the plan inverts it
  std::vector<std::complex<double>> gradient;  ///< row of dy correlated with the filter, where the plan inverts it
  std::vector<std::complex<double>> sums;      ///< conj(Z) G by frequency, where the plan has sums
  std::vector<std::complex<double>> taps;      ///< these back at samples, where a block makes them
};

/// The same for a backward plan. What the plan does not make is left empty; throws as `interpret` does.
[[nodiscard]] InterpretedGradients interpret_backward(const Plan& plan, const std::vector<std::complex<double>>& input,
                                                      const std::vector<std::complex<double>>& gradient,
                                                      const std::vector<std::complex<double>>& spectrum);

}  // namespace ffc

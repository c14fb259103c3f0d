// From the gradients that are wanted to the work on either tensor.
#include "ffc/generator/backward_work.hpp"

#include "ffc/generator/conv_config.hpp"

namespace ffc {

BackwardWork backward_work(const ConvConfig& config) {
  BackwardWork work;
  if (config.pass == Pass::forward) return work;
  const Gradients& wanted = config.gradients;
  work.sums = wanted.k || wanted.d;
  work.inverts_input = wanted.v;
  work.inverts_gradient = wanted.u || wanted.w;
  work.transforms_input = work.sums || work.inverts_input;
  work.transforms_gradient = work.sums || work.inverts_gradient;
  return work;
}

BackwardWork returning_sums(BackwardWork work) {
  work.returns_sums = work.sums;
  return work;
}

}  // namespace ffc

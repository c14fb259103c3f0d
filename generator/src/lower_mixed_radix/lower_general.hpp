// Statements of the general family: a product over shared memory for each digit, there and back.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The statements that carry out the steps of a general plan, each step once. Factors join the product in front of
/// them, which applies them in fp32. A barrier stands in front of all that reads what other threads have written.
[[nodiscard]] std::vector<Statement> lower_general(const MixedRadixPlan& plan);

}  // namespace ffc

// What statements take, of any family.
#pragma once

#include <functional>
#include <vector>

#include "ffc/generator/work.hpp"
#include "statement.hpp"

namespace ffc {

/// The sum.
Work& operator+=(Work& sum, const Work& work);
/// So many times that.
[[nodiscard]] Work times(Work work, double count);

/// The work of all statements; `products` says how many m16n8k16 a tile of a product takes.
[[nodiscard]] Work statements_work(const std::vector<Statement>& statements,
                                   const std::function<double(const Statement&)>& products);

}  // namespace ffc

// Digits of columns.
#include "ffc/generator/block_shape.hpp"

#include <vector>

#include "column_digits.hpp"

namespace ffc {

std::vector<int> ColumnShape::radices() const { return ColumnDigits{products, butterfly}.radices(); }

}  // namespace ffc

// What a plan's steps become: a short list of statements, each a device function or a barrier.
#pragma once

#include <cstddef>
#include <vector>

namespace ffc {

/// What a statement does.
enum class Operation {
  load,      ///< rows from memory
  contract,  ///< a matrix product over a digit
  multiply,  ///< a factor by itself, behind no product that could apply it
  barrier,   ///< of all threads that share the data
  store      ///< rows to memory
};

/// What a result is multiplied by before it is rounded.
enum class Factor { none, twiddle, spectrum };

/// One statement, of a forward half or, where `inverse`, of the way back.
struct Statement {
  Operation operation = Operation::barrier;
  bool inverse = false;
  int digit = -1;                  ///< that a product contracts
  Factor factor = Factor::none;    ///< of its results; conjugate where inverse
  int twiddled = -1;               ///< a twiddle's: the digit that is a frequency, those behind it being samples
  std::vector<std::size_t> steps;  ///< of the plan that it carries out, in this order
};

}  // namespace ffc

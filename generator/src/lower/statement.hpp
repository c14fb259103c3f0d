// What a plan's steps become: a short list of statements, each a device function, a loop over some, a copy or a
// barrier.
#pragma once

#include <cstddef>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// What a statement does.
enum class Operation {
  load,   ///< rows from memory
  store,  ///< rows to memory

  ahead,    ///< copies begin of what is wanted later: rows of the next pair, a gate, a tile of the spectrum
  ask,      ///< how many of the next rows are there
  count,    ///< that rows are done, or columns
  await,    ///< such a count
  wait,     ///< for copies
  barrier,  ///< of all threads that share the data
  cut,      ///< what the filter does not reach becomes zeros
  measure,  ///< how large each row is, of what a thread has copied and then of its warp
  scale,    ///< rows' powers of two, from what all warps have measured
  meet,     ///< the largest of what has come in is noted, for the launch's report
  report,   ///< what a warp has met goes to its channel's record

  fetch,  ///< a tile of rows, or another operand, into registers
  put,    ///< it into memory from there

  convert,     ///< rows' samples to those of a transform: gate, type, power of two
  wrap,        ///< what a delay moves behind the last point comes round to frequencies, or goes out from them
  untangle,    ///< frequencies and the conjugates of their mirrors to a row's, or back
  contract,    ///< a matrix product over a digit
  butterfly,   ///< the sum over a digit in the register index
  multiply,    ///< a factor by itself, behind no product that could apply it
  mirror,      ///< a row that is another's mirror to its conjugate
  clear,       ///< values of a digit that a mask drops become zeros
  accumulate,  ///< conj(Z) G added to the sums
  take_sums,   ///< those with conj(Z) G in the place of Z

  columns,  ///< a stage down the columns: its body
  rows,     ///< a stage along the rows of 256: its body
  turn,     ///< of gradients whose tensors take turns: the stages of one, its body
  repeat    ///< the body, in a loop
};

/// What a statement takes beside the row, or instead of it.
enum class Operand {
  none,
  twiddle,         ///< between a digit and those behind it (general family)
  column_twiddle,  ///< between two outer digits
  outer_twiddle,   ///< between the outer digits and a row's
  inner_twiddle,   ///< between a row's two digits
  shift,           ///< of rows of a longer transform: its twiddle, for the samples 256 apart
  spectrum,        ///< the filter's; its conjugate for dy
  matrix,          ///< of products that share one, or down columns past one block
  scale,           ///< of a channel, or of a pair's rows
  gate,            ///< the out gate's rows
  slots,           ///< where in the workspace the rows are that a mask keeps
  parked,          ///< frequencies of u, which wait for those of dy
  sums             ///< of conj(Z) G, in float32
};

/// How a product applies a factor.
enum class Applied { to_results, in_matrix };

/// How much of a tile of 16 x 16 complex numbers there is.
enum class Shape { whole, half, real };

/// Who meets at a barrier: of a unit, warps that take columns past one block.
enum class Scope { warp, group, unit };

/// What a loop goes over.
enum class Loop {
  turns,        ///< of a warp, each with as many tiles as it keeps in flight
  tiles,        ///< of those, and of each the values of the butterfly digit: `begin` to `end`
  items,        ///< of those, all values of the butterfly digit together
  values,       ///< of the butterfly digit, where a warp holds the pair
  rows,         ///< of those in flight; a row and its mirror are one
  sides,        ///< a row and its mirror
  lone,         ///< row rows / 2, which goes with row 0 but is not its mirror
  last,         ///< no loop: a channel's last pair, with which its sums go back
  frequencies,  ///< past one block: rows of frequencies in the workspace
  chunks,       ///< of columns past one block: those of a tile, or of a cluster's, that a thread takes at a time
  parts,        ///< real and imaginary parts
  rounds,       ///< of a cluster's columns: what its threads take at a time of those of a block
  words         ///< of a thread's chunk, of two samples
};

/// Which turns of a loop a body is for: all, those that a mask keeps (the others leave zeros where they fetch), those
/// that no other warp has, too.
enum class Turns { all, kept, own };

/// Which of a pair's tensors a stage works on. A plan whose tensors take turns in shared memory goes through its stages
/// for one and then for the other.
enum class Turn { together, input, gradient };

/// One statement, of a forward half or, where `inverse`, of the way back.
struct Statement {
  Operation operation = Operation::barrier;
  bool inverse = false;
  int digit = -1;  ///< that is summed over
  Operand operand =
      Operand::none;  ///< of a product, or sums of products: what it is multiplied by; conjugate where inverse
  int twiddled = -1;  ///< a twiddle's: the digit that is a frequency, those behind it being samples
  std::vector<std::size_t> steps = {};  ///< of the plan that it carries out, in this order

  // In one block.
  Tensor tensor = Tensor::input;
  Role role = Role::b;  ///< operand of a product that the data is
  Applied applied = Applied::to_results;
  bool wide = false;                        ///< the product's sums go into the butterfly unrounded
  Shape from = Shape::whole;                ///< what comes into a product, or from memory ...
  Shape to = Shape::whole;                  ///< ... and what comes out, or goes there
  Placement placement = Placement::shared;  ///< of what is fetched or put
  double size = 1;                          ///< of it, in tiles of 1 KiB
  double times = 0;                         ///< how often in a transform, of all warps
  double workspace = 0;                     ///< load, store: of the workspace past one block, in tiles of 1 KiB
  bool early = false;                       ///< fetch, wait, measure: for rows that come next
  bool meets = false;                       ///< accumulate: frequencies are met, for the launch's report
  Scope scope = Scope::group;

  // Of a stage or a loop.
  Loop loop = Loop::turns;
  int begin = 0, end = 0;  ///< values of the butterfly digit
  Turns turns = Turns::all;
  std::vector<Statement> body = {};
};

/// `visit(statement)` for each, and for those of the bodies of stages and loops, in their order. They may be changed
/// where the list may.
template <class Statements, class Visit>
void each_statement(Statements&& statements, const Visit& visit) {
  for (auto& statement : statements) {
    visit(statement);
    each_statement(statement.body, visit);
  }
}

}  // namespace ffc

// Sums over statements.
#include "statements_work.hpp"

#include <functional>
#include <vector>

#include "ffc/generator/work.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"

namespace ffc {
namespace {

constexpr double tile_wavefronts = 8;

// What is fetched, put or copied takes of shared memory, and of global memory beside the rows. A tensor's frequencies
// and sums that are in neither registers nor shared memory are left out.
Work moved(const Statement& statement) {
  Work work;
  const double tiles = statement.size * statement.times;
  const Placement placement = statement.placement;
  const bool shared = placement == Placement::shared || placement == Placement::steps || placement == Placement::staged;
  const bool kept_apart = statement.operand == Operand::sums || statement.operand == Operand::parked;
  const bool copied = statement.operation == Operation::ahead && placement == Placement::staged;
  if (shared) work.wavefronts = tiles * tile_wavefronts;
  if ((placement == Placement::global && !kept_apart) || copied) work.bytes_read = tiles * bytes_of_tile;
  const double workspace = statement.workspace * statement.times * bytes_of_tile;
  (statement.operation == Operation::store ? work.bytes_written : work.bytes_read) += workspace;
  return work;
}

Work work_of(const Statement& statement, const std::function<double(const Statement&)>& products) {
  Work work;
  switch (statement.operation) {
    case Operation::contract:
      work.matrix_products = products(statement) * statement.times;
      return work;
    case Operation::barrier:
      work.barrier_arrivals = statement.times;
      return work;
    case Operation::load:
    case Operation::store:
    case Operation::ahead:
    case Operation::cut:
    case Operation::measure:
    case Operation::fetch:
    case Operation::put:
      return moved(statement);
    default:
      return work;
  }
}

}  // namespace

Work& operator+=(Work& sum, const Work& work) {
  sum.matrix_products += work.matrix_products, sum.wavefronts += work.wavefronts;
  sum.bytes_read += work.bytes_read, sum.bytes_written += work.bytes_written;
  sum.barrier_arrivals += work.barrier_arrivals;
  return sum;
}

Work times(Work work, double count) {
  for (double* const value :
       {&work.matrix_products, &work.wavefronts, &work.bytes_read, &work.bytes_written, &work.barrier_arrivals})
    *value *= count;
  return work;
}

Work statements_work(const std::vector<Statement>& statements,
                     const std::function<double(const Statement&)>& products) {
  Work sum;
  for (const Statement& statement : statements) {
    if (statement.loop == Loop::last) continue;  // once a channel
    sum += work_of(statement, products);
    sum += statements_work(statement.body, products);
  }
  return sum;
}

}  // namespace ffc

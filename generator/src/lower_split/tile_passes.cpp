// A tile is fetched, transformed and put back, chunk by chunk.
#include "tile_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "unit_tile.hpp"

namespace ffc {
namespace {

Statement moved(const UnitTile& tile, Operation operation, double size, bool inverse) {
  Statement statement = tile.statement(operation, inverse);
  statement.size = size;
  return statement;
}

Statement matrices(const UnitTile& tile, double reads, bool inverse) {
  Statement matrix = tile.statement(Operation::fetch, inverse);
  matrix.operand = Operand::matrix;
  matrix.placement = tile.columns().shared_matrices ? Placement::shared : Placement::global;
  matrix.times *= reads;
  return matrix;
}

// How often a tile's warps read a matrix down its first digit.
double matrix_reads(const UnitTile& tile) {
  const ColumnShape& columns = tile.columns();
  if (tile.contracts_whole()) return columns.sections() * columns.warps * (tile.samples() == Shape::half ? 0.5 : 1);
  return columns.sections() * std::max(1, columns.warps / columns.sections());
}

Statement product(const UnitTile& tile, int digit, bool inverse) {
  const ColumnShape& columns = tile.columns();
  Statement product = tile.statement(Operation::contract, inverse);
  product.digit = digit, product.steps = tile.steps_of_product(digit, inverse);
  product.times *= columns.chunks * columns.sections() / 2.0;
  if (columns.radices().size() > static_cast<std::size_t>(digit) + 1)
    product.operand = Operand::column_twiddle, product.applied = Applied::in_matrix;
  return product;
}

Statement product_of_samples(const UnitTile& tile, bool inverse) {
  Statement contract = product(tile, 0, inverse);
  (inverse ? contract.to : contract.from) = tile.samples();
  if (!tile.contracts_whole()) return contract;
  const std::vector<std::size_t> behind = tile.steps_of_butterfly(inverse);
  contract.steps.insert(inverse ? contract.steps.begin() : contract.steps.end(), behind.begin(), behind.end());
  return contract;
}

// Samples as they are stored to packed ones.
void convert(const UnitTile& tile, std::vector<Statement>& body) {
  if (tile.copies_in_gates()) {
    body.push_back(moved(tile, Operation::fetch, tile.samples_size(), false));
    body.back().operand = Operand::gate;
  }
  if (converts_in_tile(tile.config(), tile.plan())) body.push_back(tile.statement(Operation::convert, false));
}

}  // namespace

Statement pass_of_samples(const UnitTile& tile, bool inverse) {
  const double samples = tile.samples_size(),
               others = tile.contracts_whole() ? tile.frequencies_size() : tile.whole_size();
  Statement pass{.operation = Operation::repeat, .inverse = inverse, .loop = Loop::chunks};
  pass.body.push_back(moved(tile, Operation::fetch, inverse ? others : samples, inverse));
  if (!inverse) convert(tile, pass.body);
  pass.body.push_back(matrices(tile, matrix_reads(tile), inverse));
  pass.body.push_back(product_of_samples(tile, inverse));
  pass.body.push_back(moved(tile, Operation::put, inverse ? samples : others, inverse));
  return pass;
}

Statement pass_of_frequencies(const UnitTile& tile, bool inverse) {
  const ColumnShape& columns = tile.columns();
  const double all = tile.whole_size(), frequencies = tile.frequencies_size();
  const bool second = columns.products > 1;
  Statement pass{.operation = Operation::repeat, .inverse = inverse, .loop = Loop::chunks};
  if (second) pass.body.push_back(matrices(tile, columns.butterfly * columns.warps, inverse));
  pass.body.push_back(moved(tile, Operation::fetch, inverse ? frequencies : all, inverse));
  std::vector<Statement> work;
  if (second) work.push_back(product(tile, 1, inverse));
  if (columns.butterfly > 1) {
    work.push_back(tile.statement(Operation::butterfly, inverse));
    work.back().digit = columns.products, work.back().steps = tile.steps_of_butterfly(inverse);
  }
  work.push_back(tile.statement(Operation::mirror, inverse));
  if (inverse) std::reverse(work.begin(), work.end());
  for (Statement& statement : work) pass.body.push_back(std::move(statement));
  pass.body.push_back(moved(tile, Operation::put, inverse ? all : frequencies, inverse));
  return pass;
}

}  // namespace ffc

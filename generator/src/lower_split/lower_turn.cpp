// Passes over a unit's tiles, with the copies, waits and barriers between them. Where these stand was measured.
#include "lower_turn.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"

namespace ffc {
namespace {

constexpr double bytes_of_tile = 1024, bytes_of_point = 4, bytes_of_slot = 4;
constexpr int contracted_slots = 32;  // of the rows of frequencies that one product makes, and of their mirrors

class UnitTurn {
 public:
  UnitTurn(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor)
      : config_(config),
        plan_(plan),
        columns_(plan.columns),
        tensor_(tensor),
        whole_(contracts_kept(plan)),
        copies_gates_(has_out_gate(config.gating) && columns_.gate_tile) {}

  ColumnTurn run() {
    columns_.tiles > 1 ? both_at_once() : one_after_the_other();
    return std::move(turn_);
  }

 private:
  // Each has a tile.
  void both_at_once() {
    const bool beside = samples_beside(config_, plan_), early = !beside && !copies_gates_;
    turn_.opening.push_back(load_samples());
    open();
    copied();
    join();
    add(pass_of_samples(false));
    if (!whole_) add(pass_of_frequencies(true));
    if (!whole_ || copies_gates_) barrier();
    copy_gates();
    if (!whole_) add(pass_of_frequencies(false));
    add(pass_of_samples(true));
    barrier();
    if (beside) next_samples();
    store_frequencies();
    // Out gates lie where the in gates of the next tile will.
    if (early) next_samples();
    store_samples();
  }

  // In one tile, the one that leaves first.
  void one_after_the_other() {
    const bool beside = samples_beside(config_, plan_), parts = parts_take_turns(plan_);
    open();
    copied();
    copy_gates();
    join();
    if (!whole_) {
      add(pass_of_frequencies(true));
      barrier();
    }
    add(pass_of_samples(true));
    barrier();
    if (beside) add(load_samples());
    parts ? samples_take_turns() : store_samples();
    if (!beside && !parts) add(load_samples());
    copied();
    add(pass_of_samples(false));
    barrier();
    if (!whole_) {
      add(pass_of_frequencies(false));
      barrier();
    }
    store_frequencies();
  }

  void add(Statement statement) { turn_.body.push_back(std::move(statement)); }

  [[nodiscard]] Statement of(Operation operation, bool inverse) const {
    return {.operation = operation, .inverse = inverse, .tensor = tensor_, .times = tiles()};
  }
  [[nodiscard]] Statement forward(Operation operation) const { return of(operation, false); }
  [[nodiscard]] Statement back(Operation operation) const { return of(operation, true); }

  [[nodiscard]] double tiles() const {
    return static_cast<double>(plan_.row_plan.transform_length) / columns_.columns();
  }
  // Of so many rows of a tile, in tiles of 16 x 16.
  [[nodiscard]] double size_of(double rows) const { return rows * columns_.columns() * bytes_of_point / bytes_of_tile; }

  // What products read or write of a tile's samples, and what there is of them.
  [[nodiscard]] Shape samples() const {
    return plan_.right_angle() ? Shape::real : halves_samples(plan_) ? Shape::half : Shape::whole;
  }
  [[nodiscard]] double samples_size() const {
    return size_of(samples() == Shape::whole ? columns_.length() : columns_.length() / 2.0);
  }
  [[nodiscard]] double results_size() const { return size_of((plan_.right_angle() ? 0.5 : 1) * sample_rows(plan_)); }
  // Frequencies in a tile: slots of the rows that one product makes, or the blocks of 16 rows of which any is kept.
  [[nodiscard]] double frequencies_size() const {
    if (whole_) return size_of(contracted_slots);
    return size_of(drops_blocks(plan_) ? 16 * std::popcount(kept_blocks(plan_)) : columns_.length());
  }
  [[nodiscard]] double kept_size() const { return size_of(workspace_rows(plan_)); }

  [[nodiscard]] std::vector<std::size_t> steps_where(const auto& wanted) const {
    std::vector<std::size_t> steps;
    for (std::size_t at = 0; at < plan_.steps.size(); ++at)
      if (plan_.steps[at].tensor == tensor_ && wanted(plan_.steps[at])) steps.push_back(at);
    return steps;
  }
  [[nodiscard]] std::vector<std::size_t> steps_of(StepKind kind, bool inverse) const {
    return steps_where([&](const Step& step) { return step.kind == kind && step.inverse == inverse; });
  }
  // Between columns and rows.
  [[nodiscard]] std::vector<std::size_t> exchanges() const {
    return steps_where([](const Step& step) {
      return step.kind == StepKind::exchange && step.level != Level::block && !step.inverse;
    });
  }
  // Of the products down a digit: with the twiddle between it and the column's digits behind it, which their matrices
  // carry.
  [[nodiscard]] std::vector<std::size_t> steps_of_product(int digit, bool inverse) const {
    const int digits = static_cast<int>(columns_.radices().size());
    return steps_where([&](const Step& step) {
      if (step.inverse != inverse) return false;
      if (step.kind == StepKind::contract) return step.digit == digit;
      return step.kind == StepKind::twiddle && step.done == std::vector<int>{digit} &&
             std::all_of(step.open.begin(), step.open.end(), [&](int open) { return open < digits; });
    });
  }
  [[nodiscard]] std::vector<std::size_t> steps_of_butterfly(bool inverse) const {
    const int digit = columns_.products;
    return steps_where([&](const Step& step) {
      return step.kind == StepKind::butterfly && step.inverse == inverse && step.digit == digit;
    });
  }

  [[nodiscard]] Statement unit_barrier() const {
    return {.operation = Operation::barrier, .times = tiles() * columns_.warps, .scope = Scope::unit};
  }
  void barrier() { add(unit_barrier()); }
  void copied() {
    add({.operation = Operation::wait});
    barrier();
  }

  // Rows of the pair that leaves.
  void open() {
    Statement rows = back(Operation::await);
    rows.body.push_back(unit_barrier());
    turn_.opening.push_back(std::move(rows));
    if (looks_up()) turn_.opening.push_back(slots(frequencies_size(), true));
    Statement frequencies = back(Operation::load);
    frequencies.size = frequencies_size(), frequencies.workspace = kept_size();
    turn_.opening.push_back(std::move(frequencies));
  }

  // Else gates are applied in registers, on the way to shared memory and from there.
  [[nodiscard]] bool takes_gate_from_tile() const { return has_in_gate(config_.gating) && columns_.gate_tile; }

  [[nodiscard]] Statement load_samples() const {
    Statement samples = forward(Operation::load);
    samples.steps = steps_of(StepKind::load, false);
    samples.size = samples_size() * (takes_gate_from_tile() ? 2 : 1);
    return samples;
  }

  // Counted where they are loaded.
  void next_samples() { add({.operation = Operation::ahead, .tensor = tensor_}); }

  // Rows whose filters differ, to the frequencies of one complex row. A pair of one channel has none.
  void join() {
    if (!plan_.is_backward() && packed_rows(plan_.packing) > 1)
      add({.operation = Operation::untangle, .inverse = true, .tensor = tensor_});
  }

  void copy_gates() {
    if (!copies_gates_) return;
    Statement gates = back(Operation::ahead);
    gates.operand = Operand::gate, gates.size = results_size();
    add(std::move(gates));
  }

  // The rows' places among those that are kept are looked up, for each chunk of both parts.
  [[nodiscard]] bool looks_up() const { return !whole_ && workspace_rows(plan_) < columns_.length(); }
  [[nodiscard]] Statement slots(double size, bool inverse) const {
    Statement places = of(Operation::fetch, inverse);
    places.operand = Operand::slots, places.placement = Placement::global;
    places.size = size * bytes_of_slot / 16;  // of every 16 bytes
    return places;
  }

  // Others wait for them.
  void store_frequencies() {
    if (looks_up()) add(slots(kept_size(), false));
    Statement frequencies = forward(Operation::store);
    frequencies.size = frequencies.workspace = kept_size();
    add(std::move(frequencies));
    barrier();
    Statement done = forward(Operation::count);
    done.steps = exchanges();
    add(std::move(done));
  }

  [[nodiscard]] std::vector<Statement> results() const {
    Statement scale = back(Operation::fetch), store = back(Operation::store);
    scale.operand = Operand::scale, scale.placement = Placement::global, scale.size = scale_size;
    scale.times *= (plan_.right_angle() ? 1 : 2) * columns_.warps;  // of either part
    store.steps = steps_of(StepKind::store, true);
    store.size = results_size() * (copies_gates_ ? 2 : 1);
    return {std::move(scale), std::move(store)};
  }
  void store_samples() {
    if (copies_gates_) add({.operation = Operation::wait, .inverse = true});
    for (Statement& statement : results()) add(std::move(statement));
  }
  // One part's results leave while the other's samples come, each to where its thread has read results.
  void samples_take_turns() {
    if (copies_gates_) add({.operation = Operation::wait, .inverse = true});
    Statement parts{.operation = Operation::repeat, .loop = Loop::parts, .body = results()};
    parts.body.push_back(load_samples());
    add(std::move(parts));
  }

  [[nodiscard]] Statement fetch(double size, bool inverse) const {
    Statement tile = of(Operation::fetch, inverse);
    tile.size = size;
    return tile;
  }
  [[nodiscard]] Statement put(double size, bool inverse) const {
    Statement tile = of(Operation::put, inverse);
    tile.size = size;
    return tile;
  }
  [[nodiscard]] Statement matrices(double reads, bool inverse) const {
    Statement matrix = of(Operation::fetch, inverse);
    matrix.operand = Operand::matrix;
    matrix.placement = columns_.shared_matrices ? Placement::shared : Placement::global;
    matrix.times *= reads;
    return matrix;
  }
  // How often a tile's warps read one down its first digit.
  [[nodiscard]] double matrix_reads() const {
    if (whole_) return columns_.sections() * columns_.warps * (halves_samples(plan_) ? 0.5 : 1);
    return columns_.sections() * std::max(1, columns_.warps / columns_.sections());
  }

  [[nodiscard]] Statement product(int digit, bool inverse) const {
    Statement product = of(Operation::contract, inverse);
    product.digit = digit, product.steps = steps_of_product(digit, inverse);
    product.times *= columns_.chunks * columns_.sections() / 2.0;
    if (columns_.radices().size() > static_cast<std::size_t>(digit) + 1)
      product.operand = Operand::column_twiddle, product.applied = Applied::in_matrix;
    return product;
  }

  // Products down the first digit, or all of the column's in one.
  [[nodiscard]] Statement pass_of_samples(bool inverse) const {
    const double others_size = whole_ ? frequencies_size() : size_of(columns_.length());
    Statement pass{.operation = Operation::repeat, .inverse = inverse, .loop = Loop::chunks};
    pass.body.push_back(fetch(inverse ? others_size : samples_size(), inverse));
    if (!inverse) convert(pass.body);
    pass.body.push_back(matrices(matrix_reads(), inverse));
    Statement contract = product(0, inverse);
    (inverse ? contract.to : contract.from) = samples();
    if (whole_) {
      const std::vector<std::size_t> behind = steps_of_butterfly(inverse);
      contract.steps.insert(inverse ? contract.steps.begin() : contract.steps.end(), behind.begin(), behind.end());
    }
    pass.body.push_back(std::move(contract));
    pass.body.push_back(put(inverse ? samples_size() : others_size, inverse));
    return pass;
  }

  void convert(std::vector<Statement>& body) const {
    if (takes_gate_from_tile()) {
      body.push_back(fetch(samples_size(), false));
      body.back().operand = Operand::gate;
    }
    if (converts_in_tile(config_, plan_)) body.push_back(forward(Operation::convert));
  }

  // What comes behind the products of the first digit.
  [[nodiscard]] Statement pass_of_frequencies(bool inverse) const {
    Statement pass{.operation = Operation::repeat, .inverse = inverse, .loop = Loop::chunks};
    const bool second = columns_.products > 1;
    if (second) pass.body.push_back(matrices(columns_.butterfly * columns_.warps, inverse));
    pass.body.push_back(fetch(inverse ? frequencies_size() : size_of(columns_.length()), inverse));
    std::vector<Statement> work;
    if (second) work.push_back(product(1, inverse));
    if (columns_.butterfly > 1) {
      work.push_back(of(Operation::butterfly, inverse));
      work.back().digit = columns_.products, work.back().steps = steps_of_butterfly(inverse);
    }
    work.push_back(of(Operation::mirror, inverse));
    if (inverse) std::reverse(work.begin(), work.end());
    for (Statement& statement : work) pass.body.push_back(std::move(statement));
    pass.body.push_back(put(inverse ? size_of(columns_.length()) : frequencies_size(), inverse));
    return pass;
  }

  const ConvConfig& config_;
  const FourStepPlan& plan_;
  const ColumnShape& columns_;
  Tensor tensor_;
  bool whole_;         // one product is all that the columns do
  bool copies_gates_;  // out gates come through a tile of their own
  ColumnTurn turn_;
};

}  // namespace

ColumnTurn lower_turn(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor) {
  return UnitTurn(config, plan, tensor).run();
}

}  // namespace ffc

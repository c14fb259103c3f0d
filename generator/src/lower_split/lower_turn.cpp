// Passes over a unit's tiles, with the copies, waits and barriers between them. Where these stand was measured.
#include "lower_turn.hpp"

#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "statement.hpp"
#include "tile_counts.hpp"
#include "tile_passes.hpp"
#include "tile_powers.hpp"
#include "unit_tile.hpp"

namespace ffc {
namespace {

constexpr double bytes_of_slot = 4;

class UnitTurn {
 public:
  UnitTurn(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor)
      : config_(config),
        plan_(plan),
        columns_(plan.columns),
        tile_(config, plan, tensor),
        whole_(tile_.contracts_whole()),
        copies_gates_(tile_.copies_out_gates()) {}

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
    measure(true);
    copied();
    join();
    add(pass_of_samples(tile_, false));
    if (!whole_) add(pass_of_frequencies(tile_, true));
    if (!whole_ || copies_gates_) barrier();
    copy_gates();
    if (!whole_) add(pass_of_frequencies(tile_, false));
    add(pass_of_samples(tile_, true));
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
      add(pass_of_frequencies(tile_, true));
      barrier();
    }
    add(pass_of_samples(tile_, true));
    barrier();
    if (beside) add(load_samples());
    parts ? samples_take_turns() : store_samples();
    if (!beside && !parts) add(load_samples());
    copy_in_gates();
    add({.operation = Operation::wait});
    measure(false);
    barrier();
    add(pass_of_samples(tile_, false));
    barrier();
    if (!whole_) {
      add(pass_of_frequencies(tile_, false));
      barrier();
    }
    store_frequencies();
  }

  void add(Statement statement) { turn_.body.push_back(std::move(statement)); }

  [[nodiscard]] Statement forward(Operation operation) const { return tile_.statement(operation, false); }
  [[nodiscard]] Statement back(Operation operation) const { return tile_.statement(operation, true); }

  [[nodiscard]] Statement unit_barrier() const {
    return {.operation = Operation::barrier, .times = tile_.count() * columns_.warps, .scope = Scope::unit};
  }
  void barrier() { add(unit_barrier()); }
  // What each thread has copied of the samples: `early`, ahead of the frequencies, which were asked for later.
  void measure(bool early) {
    if (!finds_tile_powers(config_, plan_)) return;
    Statement samples = forward(Operation::measure);
    samples.early = early, samples.size = tile_.samples_size();
    add(std::move(samples));
  }
  void copied() {
    add({.operation = Operation::wait});
    barrier();
  }

  // Rows of the pair that leaves.
  void open() {
    Statement rows = back(Operation::await);
    rows.body.push_back(unit_barrier());
    turn_.opening.push_back(std::move(rows));
    if (looks_up()) turn_.opening.push_back(slots(tile_.frequencies_size(), true));
    Statement frequencies = back(Operation::load);
    frequencies.size = tile_.frequencies_size(), frequencies.workspace = tile_.kept_size();
    turn_.opening.push_back(std::move(frequencies));
  }

  [[nodiscard]] Statement load_samples() const {
    Statement samples = forward(Operation::load);
    samples.steps = tile_.steps_of(StepKind::load, false);
    const bool with_gates = tile_.copies_in_gates() && !gates_follow_results(config_, plan_);
    samples.size = tile_.samples_size() * (with_gates ? 2 : 1);
    return samples;
  }

  // A thread's own take the place of results that it has stored; taps of sums are stored by others.
  void copy_in_gates() {
    if (!gates_follow_results(config_, plan_)) return;
    if (plan_.backward.returns_sums) barrier();
    Statement gates = forward(Operation::load);
    gates.operand = Operand::gate, gates.size = tile_.samples_size();
    add(std::move(gates));
  }

  // Counted where they are loaded.
  void next_samples() { add({.operation = Operation::ahead, .tensor = tile_.tensor()}); }

  // Rows whose filters differ, to the frequencies of one complex row. A pair of one channel has none.
  void join() {
    if (!plan_.is_backward() && !are_alone(plan_.packing))
      add({.operation = Operation::untangle, .inverse = true, .tensor = tile_.tensor()});
  }

  void copy_gates() {
    if (!copies_gates_) return;
    Statement gates = back(Operation::ahead);
    gates.operand = Operand::gate, gates.size = tile_.results_size();
    add(std::move(gates));
  }

  // The rows' places among those that are kept are looked up, for each chunk of both parts.
  [[nodiscard]] bool looks_up() const { return !whole_ && workspace_rows(plan_) < columns_.length(); }
  [[nodiscard]] Statement slots(double size, bool inverse) const {
    Statement places = tile_.statement(Operation::fetch, inverse);
    places.operand = Operand::slots, places.placement = Placement::global;
    places.size = size * bytes_of_slot / 16;  // of every 16 bytes
    return places;
  }

  // Others wait for them.
  void store_frequencies() {
    if (looks_up()) add(slots(tile_.kept_size(), false));
    Statement frequencies = forward(Operation::store);
    frequencies.size = frequencies.workspace = tile_.kept_size();
    add(std::move(frequencies));
    barrier();
    Statement done = forward(Operation::count);
    done.steps = tile_.exchanges();
    add(std::move(done));
  }

  [[nodiscard]] std::vector<Statement> results() const {
    Statement scale = back(Operation::fetch), store = back(Operation::store);
    scale.operand = Operand::scale, scale.placement = Placement::global, scale.size = scale_size;
    scale.times *= (plan_.right_angle() ? 1 : 2) * columns_.warps;  // of either part
    store.steps = tile_.steps_of(StepKind::store, true);
    store.size = tile_.results_size() * (copies_gates_ ? 2 : 1);
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

  const ConvConfig& config_;
  const FourStepPlan& plan_;
  const ColumnShape& columns_;
  UnitTile tile_;
  bool whole_;         // one product is all that the columns do
  bool copies_gates_;  // out gates come through a tile of their own
  ColumnTurn turn_;
};

// Some loops are of both: samples of one come while results of the other leave.
bool is_of_both(const Statement& statement) {
  return statement.operation == Operation::repeat && (statement.loop == Loop::parts || statement.loop == Loop::rounds);
}

void take_way(std::vector<Statement>& taken, const std::vector<Statement>& turn, bool inverse) {
  for (const Statement& statement : turn)
    if (is_of_both(statement))
      take_way(taken, statement.body, inverse);
    else if (statement.inverse == inverse)
      taken.push_back(statement);
}

}  // namespace

Statement way_of(const ColumnTurn& turn, Tensor tensor, bool inverse) {
  Statement columns{.operation = Operation::columns, .inverse = inverse, .tensor = tensor};
  take_way(columns.body, turn.opening, inverse);
  take_way(columns.body, turn.body, inverse);
  return columns;
}

ColumnTurn lower_turn(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor) {
  return UnitTurn(config, plan, tensor).run();
}

}  // namespace ffc

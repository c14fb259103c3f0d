// What a unit of columns does in a turn, one statement after the other.
#include "turn_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"
#include "text.hpp"

namespace ffc {

namespace {

class TurnText {
 public:
  TurnText(const ConvConfig& config, const FourStepPlan& plan)
      : both_(plan.columns.tiles > 1),
        beside_(samples_beside(config, plan)),
        turns_(parts_take_turns(plan)),
        second_products_(plan.columns.products == 2),
        out_gates_(has_out_gate(config.gating) && plan.columns.gate_tile),
        whole_(contracts_kept(plan)),
        anew_(computes_anew(plan)),
        asks_scale_(config.scaling == Scaling::given),
        lone_rows_(!plan.is_backward() && packed_rows(plan.packing) > 1),
        in_(both_ ? "next" : "tile"),
        out_(1) {}

  std::string take() {
    if (both_)
      line(fmt::format("{}SharedAddress next = tile + tile_bytes;  // {}", swaps() ? "" : "const ",
                       swaps() ? "of the row that comes, in turn with the other" : "of the pair that comes"));
    line("Turn turn = turn_at(split, index);");
    out_.open("if (turn.exists) {");
    if (both_) line("load_in(split, turn, next, thread);");
    load_out();
    out_.close();
    out_.open("while (turn.exists) {");
    if (anew_) line("compute_anew(thread);");
    both_ ? at_once() : in_turn();
    out_.open("if (turn.exists) {");
    if (both_ && !beside_ && !early()) line("load_in(split, turn, next, thread);");
    load_out();
    out_.close();
    out_.close();
    return out_.take();
  }

 private:
  // The tile that leaves takes in the samples of the next turn, and is that of the row that comes then.
  [[nodiscard]] bool swaps() const { return both_ && beside_; }
  // Out gates lie where the in gates of the next tile will.
  [[nodiscard]] bool early() const { return !out_gates_; }
  void line(std::string_view text) { out_.line(text); }
  void barrier() { line("unit_barrier(unit);"); }
  void copied() {
    line("wait_copies<0>();");
    barrier();
  }
  void come(std::string_view call) {
    line(fmt::format("if (turn.in.exists) {};", fmt::format(fmt::runtime(call), in_)));
  }
  void leave(std::string_view call) { line(fmt::format("if (turn.out.exists) {};", call)); }
  void join_out() {
    if (lone_rows_) line("if (turn.out.exists && is_lone(split.conv, turn.out)) join_rows(tile, unit, thread);");
  }
  void contract_samples() {
    come(asks_scale_ ? "contract_samples(split.conv, turn.in, forward, {}, thread)"
                     : "contract_samples(forward, {}, thread)");
  }
  void to_frequencies() {
    come(second_products_ ? "to_frequencies(forward, {}, thread)" : "to_frequencies({}, thread)");
  }
  void from_frequencies() {
    leave(second_products_ ? "from_frequencies(inverse, tile, thread)" : "from_frequencies(tile, thread)");
  }
  void start_gates() {
    if (out_gates_) leave("load_gates(split.conv, turn.out, turn.first_column, tile, thread)");
  }
  void store_out() {
    if (out_gates_) line("wait_copies<0>();");
    leave("store_samples(split.conv, turn.out, turn.first_column, tile, thread)");
  }
  void store_in() {
    come("store_frequencies(split, turn.place, turn.in, turn.first_column, {}, thread)");
    barrier();
    line("// Another warp than the one that asks for rows.");
    line("if (turn.in.exists && thread == 32) add_to_count(columns_done(split, turn.place), 1);");
  }
  void load_out() {
    line("wait_until_open(split, turn, unit, thread);");
    line("load_out(split, turn, tile, thread);");
  }
  void load_beside(std::string_view turn) {
    line("// Imaginary parts have been read: samples come in beside the results.");
    line(fmt::format("load_in(split, {}, tile, thread);", turn));
  }
  void take_turns() {
    if (out_gates_) line("wait_copies<0>();");
    line("// One part's results leave while the other's samples come, each to where its thread has read results.");
    line("#pragma unroll 1");
    out_.open("for (int part = 0; part < 2; ++part) {");
    leave("store_samples(split.conv, turn.out, turn.first_column, tile, part, thread)");
    line("load_in(split, turn, tile, part, thread);");
    out_.close();
  }
  void go_on() { line("turn = turn_at(split, index += step);"); }

  void at_once() {
    copied();
    join_out();
    contract_samples();
    if (!whole_) from_frequencies();
    if (!whole_ || out_gates_) barrier();
    start_gates();
    if (!whole_) to_frequencies();
    leave("contract_frequencies(inverse, tile, thread)");
    barrier();
    if (beside_) load_beside("turn_at(split, index + step)");
    store_in();
    if (!beside_ && early()) line("load_in(split, turn_at(split, index + step), next, thread);");
    store_out();
    go_on();
    if (!swaps()) return;
    line("const SharedAddress of_results = tile;");
    line("tile = next, next = of_results;");
  }

  void in_turn() {
    copied();
    start_gates();
    join_out();
    if (!whole_) {
      from_frequencies();
      barrier();
    }
    leave("contract_frequencies(inverse, tile, thread)");
    barrier();
    if (beside_) load_beside("turn");
    turns_ ? take_turns() : store_out();
    if (!beside_ && !turns_) line("load_in(split, turn, tile, thread);");
    copied();
    contract_samples();
    barrier();
    if (!whole_) {
      to_frequencies();
      barrier();
    }
    store_in();
    go_on();
  }

  bool both_, beside_, turns_, second_products_, out_gates_, whole_, anew_, asks_scale_, lone_rows_;
  std::string_view in_;
  TextWriter out_;
};

}  // namespace

std::string turn_block(const ConvConfig& config, const FourStepPlan& plan) { return TurnText(config, plan).take(); }

}  // namespace ffc

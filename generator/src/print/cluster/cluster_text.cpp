// Statements of a cluster's turn as text. What is of the item that comes or of the one that leaves is done where there
// is one.
#include "cluster_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "assemble.hpp"
#include "cluster_chunks.hpp"
#include "cluster_words.hpp"
#include "column_access.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_cluster.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_magnitudes.hpp"

namespace ffc {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("no turn of a cluster's columns has such a statement"); }

// The last line of a device function's head, with further arguments than the template's.
constexpr std::string_view send_arguments =
    "                                            Samples& samples, SharedAddress place{}) {{\n";
constexpr std::string_view fetch_arguments =
    "                                             float scale, SharedAddress place{}) {{\n";
constexpr std::string_view write_arguments =
    "                                              int column, const Samples& x{}) {{\n";

std::optional<std::string> arguments_of(std::string_view head, const std::string& further) {
  return further.empty() ? as_it_stands : std::optional(fmt::format(fmt::runtime(head), further));
}

std::string met_argument(Met met) {
  if (met == Met::nothing) return "";
  return fmt::format(", {}& met_input", met == Met::products ? "MetProducts" : "MetSamples");
}

// On the way in, where padding may save it a level.
std::string forward_butterfly(const Statement& butterfly) {
  return fmt::format("  butterfly{}<false>(re, im);\n", butterfly.from == Shape::half ? "_padded" : "");
}

class TurnText {
 public:
  TurnText(const ConvConfig& config, const ClusterPlan& plan, const RowAccess& access)
      : config_(config),
        access_(access),
        turn_(lower_cluster_turn(config, plan)),
        walks_(plan.right_angle()),
        finds_(config.scaling == Scaling::found),
        met_(met_of(config, access.source)) {}

  Blocks take() {
    for (const Statement& statement : turn_.opening)
      if (statement.operation == Operation::load) {
        if (walks_) line("Item coming = item_of(slice, 0);");
        line("Samples next;  // on their way from u while others leave");
        line(fmt::format("if (slice.items > 0) next = read({}, 0, 0);", walks_ ? "coming" : "item_of(slice, 0)"));
      }
    if (reports(config_)) {
      line("// What this thread's columns meet of a channel, on either way.");
      emit_met(out_, met_, samples_field(Tensor::input));
      emit_met_results(out_, config_, "output");
    }
    out_.open("for (int turn = 0; turn < slice.items + ring; ++turn) {");
    line("const int slot = turn % ring;");
    line("const bool leaves = turn >= ring && turn - ring < slice.items, comes = turn < slice.items;");
    for (const Statement& statement : turn_.body) print(statement);
    if (reports(config_)) {
      print_report("comes", coming_, "turn", samples_field(Tensor::input));
      print_report("leaves", "item_of(slice, turn - ring)", "turn - ring", "output");
    }
    if (walks_) line("coming = behind(slice, coming);");
    out_.close();
    blocks_["turn"] = out_.take();
    const std::string exponents = finds_ ? ", SharedAddress exponents" : "";
    const std::string results = reports(config_) ? ", MetSamples& met_output" : "";
    blocks_["send_arguments"] = arguments_of(send_arguments, exponents + met_argument(met_));
    blocks_["fetch_arguments"] = arguments_of(fetch_arguments, results);
    blocks_["write_arguments"] = arguments_of(write_arguments, results);
    return std::move(blocks_);
  }

 private:
  void line(std::string_view text) { out_.line(text); }

  void print_report(std::string_view there, std::string_view item, std::string_view turn, std::string_view field) {
    out_.open(fmt::format("if ({} && ends_channel(slice, {}, {})) {{", there, item, turn));
    emit_report(out_, field, fmt::format("{}.channel", item));
    line(fmt::format("met_{}.largest = 0;", field));
    out_.close();
  }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::fetch:
        return line(
            "const float scale = leaves ? scale_of(arguments, channel_of(slice, slice.first + turn - ring)) : 0.0f;");
      case Operation::await:
        line("if (leaves) wait_for_phase(rows_done(shared, slot), turn / ring - 1);");
        if (finds_) line("const unsigned int largest = leaves ? found_largest(shared, slot) : 0;");
        return;
      case Operation::repeat:
        return statement.loop == Loop::rounds ? print_rounds(statement) : print_chunks(statement);
      case Operation::ahead:
        line("const bool same = round + 1 < rounds;");
        line("if (turn + (same ? 0 : 1) < slice.items)");
        return line(
            fmt::format("  next = read({}, same ? slot : (slot + 1) % ring, same ? round + 1 : 0);",
                        walks_ ? "same ? coming : behind(slice, coming)" : "item_of(slice, same ? turn : turn + 1)"));
      case Operation::barrier:
        return line("warp_barrier();");
      case Operation::count:
        return line("if (comes && lane < blocks) arrive_at(at_rank(columns_done(shared, slot), lane));");
      default:
        refuse();
    }
  }

  void print_rounds(const Statement& rounds) {
    line("const int rounds = rounds_of(slot);");
    line("#pragma unroll 1");
    out_.open("for (int round = 0; round < rounds; ++round) {");
    line("const int column = column_of(slot, round);");
    line("const SharedAddress place = shared + slot * buffer_bytes + place_of_sample(column);");
    for (const Statement& statement : rounds.body) print(statement);
    out_.close();
  }

  // One device function a way.
  void print_chunks(const Statement& chunks) {
    line(chunks.inverse
             ? fmt::format("if (leaves) fetch_chunks(arguments, slice, turn - ring, column, {}, place{});",
                           finds_ ? "scale * scale_from_one(largest)" : "scale", reports(config_) ? ", met_output" : "")
             : fmt::format("if (comes) send_chunks(arguments, {}, column, next, place{}{});", coming_,
                           finds_ ? ", exponents_of(shared, slot)" : "", met_ == Met::nothing ? "" : ", met_input"));
    blocks_[chunks.inverse ? "fetch" : "send"] = cluster_chunks(config_, access_, chunks);
    each_statement(chunks.body, [&](const Statement& statement) {
      if (statement.operation == Operation::butterfly && !statement.inverse)
        blocks_["forward_butterfly"] = forward_butterfly(statement);
    });
  }

  const ConvConfig& config_;
  const RowAccess& access_;
  ColumnTurn turn_;
  bool walks_;  // from item to item; pairs have no registers left for it, and divide
  std::string_view coming_ = walks_ ? "coming" : "item_of(slice, turn)";
  bool finds_;  // powers of two of what comes
  Met met_;     // of what comes
  Blocks blocks_;
  TextWriter out_{1};
};

}  // namespace

Blocks cluster_blocks(const ConvConfig& config, const ClusterPlan& plan) {
  const RowAccess access = column_access(config, plan);
  Blocks blocks = TurnText(config, plan, access).take();
  blocks["read_samples"] = read_words_block(access);
  blocks["write_samples"] = write_words_block(config, access);
  return blocks;
}

}  // namespace ffc

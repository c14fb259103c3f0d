// Statements of a cluster's turn as text. What is of the item that comes or of the one that leaves is done where there
// is one.
#include "cluster_text.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "assemble.hpp"
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

namespace ffc {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("no turn of a cluster's columns has such a statement"); }

constexpr std::string_view send_chunks_and_tell =
    R"(__device__ __forceinline__ void send_chunks(const ConvArguments& arguments, const Slice& slice, int item, int column,
                                            Samples& samples, SharedAddress place, SharedAddress exponents) {
)";

// A thread's chunk of every row on one way, as the body of a device function.
class ChunkText {
 public:
  ChunkText(const ConvConfig& config, const RowAccess& access) : config_(config), access_(access) {}

  std::string take(const Statement& chunks) {
    for (const Statement& statement : chunks.body) print(statement);
    return out_.take();
  }

 private:
  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::convert:
        return print_converted(statement);
      case Operation::repeat:
        return print_words(statement);
      case Operation::put:
        return print_frequencies("store_at");
      case Operation::fetch:
        if (statement.operand == Operand::gate) return;  // by the store
        out_.line("Chunks x;");
        return print_frequencies("load_from");
      case Operation::store:
        return print_stored(statement);
      default:
        refuse();
    }
  }

  // The device function of a word does what its loop's body lists: which there is follows from the packing.
  void print_words(const Statement& words) {
    out_.line(words.inverse ? "Samples samples;" : "Chunks x;");
    out_.unroll().line(fmt::format("for (int w = 0; w < chunk_words; ++w) transform_word{}, w);",
                                   words.inverse ? "_back(x, samples" : "(samples, x"));
  }

  // In the block of each.
  void print_frequencies(std::string_view move) {
    out_.unroll().open("for (int f = 0; f < blocks; ++f) {");
    out_.line("const SharedAddress there = at_rank(place, f);");
    out_.line(fmt::format("{}(there, x.re[f]);", move));
    out_.line(fmt::format("{}(there + plane_bytes, x.im[f]);", move));
    out_.close();
  }

  void print_converted(const Statement& convert) {
    const bool gated = !access_.source.gate.empty();
    if (gated || config_.scaling == Scaling::given || reports(config_))
      out_.line("const int channel = channel_of(slice, item);");
    print_row();
    emit_input_scale(out_, config_, magnitude());
    if (gated)
      print_gate(access_.source.gate);
    else
      out_.line("(void)arguments, (void)slice, (void)item, (void)column;");
    if (config_.scaling == Scaling::found) print_measured(convert.to);
    const Met met = met_of(config_, access_.source);
    emit_met(out_, met, samples_field(Tensor::input));
    if (met != Met::packed) print_meeting(met, convert.to);
    if (gated || config_.dtype != DataType::fp16 || !access_.source.scale.empty())
      print_each_word(convert.to, [&](std::string_view word, std::string_view gate) {
        return packed_sample(access_.source, word, gate);
      });
    if (met == Met::packed) print_meeting(met, convert.to);
    if (met != Met::nothing) emit_report(out_, samples_field(Tensor::input), "channel");
  }

  // Samples that do not exist are zero.
  void print_meeting(Met met, Shape shape) {
    if (met == Met::nothing) return;
    open_words();
    each_word(shape, [&](std::string_view word, std::string_view gate) {
      emit_meet(out_, met, samples_field(Tensor::input), word, gate);
    });
    out_.close().end();
  }

  // Of rows alone, all of whose samples are real parts.
  void print_measured(Shape shape) {
    if (shape != Shape::real) refuse();
    const bool gated = !access_.source.gate.empty();
    const std::string_view word = "samples.re[row].word[w]";
    out_.line("Packed largest = 0;");
    out_.unroll().line("for (int row = 0; row < sample_rows; ++row)");
    out_.unroll().line("  for (int w = 0; w < chunk_words; ++w)");
    out_.line(fmt::format("    largest = larger_magnitudes(largest, {});",
                          gated ? fmt::format("multiply_bf16({}, gate.re[row].word[w])", word) : std::string(word)));
    out_.line("const float tile_scale = scale_to_one(tell_exponent(largest, column, exponents));");
  }

  void print_stored(const Statement& store) {
    const bool gated = !access_.results.gate.empty();
    const std::string_view scale = access_.results.scale;
    out_.line("const int channel = channel_of(slice, item);");
    print_row();
    emit_result_scale(out_, config_, "input", magnitude());
    if (gated) print_gate(access_.results.gate);
    print_each_word(store.to, [&](std::string_view word, std::string_view gate) {
      return gated ? fmt::format("to_stored_gated({}, {}, {})", word, scale, gate)
                   : fmt::format("to_stored({}, {})", word, scale);
    });
    out_.line("write_samples(arguments, {arguments.y, arguments.y_batch_stride, arguments.y_channel_stride}, channel,");
    out_.line("              item - channel * slice.of_channel, column, samples);");
  }

  // An item is a row of its channel, or two: these have the power of two of the larger one.
  [[nodiscard]] std::string_view magnitude() const {
    return access_.planes ? "channel, row, row + 1 < arguments.batch" : "channel, row";
  }
  void print_row() {
    if (config_.scaling == Scaling::given)
      out_.line(fmt::format("const int row = {}(item - channel * slice.of_channel);", access_.planes ? "2 * " : ""));
  }

  void print_gate(std::string_view name) {
    out_.line("const Samples gate =");
    out_.line(
        fmt::format("    read_samples(arguments, {{arguments.{0}, arguments.{0}_batch_stride, "
                    "arguments.{0}_channel_stride}}, channel,",
                    name));
    out_.line("                 item - channel * slice.of_channel, column);");
  }

  // `result(word, gate)` for every word of the rows of an item: what becomes of it beside the gate's.
  template <class Result>
  void print_each_word(Shape shape, const Result& result) {
    open_words();
    each_word(shape, [&](std::string_view word, std::string_view gate) {
      out_.line(fmt::format("{} = {};", word, result(word, gate)));
    });
    out_.close().end();
  }

  void open_words() {
    out_.unroll().open("for (int row = 0; row < sample_rows; ++row)");
    out_.unroll().open("for (int w = 0; w < chunk_words; ++w) {");
  }

  template <class Visit>
  static void each_word(Shape shape, const Visit& visit) {
    for (const std::string_view part : {"re", "im"})
      if (shape != Shape::real || part != "im")
        visit(fmt::format("samples.{}[row].word[w]", part), fmt::format("gate.{}[row].word[w]", part));
  }

  const ConvConfig& config_;
  const RowAccess& access_;
  TextWriter out_{1};
};

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
        finds_(config.scaling == Scaling::found) {}

  Blocks take() {
    for (const Statement& statement : turn_.opening)
      if (statement.operation == Operation::load) {
        line("Samples next;  // on their way from u while others leave");
        line("if (slice.items > 0) next = read(slice.first, 0);");
      }
    out_.open("for (int turn = 0; turn < slice.items + ring; ++turn) {");
    line("const int item = slice.first + turn, slot = turn % ring;");
    line("const bool leaves = turn >= ring && turn - ring < slice.items, comes = turn < slice.items;");
    for (const Statement& statement : turn_.body) print(statement);
    out_.close();
    blocks_["turn"] = out_.take();
    blocks_["send_chunks"] = finds_ ? std::optional<std::string>(send_chunks_and_tell) : as_it_stands;
    return std::move(blocks_);
  }

 private:
  void line(std::string_view text) { out_.line(text); }

  void print(const Statement& statement) {
    switch (statement.operation) {
      case Operation::fetch:
        return line("const float scale = leaves ? scale_of(arguments, channel_of(slice, item - ring)) : 0.0f;");
      case Operation::await:
        line("if (leaves) wait_for_phase(rows_done(shared, slot), turn / ring - 1);");
        if (finds_) line("const unsigned int largest = leaves ? found_largest(shared, slot) : 0;");
        return;
      case Operation::repeat:
        return statement.loop == Loop::rounds ? print_rounds(statement) : print_chunks(statement);
      case Operation::ahead:
        line("const bool same = round + 1 < rounds;");
        return line(
            "if (turn + (same ? 0 : 1) < slice.items) next = read(same ? item : item + 1, same ? round + 1 : 0);");
      case Operation::barrier:
        return line("warp_barrier();");
      case Operation::count:
        return line("if (comes && lane < blocks) arrive_at(at_rank(columns_done(shared, slot), lane));");
      default:
        refuse();
    }
  }

  void print_rounds(const Statement& rounds) {
    line("#pragma unroll 1");
    out_.open("for (int round = 0; round < rounds; ++round) {");
    line("const int column = column_of(round);");
    line("const SharedAddress place = shared + slot * buffer_bytes + place_of_sample(column);");
    for (const Statement& statement : rounds.body) print(statement);
    out_.close();
  }

  // One device function a way.
  void print_chunks(const Statement& chunks) {
    line(chunks.inverse ? fmt::format("if (leaves) fetch_chunks(arguments, slice, item - ring, column, {}, place);",
                                      finds_ ? "scale * scale_from_one(largest)" : "scale")
                        : fmt::format("if (comes) send_chunks(arguments, slice, item, column, next, place{});",
                                      finds_ ? ", exponents_of(shared, slot)" : ""));
    blocks_[chunks.inverse ? "fetch" : "send"] = ChunkText(config_, access_).take(chunks);
    each_statement(chunks.body, [&](const Statement& statement) {
      if (statement.operation == Operation::butterfly && !statement.inverse)
        blocks_["forward_butterfly"] = forward_butterfly(statement);
    });
  }

  const ConvConfig& config_;
  const RowAccess& access_;
  ColumnTurn turn_;
  bool finds_;  // powers of two of what comes
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

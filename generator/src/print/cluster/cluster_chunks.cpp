// Words of samples and frequencies of a cluster's columns: gates, powers of two, what is met of them.
#include "cluster_chunks.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

[[noreturn]] void refuse() { throw std::logic_error("no chunk of a cluster's columns has such a statement"); }

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
    print_row();
    emit_input_scale(out_, config_, magnitude());
    if (gated)
      print_gate(access_.source.gate);
    else
      out_.line("(void)arguments, (void)item, (void)column;");
    if (config_.scaling == Scaling::found) print_measured(convert.to);
    const Met met = met_of(config_, access_.source);
    if (met != Met::packed) print_meeting(met, convert.to);
    if (gated || config_.dtype != DataType::fp16 || !access_.source.scale.empty())
      print_each_word(convert.to, [&](std::string_view word, std::string_view gate) {
        return packed_sample(access_.source, word, gate);
      });
    if (met == Met::packed) print_meeting(met, convert.to);
  }

  // Samples that do not exist are zero.
  void print_meeting(Met met, Shape shape) {
    if (met == Met::nothing) return;
    each_word(shape, [&](std::string_view word, std::string_view gate) {
      emit_meet(out_, met, samples_field(Tensor::input), word, gate);
    });
  }

  // Of rows alone, all of whose samples are real parts.
  void print_measured(Shape shape) {
    if (shape != Shape::real) refuse();
    const std::string_view word = "samples.re[row].word[w]";
    out_.line("Packed largest = 0;");
    out_.unroll();
    if (access_.source.gate.empty()) {
      out_.line("for (int row = 0; row < sample_rows; ++row)");
      out_.unroll().line("  for (int w = 0; w < chunk_words; ++w)");
      out_.line(fmt::format("    largest = larger_magnitudes(largest, {});", word));
    } else {
      out_.open("for (int row = 0; row < sample_rows; ++row) {");
      out_.line("Packed products[chunk_words];");
      out_.unroll().line("for (int w = 0; w < chunk_words; ++w)");
      out_.line(fmt::format("  products[w] = multiply_bf16({}, gate.re[row].word[w]);", word));
      out_.line("largest = larger_magnitudes(largest, largest_magnitudes<chunk_words>(products));");
      out_.close();
    }
    out_.line("const float tile_scale = scale_to_one(tell_exponent(largest, column, exponents));");
  }

  void print_stored(const Statement& store) {
    const bool gated = !access_.results.gate.empty();
    const std::string_view scale = access_.results.scale;
    // Behind the loads, which the division does not wait for.
    out_.line("const Item item = item_of(slice, turn);");
    print_row();
    emit_result_scale(out_, config_, "input", magnitude());
    if (gated) print_gate(access_.results.gate);
    print_each_word(store.to, [&](std::string_view word, std::string_view gate) {
      return gated ? fmt::format("to_stored_gated({}, {}, {})", word, scale, gate)
                   : fmt::format("to_stored({}, {})", word, scale);
    });
    out_.line(
        "write_samples(arguments, {arguments.y, arguments.y_batch_stride, arguments.y_channel_stride}, item, column,");
    out_.line(fmt::format("              samples{});", reports(config_) ? ", met_output" : ""));
  }

  // An item is a row of its channel, or two: these have the power of two of the larger one.
  [[nodiscard]] std::string_view magnitude() const {
    return access_.planes ? "item.channel, row, row + 1 < arguments.batch" : "item.channel, row";
  }
  void print_row() {
    if (config_.scaling == Scaling::given)
      out_.line(fmt::format("const int row = {}item.index;", access_.planes ? "2 * " : ""));
  }

  void print_gate(std::string_view name) {
    out_.line("const Samples gate =");
    out_.line(
        fmt::format("    read_samples(arguments, {{arguments.{0}, arguments.{0}_batch_stride, "
                    "arguments.{0}_channel_stride}}, item, column);",
                    name));
  }

  // `result(word, gate)`: what becomes of a word beside the gate's.
  template <class Result>
  void print_each_word(Shape shape, const Result& result) {
    each_word(shape, [&](std::string_view word, std::string_view gate) {
      out_.line(fmt::format("{} = {};", word, result(word, gate)));
    });
  }

  // `print(word, gate)` in a loop over every word of the rows of an item.
  template <class Print>
  void each_word(Shape shape, const Print& print) {
    out_.unroll().open("for (int row = 0; row < sample_rows; ++row)");
    out_.unroll().open("for (int w = 0; w < chunk_words; ++w) {");
    for (const std::string_view part : {"re", "im"})
      if (shape != Shape::real || part != "im")
        print(fmt::format("samples.{}[row].word[w]", part), fmt::format("gate.{}[row].word[w]", part));
    out_.close().end();
  }

  const ConvConfig& config_;
  const RowAccess& access_;
  TextWriter out_{1};
};

}  // namespace

std::string cluster_chunks(const ConvConfig& config, const RowAccess& access, const Statement& chunks) {
  return ChunkText(config, access).take(chunks);
}

}  // namespace ffc

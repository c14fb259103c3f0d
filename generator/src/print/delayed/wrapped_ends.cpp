// Ends of delayed rows, as text.
#include "wrapped_ends.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "row_access.hpp"
#include "row_ends.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// The warp that has the first columns, while it has them; a warp that holds a row has all of it.
std::string_view first_columns(const InBlockPlan& plan) {
  return has_columns(plan) ? "if (warp == 0 && first == 0) {" : "{";
}

// What is read of a pair: its rows, and their gates.
std::vector<std::string_view> names_read(const ConvConfig& config, const InBlockPlan& plan) {
  std::vector<std::string_view> names = {"u"};
  if (plan.is_backward()) names.push_back("dy");
  if (has_in_gate(config.gating)) names.push_back("w");
  if (has_out_gate(config.gating)) names.push_back("v");
  return names;
}

// Of pairs, each row has its own.
std::string_view part_of(const RowAccess& access) { return access.planes ? ", part" : ""; }

std::string sample_of(const RowAccess& access, std::string_view name) {
  return fmt::format("ends.sample(EndOf::{}{}, lane)", name, part_of(access));
}

void emit_ends(TextWriter& out) { out.line("const WrappedEnds ends = wrapped_ends(shared, group, pair);"); }

// A power of two that was found of a plane's rows, `field` being "in" or "out". Chosen, for an index that is not known
// when registers are given out would put both into memory.
std::string found_power(const RowAccess& access, std::string_view field) {
  return access.magnitude == "part" ? fmt::format("(part == 0 ? found.{0}[0] : found.{0}[1])", field)
                                    : fmt::format("found.{}[{}]", field, access.magnitude);
}

// One tensor's ends, of all planes.
void emit_add_end(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor,
                  std::string_view scale) {
  const RowAccess access = row_access(config, plan, tensor);
  RowSource source = source_of(config, tensor);
  const std::string power = found_power(access, "in");
  if (!scale.empty())
    source.scale = scale;
  else if (config.scaling == Scaling::found)
    source.scale = power;
  const std::string gate = source.gate.empty() ? std::string() : sample_of(access, source.gate);
  const std::string end = packed_sample(source, sample_of(access, source.rows), gate);
  open_planes(out, access);
  out.line(access.planes       ? fmt::format("add_end<{}>(x[0], part, {});", plan.outer_tile, end)
           : has_columns(plan) ? fmt::format("add_end<{}>(x[0], {}, lane);", plan.outer_tile, end)
                               : fmt::format("add_end_to_rows(x, {}, lane);", end));
  close_planes(out, access);
}

// One tensor of results, of the row that `access` has.
void emit_store_end(TextWriter& out, const RowAccess& access, std::string_view name, std::string_view gate,
                    std::string_view scale) {
  emit_row_pointer(out, access, name, "");
  emit_stored_sample(out, name, stored_sample("end", scale, gate.empty() ? std::string() : sample_of(access, gate)));
}

// The power of two that was found of a tensor's rows is taken back.
std::string scale_of(const ConvConfig& config, const RowAccess& access, std::string_view scale) {
  return config.scaling == Scaling::found ? "scale * " + found_power(access, "out") : std::string(scale);
}

void emit_gradient_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access,
                        Turn turn) {
  for (const Results& results : results_of(config, plan, turn)) {
    const bool asks = turn == Turn::together && plan.backward.inverts_input && plan.backward.inverts_gradient;
    if (asks) out.open(fmt::format("if (tensor == {}) {{", results.tensor == Tensor::input ? 0 : 1));
    const std::string scale = scale_of(config, row_access(config, plan, results.tensor), results.scale);
    for (const Gradient& gradient : results.gradients)
      emit_store_end(out, access, gradient.name, gradient.factor, scale);
    if (asks) out.close();
  }
}

}  // namespace

std::string wrapped_end(const RowAccess& access, std::string_view name) {
  return fmt::format("wrapped_ends(shared, group, pair).of(EndOf::{}{})", name, part_of(access));
}

std::string read_end(const RowAccess& access, std::string_view name) {
  return fmt::format("read_delayed_chunk<{}>({} + points, {}, 0, {})", access.loaded.delay_line, name,
                     on_lines_of(access.loaded, name), guarded(access, "length + delay - points"));
}

void emit_load_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  if (plan.most_wrapped == 0) return;
  const RowAccess access = from_line(row_access(config, plan));
  out.open(fmt::format("if ({}) {{  // what the delay moves behind the last point", copies_first_chunk(plan)));
  emit_ends(out);
  open_planes(out, access);
  emit_plane(out, access);
  for (const std::string_view name : names_read(config, plan)) {
    emit_row_pointer(out, access, name, "const ");
    out.line(fmt::format("load_delayed_chunk<{}>(ends.of(EndOf::{}{}), {} + points, {}, 0, {});",
                         access.loaded.delay_line, name, part_of(access), name, on_lines_of(access.loaded, name),
                         guarded(access, "length + delay - points")));
  }
  close_planes(out, access);
  out.close();
}

void emit_add_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn,
                   std::string_view scale) {
  out.open(fmt::format("{}  // samples behind the last point", first_columns(plan)));
  emit_ends(out);
  if (turn != Turn::together) {
    emit_add_end(out, config, plan, turn == Turn::input ? Tensor::input : Tensor::gradient, scale);
  } else {
    out.open("if (tensor == 0) {");
    emit_add_end(out, config, plan, Tensor::input, scale);
    out.otherwise();
    emit_add_end(out, config, plan, Tensor::gradient, scale);
    out.close();
  }
  out.close();
}

void emit_store_ends(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
  const RowAccess access = from_line(row_access(config, plan));
  out.open(fmt::format("{}  // results behind the last point", first_columns(plan)));
  emit_ends(out);
  out.line("const int sample = points + lane / 4;");
  open_planes(out, access);
  out.line(access.planes       ? fmt::format("const Packed end = end_of<{}>(x[0], part);", plan.outer_tile)
           : has_columns(plan) ? fmt::format("const Packed end = end_of<{}>(x[0], lane);", plan.outer_tile)
                               : std::string("const Packed end = end_of_rows(x);"));
  emit_plane(out, access);
  out.open(fmt::format("if (lane % 4 == {} && sample < length + delay) {{", access.planes ? "part && exists" : "0"));
  if (plan.is_backward())
    emit_gradient_ends(out, config, plan, access, turn);
  else
    emit_store_end(out, access, access.results.rows, access.results.gate,
                   scale_of(config, access, access.results.scale));
  out.close();
  close_planes(out, access);
  out.close();
}

}  // namespace ffc

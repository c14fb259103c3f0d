// Where samples are packed there, they are met ahead of that.
#include "columns_in.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "split_shape.hpp"
#include "text.hpp"
#include "tiled_magnitudes.hpp"

namespace ffc {

std::string channel_of(const FourStepPlan& plan, std::string_view part) {
  return are_alone(plan.packing) ? "at.channel" : fmt::format("channel_of(arguments, at, {})", part);
}

std::string magnitude_of(const FourStepPlan& plan, std::string_view part) {
  return are_alone(plan.packing) ? "at.channel, at.row"
                                 : fmt::format("channel_of(arguments, at, {0}), row_of(arguments, at, {0})", part);
}

namespace {

// Rows of one tensor, u's or dy's. Where there are gates both have one.
RowSource source_of_tile(const ConvConfig& config, const FourStepPlan& plan) {
  RowSource source = input_source(config);
  if (plan.is_backward()) source.scale = scale_of_tile(config, plan);
  source.gate = copies_in_gates(config, plan) ? "gate" : "";
  if (config.scaling == Scaling::found) source.scale = "tile_scale";
  return source;
}

// Samples are met where they are made packed, or would be.
bool meets_in_tile(const ConvConfig& config, const FourStepPlan& plan) {
  return reports(config) && !converts_on_way(config, plan);
}

// The imaginary parts of a pair are of a row that may have another channel.
bool second_has_channel(const FourStepPlan& plan) { return !plan.is_backward() && !are_alone(plan.packing); }

}  // namespace

std::string samples_place(const ConvConfig& config, const FourStepPlan& plan, std::string_view place) {
  return samples_beside(config, plan) ? fmt::format("{} + tile_plane_bytes", place) : std::string(place);
}

std::string gate_place(const ConvConfig& config, const FourStepPlan& plan, std::string_view samples) {
  if (in_gates(config, plan) == InGates::tile) return fmt::format("{} + gate_from_next", samples);
  return samples_beside(config, plan) ? std::string(samples) : fmt::format("{} + tile_plane_bytes", samples);
}

bool products_know_row(const ConvConfig& config, const FourStepPlan& plan) {
  const bool of_tensor = converts_in_tile(config, plan) && plan.backward.tensors() > 1;
  return config.scaling == Scaling::given || reports(config) || (of_tensor && !scale_of_tile(config, plan).empty());
}

std::string to_packed_block(const ConvConfig& config, const FourStepPlan& plan) {
  const bool converts = converts_in_tile(config, plan), meets = meets_in_tile(config, plan);
  if (!converts && !meets) return {};
  TextWriter out(2);
  if (converts && copies_in_gates(config, plan))
    out.line(fmt::format("const Columns gate = load_columns({});", gate_place(config, plan, "at")));
  out.unroll().open("for (int j = 0; j < 2; ++j) {");
  RowSource source = source_of_tile(config, plan);
  const Met met = meets ? met_of(config, source) : Met::nothing;
  for (const std::string_view part : {"re", "im"}) {
    const bool second = part == "im" && !are_alone(plan.packing);
    if (second && !plan.is_backward() && config.scaling == Scaling::given) source.scale = "second_scale";
    const std::string samples = fmt::format("x.{}[j]", part), gate = fmt::format("gate.{}[j]", part);
    const std::string_view field = second && second_has_channel(plan) ? "second" : "samples";
    if (met != Met::packed) emit_meet(out, met, field, samples, gate);
    if (converts) out.line(fmt::format("{} = {};", samples, packed_sample(source, samples, gate)));
    if (met == Met::packed) emit_meet(out, met, field, samples, gate);
  }
  out.close();
  return out.take();
}

namespace {

// What a tile meets: the name of what a thread keeps of it, and the field of a record that it goes to.
struct MetRows {
  std::string_view name;
  std::string record;
};

// Both rows together, but where they are of two channels.
std::vector<MetRows> met_rows(const FourStepPlan& plan) {
  const BackwardWork& work = plan.backward;
  const std::string_view field = !plan.is_backward() || work.transforms_input ? "input" : "gradient";
  const std::string_view tensor = plan.is_backward() && work.tensors() > 1 ? " + at.tensor" : "";
  const std::string channel = plan.is_backward() ? "at.channel" : channel_of(plan, "0");
  std::vector<MetRows> rows = {{"samples", record_of(channel, fmt::format("{}{}", field, tensor))}};
  if (second_has_channel(plan)) rows.push_back({"second", record_of(channel_of(plan, "1"), "input")});
  return rows;
}

}  // namespace

std::string met_samples_block(const ConvConfig& config, const FourStepPlan& plan) {
  if (!meets_in_tile(config, plan)) return {};
  TextWriter out(1);
  const Met met = met_of(config, source_of_tile(config, plan));
  for (const MetRows& rows : met_rows(plan)) emit_met_again(out, met, rows.name, rows.record);
  return out.take();
}

std::string report_samples_block(const ConvConfig& config, const FourStepPlan& plan) {
  if (!meets_in_tile(config, plan)) return {};
  TextWriter out(1);
  for (const MetRows& rows : met_rows(plan)) emit_report_again(out, rows.name, rows.record);
  return out.take();
}

}  // namespace ffc

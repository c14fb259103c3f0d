// The access map by kind of column.
#include "column_access.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "split_shape.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Of chunks in rows of a tile up to `rows`, of which the expression `sample` says where they are.
std::string live_of_columns(const FourStepPlan& plan, int rows, std::string_view sample) {
  if (plan.most_delay > 0) return fmt::format("length + delay - {}", sample);
  const std::int64_t row_length = plan.transform_length / plan.columns.length();
  return plan.length >= rows * row_length ? "8" : fmt::format("length - {}", sample);
}

constexpr std::string_view counted_sample = "first_sample - sample";

// Of a pair of the ring each row has a channel of its own.
void say_rows(RowAccess& access, const FourStepPlan& plan) {
  access.start = " + first_sample";
  if (are_alone(plan.packing)) {
    access.row = "at.row", access.channel = "at.channel";
    return;
  }
  access.row = "row_of(arguments, at, part)", access.channel = "channel_of(arguments, at, part)";
  access.declared = "const bool exists = part == 0 || has_second(arguments, at);";
}

// A pair of gradients is of one channel.
void say_gradients(RowAccess& access, const ConvConfig& config, const FourStepPlan& plan) {
  access.channel = "at.channel";
  if (!converts_on_way(config, plan)) access.loaded.position = "first_sample + sample";
  if (plan.right_angle()) {
    access.row = "at.pair";
    return;
  }
  access.row = "(2 * at.pair + (exists ? part : 0))";
  access.declared = "const bool exists = part == 0 || at.has_partner;";
}

}  // namespace

RowAccess column_access(const ConvConfig& config, const ClusterPlan& plan) {
  RowAccess access;
  access.source = input_source(config);
  access.results = result_source(config);
  if (config.scaling == Scaling::found) access.source.scale = "tile_scale", access.results.scale = "scale";
  access.planes = !plan.right_angle();
  access.loaded.live = access.stored.live = "row < whole_rows ? thread_samples : length - sample - column";
  if (plan.most_delay > 0) say_delayed(access, plan);
  if (plan.right_angle()) {
    access.row = "item.index";
  } else {
    access.row = "2LL * item.index";
    access.declared = "const bool lone = 2 * item.index + 1 == arguments.batch;";
    access.guard = "lone ? 0 : {}";
    access.stored.skipped = "if (lone) continue;  // there is no second row";
  }
  return access;
}

RowAccess column_access(const ConvConfig& config, const FourStepPlan& plan, Tensor tensor) {
  RowAccess access;
  access.planes = !plan.right_angle(), access.parts_take_turns = parts_take_turns(plan);
  access.source = source_of(config, tensor);
  access.results = result_source(config);
  const bool backward = plan.is_backward();
  backward ? say_gradients(access, config, plan) : say_rows(access, plan);
  if (!access.declared.empty()) access.guard = "exists ? {} : 0", access.absent = "!exists";
  // Rows alone are real parts, which come in where imaginary parts will be, or are.
  if (plan.right_angle()) access.loaded.plane = samples_beside(config, plan) ? "1" : "0", access.stored.plane = "0";
  const std::string_view loaded = backward && converts_on_way(config, plan) ? "sample" : counted_sample;
  const std::string_view stored = backward ? "sample" : counted_sample;
  access.loaded.live = guarded(access, live_of_columns(plan, loaded_rows(plan), loaded));
  access.stored.live = live_of_columns(plan, sample_rows(plan), stored);
  if (plan.most_delay > 0) {
    say_delayed(access, plan);
    access.loaded.gone = fmt::format("delay - {}", loaded), access.stored.gone = fmt::format("delay - {}", stored);
  }
  return access;
}

}  // namespace ffc

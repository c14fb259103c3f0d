// From a config to everything that the runtime needs.
#include "ffc/generator/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emit_backward.hpp"
#include "emit_cluster.hpp"
#include "emit_filter.hpp"
#include "emit_general.hpp"
#include "emit_long_filter.hpp"
#include "emit_magnitudes.hpp"
#include "emit_residue_filter.hpp"
#include "emit_scaling.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "generate_split.hpp"
#include "names.hpp"
#include "spectrum_layout.hpp"
#include "tiled_common.hpp"

namespace ffc {
// The filter kernel and what its launches need: a block for each channel where one holds the transform, or some.
static void put_filter(Generated& result, const SpectrumLayout& spectrum, std::int64_t length) {
  if (const auto blocks = residue_blocks(spectrum, length, 1, result.config.arch)) {
    put_residue_filter(result, spectrum, length, 1, *blocks, result.config.arch);
    return;
  }
  if (!fits_filter_block(spectrum, length, result.config.arch)) {
    put_long_filter(result, spectrum, length, 1, result.config.arch);
    return;
  }
  result.filter = emit_filter(spectrum, length, result.config.arch);
  result.spectrum_row_bytes = spectrum.row_bytes();
  result.filter_blocks = std::numeric_limits<int>::max();
}

// What a plan in one block says of its launches, the kernel being emitted.
static Generated in_one_block(const ConvConfig& config, const Plan& plan, EmittedConv emitted) {
  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  result.conv = std::move(emitted.kernel);
  result.transform_length = plan->transform_length;
  put_filter(result, emitted.spectrum, plan->frequency_parts() * plan->transform_length);
  result.spectrum_tag = spectrum_tag(result.filter);
  result.packing = plan->packing;
  return result;
}

static bool lacks_power(const ConvConfig& config, const InBlockPlan& plan) {
  const SpectrumLayout spectrum = tiled_spectrum_layout(config, plan);
  const std::int64_t length = plan.frequency_parts() * plan.transform_length;
  return !fits_filter_block(spectrum, length, config.arch) && spectrum_lacks_power(spectrum, length, 1, config.arch);
}

static Generated generate_of(const ConvConfig& config, InBlockPlan plan) {
  plan.spectrum_lacks_power = lacks_power(config, plan);
  const auto emit = [&] { return plan.is_backward() ? emit_backward(config, plan) : emit_tiled(config, plan); };
  EmittedConv emitted = emit();
  const SpectrumLayout spectrum = emitted.spectrum;
  Generated result = in_one_block(config, plan, std::move(emitted));
  result.blocks_per_sm = plan.geometry.blocks_per_sm;
  result.groups_per_block = plan.geometry.groups;
  result.windows = plan.windows;
  result.walks_channels = plan.geometry.walks_channels;
  if (plan.windows) result.in_place = InPlace::out_gate;
  if (plan.is_backward()) result.backward = backward_launch(config, plan, spectrum);
  if (plan.most_delay > 0) {
    plan.offsets = Offsets::apart;
    put_apart(result, emit().kernel);
  }
  return result;
}

// A place of the workspace for each block: rows of points, of which it holds one.
static SplitLaunch workspace_launch(const MixedRadixPlan& plan) {
  SplitLaunch launch;
  launch.column_length = launch.place_rows = launch.spectrum_rows = static_cast<int>(plan.rows());
  launch.row_length = plan.points();
  launch.busy_places = 1;
  return launch;
}

static Generated generate_of(const ConvConfig& config, const MixedRadixPlan& plan) {
  Generated result = in_one_block(config, plan, emit_general(config, plan));
  result.blocks_per_sm = plan.blocks_per_sm;
  result.groups_per_block = plan.pairs_at_once;
  if (plan.outer_digits > 0) result.split = workspace_launch(plan);
  return result;
}

static Generated generate_of(const ConvConfig& config, const FourStepPlan& plan) {
  return generate_split(config, plan);
}

static Generated generate_of(const ConvConfig& config, const ClusterPlan& plan) {
  return generate_cluster(config, plan);
}

Generated generate(const ConvConfig& config, const Plan& plan) {
  if (const ConvConfig of_kernel = kernel_config(config, plan); of_kernel != config) {
    Generated result = generate(of_kernel, plan);
    result.config = config;
    result.magnitudes = emit_magnitudes(config);
    return result;
  }
  Generated result = plan.visit([&](const auto& of_family) { return generate_of(config, of_family); });
  result.magnitudes_of_rows = config.scaling == Scaling::given && takes_magnitudes_of_rows(plan);
  if (config.report != Report::none) result.scaling = emit_scaling(config.arch);
  return result;
}

Generated generate(const ConvConfig& config) {
  const ConvConfig checked = normalised(config);
  if (checked.arch.empty()) throw ConfigError("arch is empty; generate needs one such as \"sm_90a\"");
  return generate(checked, make_plans(checked).front());
}

std::vector<ProgramView> programs(const Generated& generated) {
  std::vector<ProgramView> views = {{generated.backward ? "gradients" : "convolution", &generated.conv},
                                    {"filter", &generated.filter}};
  if (generated.apart) views.push_back({"tensors apart", &*generated.apart});
  if (generated.backward && generated.backward->filter_gradient)
    views.push_back({"filter gradient", &*generated.backward->filter_gradient});
  if (generated.magnitudes) views.push_back({"magnitudes", &*generated.magnitudes});
  if (generated.scaling) views.push_back({"scaling", &*generated.scaling});
  return views;
}

}  // namespace ffc

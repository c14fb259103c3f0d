// From a config to everything that the runtime needs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cluster_plan.hpp"
#include "emit.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_tables.hpp"

namespace ffc {
namespace {

constexpr std::int64_t most_slices_weighed = 64, most_waves = 4;
constexpr std::int64_t most_cluster_waves = 16;
constexpr double cluster_start = 2;  // pairs that a cluster could do while it begins and ends
constexpr double spared = 0.97;      // of the time: for what is not known of the device

// Pairs of all channels shared out among clusters: in as many waves as cost next to nothing, since how many clusters
// fit at a time depends on how the device groups its multiprocessors. A tenth of those may be left over.
LaunchGrid cluster_grid(int cluster, int batch, int channels, int multiprocessors) {
  const std::int64_t resident = std::max(multiprocessors * 9 / 10 / cluster, 1);
  const std::int64_t pairs = (static_cast<std::int64_t>(batch) + 1) / 2 * channels;
  const auto time_of = [&](std::int64_t waves) {
    const std::int64_t clusters = waves * resident, rounds = (pairs + clusters - 1) / clusters;
    return static_cast<double>(waves) * (static_cast<double>(rounds) + cluster_start);
  };
  std::int64_t best = 1;
  for (std::int64_t waves = 2; waves <= most_cluster_waves; ++waves)
    if (spared * time_of(waves) <= time_of(1)) best = waves;
  return {static_cast<unsigned>(std::min(best * resident, pairs) * cluster), 1, 1};
}

}  // namespace

std::string spectrum_tag(const GeneratedKernel& filter) {
  // FNV-1a of the text, which names what the filter kernel makes; equal texts make interchangeable spectra.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : filter.source) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{}-{:016x}", filter.name, hash);
}

// The filter kernel and what its launches need: a block for each channel where one holds the transform.
static void put_filter(Generated& result, const SpectrumLayout& spectrum, std::int64_t length) {
  if (!fits_filter_block(spectrum, length, result.config.arch)) {
    put_long_filter(result, spectrum, length, 1, result.config.arch);
    return;
  }
  result.filter = emit_filter(spectrum, length, result.config.arch);
  result.spectrum_row_bytes = spectrum.row_bytes();
  result.filter_blocks = std::numeric_limits<int>::max();
}

Generated generate(const ConvConfig& config, const Plan& plan) {
  if (plan.family == Family::split) return generate_split(config, plan);
  if (plan.family == Family::cluster) return generate_cluster(config, plan);
  EmittedConv emitted = plan.is_backward()             ? emit_backward(config, plan)
                        : plan.family == Family::tiled ? emit_tiled(config, plan)
                                                       : emit_general(config, plan);
  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  result.conv = std::move(emitted.kernel);
  result.transform_length = plan.transform_length;
  const std::int64_t filter_length = plan.frequency_parts() * plan.transform_length;
  put_filter(result, emitted.spectrum, filter_length);
  result.spectrum_tag = spectrum_tag(result.filter);
  result.blocks_per_sm = plan.geometry.blocks_per_sm;
  result.groups_per_block = plan.geometry.groups;
  result.windows = plan.windows;
  result.rows_alone = has_real_rows(plan);
  result.walks_channels = plan.geometry.walks_channels;
  result.in_place = plan.windows ? InPlace::out_gate : plan.sweeps > 1 ? InPlace::none : InPlace::any;
  if (plan.is_backward()) result.backward = backward_launch(config, plan, emitted.spectrum);
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
  if (generated.backward && generated.backward->filter_gradient)
    views.push_back({"filter gradient", &*generated.backward->filter_gradient});
  return views;
}

LaunchGrid launch_grid(const Generated& generated, int batch, int channels, int multiprocessors) {
  if (generated.conv.cluster > 1) return cluster_grid(generated.conv.cluster, batch, channels, multiprocessors);
  const std::int64_t resident = static_cast<std::int64_t>(multiprocessors) * generated.blocks_per_sm;
  const std::int64_t pairs = generated.windows      ? generated.windows->pairs(batch)
                             : generated.rows_alone ? batch
                                                    : (static_cast<std::int64_t>(batch) + 1) / 2;
  if (generated.walks_channels) {
    const std::int64_t turns = (pairs * channels + generated.groups_per_block - 1) / generated.groups_per_block;
    return {static_cast<unsigned>(std::clamp<std::int64_t>(turns, 1, resident)), 1, 1};
  }
  // Slices no thinner than one pair per group; the tables that a block loads first cost about one pair more.
  const std::int64_t most = std::clamp<std::int64_t>(pairs / generated.groups_per_block, 1, 65535);
  std::int64_t best = 1;
  double least = HUGE_VAL;
  const auto weigh = [&](std::int64_t slices) {
    const std::int64_t rounds =
        ((pairs + slices - 1) / slices + generated.groups_per_block - 1) / generated.groups_per_block;
    const std::int64_t waves = (slices * channels + resident - 1) / resident;
    const double time = static_cast<double>(waves) * (static_cast<double>(rounds) + 1.0);
    if (time < 0.98 * least) least = time, best = slices;
  };
  for (std::int64_t slices = 1; slices <= std::min<std::int64_t>(most, most_slices_weighed); ++slices) weigh(slices);
  // Few channels of many windows: as many slices as fill the device, or a few times as many.
  for (std::int64_t waves = 1; waves <= most_waves; ++waves)
    if (const std::int64_t slices = std::min(waves * resident / channels, most); slices > most_slices_weighed)
      weigh(slices);
  return {static_cast<unsigned>(channels), static_cast<unsigned>(best), 1};
}

}  // namespace ffc

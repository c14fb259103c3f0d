// Names and headers of emitted kernels.
#include "names.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "mask_text.hpp"
#include "split_shape.hpp"
#include "step_numbers.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

std::string arch_suffix(const ConvConfig& config) {
  std::string arch = config.arch;
  std::erase(arch, '_');
  return "_" + arch;
}

std::string windows_line(const Transform& plan) {
  if (!plan.windows) return {};
  if (plan.is_backward())
    return fmt::format("// Windows: {} of a row, of {} new samples; {} more of {}.\n", plan.windows->count,
                       plan.windows->step, plan.windows->halo(),
                       !plan.backward.looks_ahead() ? "u before them"
                       : plan.backward.looks_back() ? "u before them and of dy behind them"
                                                    : "dy behind them");
  return fmt::format("// Windows: {} of a row, of {} new samples and {} before them{}{}.\n", plan.windows->count,
                     plan.windows->step, plan.windows->halo(),
                     plan.windows->history ? "; a history is before the row" : "",
                     plan.right_angle() ? "; each alone, at frequencies k + 1/4" : "");
}

// In a cluster each row is asked how it lies.
std::string_view offsets_line(const Plan& plan) {
  if (plan->most_delay == 0 || plan.family() == Family::cluster) return {};
  return plan->offsets == Offsets::alike
             ? "// Tensors: rows of all begin as far behind lines of 16 bytes.\n"
             : "// Tensors: rows of each begin at any even address; those of the kernel without \"apart\" lie alike.\n";
}

std::string_view formula(const Transform& plan) {
  return plan.is_backward() ? "Gradients of y = v . irfft(rfft(u . w) * rfft(k))"
                            : "y = v . irfft(rfft(u . w) * rfft(k))";
}

std::string launch_line(const ConvConfig&, const ClusterPlan& plan) {
  const Geometry& rows = plan.row_plan.geometry;
  return fmt::format(
      "// Launch: clusters of {} blocks, one an SM; {} threads ({} warps on columns, {} groups of {} on rows), {} "
      "bytes "
      "of dynamic shared memory; grid ({} times the clusters).\n",
      plan.columns.length(), split_threads(plan), plan.columns.warps, rows.groups, rows.warps_per_group,
      split_shared_bytes(plan), plan.columns.length());
}

std::string launch_line(const ConvConfig& config, const FourStepPlan& plan) {
  const Geometry& rows = plan.row_plan.geometry;
  return fmt::format(
      "// Launch: cooperative, one block an SM; {} threads ({} units of {} warps on columns, {} groups of {} on "
      "rows), {} bytes of dynamic shared memory.\n",
      split_threads(plan), plan.columns.units, plan.columns.warps, rows.groups, rows.warps_per_group,
      kernel_shared_bytes(config, plan));
}

std::string block_line(int threads, int groups, int warps, int shared_bytes, std::string_view grid) {
  return fmt::format("// Launch: {} threads ({} groups of {} warps), {} bytes of dynamic shared memory; grid {}.\n",
                     threads, groups, warps, shared_bytes, grid);
}

constexpr std::string_view any_blocks = "of any blocks", channels_and_slices = "(channels, slices)";

std::string grid_of(const InBlockPlan& plan) {
  if (adds_in_turns(plan)) return fmt::format("(clusters of {} that walk over the channels, slices)", blocks_in_turns);
  return std::string(plan.geometry.walks_channels ? any_blocks : channels_and_slices);
}

std::string launch_line(const ConvConfig&, const InBlockPlan& plan) {
  const Geometry& geometry = plan.geometry;
  return block_line(geometry.threads(), geometry.groups, geometry.warps_per_group, plan.shared.total, grid_of(plan));
}

std::string launch_line(const ConvConfig&, const MixedRadixPlan& plan) {
  return block_line(plan.threads(), 1, plan.warps, plan.shared_bytes,
                    plan.outer_digits > 0 ? any_blocks : channels_and_slices);
}

}  // namespace

std::string kernel_name(const ConvConfig& config, const Plan& plan) {
  std::string name = fmt::format("conv_{}_n{}_", plan->is_backward() ? "bwd" : "fwd", plan->transform_length);
  // Columns of different lengths may have the same digits.
  if (const ColumnsAndRowsPlan* const split = plan.columns_and_rows())
    name += fmt::format("{}x{}_", split->row_count(), split->row_plan.transform_length);
  name += fmt::format("{}_{}", factorisation_name(*plan), config.dtype == DataType::fp16 ? "f16" : "bf16");
  if (config.padding == Padding::causal) name += "_causal";
  if (plan->windows)
    name +=
        fmt::format("_k{}_l{}{}", plan->windows->reach + 1, config.length, plan->windows->history ? "_history" : "");
  else if (config.length != plan->transform_length)
    name += fmt::format("_l{}", config.length);
  if (plan->right_angle()) name += "_quarters";
  if (plan->packing == Packing::half_length) name += "_single";
  if (plan->packing == Packing::real_row) name += "_real";
  constexpr std::string_view gates[] = {"", "_gated_in", "_gated_out", "_gated"};
  name += gates[static_cast<int>(config.gating)];
  name += sparsity_suffix(config.mask, plan->sparsity);
  if (plan->accumulation == Accumulation::fp32) name += "_acc32";
  constexpr std::string_view scalings[] = {"", "", "_scaled", "_selfscaled"};
  name += scalings[static_cast<int>(config.scaling)];
  if (reports(config)) name += "_report";
  if (config.row_alignment != 16) name += fmt::format("_align{}", config.row_alignment);
  if (plan->offsets == Offsets::apart) name += "_apart";
  if (plan->is_backward()) name.append("_").append(to_string(config.gradients, "_"));
  return name + arch_suffix(config);
}

std::string header_comment(const ConvConfig& config, const Plan& plan, const std::string& name) {
  const std::string_view ways[] = {"16 x 16 tiles in registers", "one digit at a time", "columns and rows",
                                   "columns and rows in a cluster of blocks"};
  const ColumnsAndRowsPlan* const split = plan.columns_and_rows();
  std::string text = fmt::format(
      "// {}\n"
      "// {}, generated by ffc; do not edit.\n"
      "// Config: {}\n{}{}"
      "// Plan: transform length {} = {}, {}{}{}; steps:\n",
      name, formula(*plan), to_string(config), windows_line(*plan), offsets_line(plan), plan->transform_length,
      factorisation_name(*plan),
      split != nullptr ? fmt::format("{} x {} as ", split->row_count(), split->row_plan.transform_length) : "",
      ways[static_cast<int>(plan.family())], plan->right_angle() && !plan->windows ? ", at frequencies k + 1/4" : "");
  for (std::size_t step = 0; step < plan->steps.size(); ++step)
    text += fmt::format("//   {}\n", numbered_step(*plan, step));
  if (plan->sparsity > 0) {
    text += fmt::format("// Mask: {:.2f} % of the frequencies are dropped. Skipped:\n", 100 * plan->sparsity);
    for (const std::string& line : skipped_work(plan)) text += fmt::format("//   {}\n", line);
  }
  text += plan.visit([&](const auto& of_family) { return launch_line(config, of_family); });
  return text +
         fmt::format("// Compile alone: nvcc -std=c++17 -fmad=false -arch={} -cubin {}.cu\n\n", config.arch, name);
}

std::string spectrum_tag(const GeneratedKernel& filter) {
  // FNV-1a of the text, which names what the filter kernel makes; equal texts make interchangeable spectra.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : filter.source) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{}-{:016x}", filter.name, hash);
}

}  // namespace ffc

// Emission of filter gradients of rows alone in one block.
#include "emit_points_filter_gradient.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "filter_gradient_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

constexpr std::int64_t most_points = 16384;  // of the array

// Of an arch whose blocks have less shared memory, fewer points are as many as it holds.
int parts_of(const InBlockPlan& plan, const Arch& arch) {
  const bool whole =
      plan.transform_length <= most_points && transform_bytes(plan.transform_length) <= arch.shared_per_block;
  return whole ? 1 : 2;
}
std::int64_t points_of_part(const InBlockPlan& plan, const Arch& arch) {
  return plan.transform_length / parts_of(plan, arch);
}

std::string constants_block(const SpectrumLayout& layout, const ConvConfig& config, const InBlockPlan& plan,
                            const Arch& arch, int threads) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", plan.frequency_parts() * plan.transform_length, "in quarters of a frequency");
  constant("int points", plan.transform_length, "complex");
  constant("int parts", parts_of(plan, arch), "of the points, one after the other in the array");
  constant("int sums_rows", plan.rows(), "of 256 frequencies, by the outer part of these");
  constant("int column_length", plan.rows(), "between the frequencies of a row");
  constant("int rows", 1, "tiles of a row");
  constant("int threads", threads);
  constant("int blocks_per_sm", transform_blocks(threads), "at least");
  return text + tap_constants(layout, config, plan);
}

}  // namespace

bool fits_points(const InBlockPlan& plan, const Arch& arch) {
  return transform_bytes(points_of_part(plan, arch)) <= arch.shared_per_block;
}

GeneratedKernel emit_points_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                            const InBlockPlan& plan, bool overlaps) {
  const Arch& arch = find_arch(config.arch);
  const std::vector<int> radices = transform_radices(points_of_part(plan, arch));
  GeneratedKernel kernel;
  kernel.name = filter_gradient_name(radices, layout, config, plan);
  kernel.threads = transform_threads(points_of_part(plan, arch));
  kernel.shared_bytes = transform_bytes(points_of_part(plan, arch));
  kernel.options = {"--std=c++17", "--fmad=false"};
  Substitutes substitutes = {
      {"gradient_points_of_sums.cuh",
       parts_of(plan, arch) == 1 ? "gradient_array_of_sums.cuh" : "gradient_array_of_folded_sums.cuh"},
      {"gradient_sample.cuh", "gradient_quarter_sample.cuh"}};
  if (!overlaps) substitutes["next_launch.cuh"] = "";
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "block_transform.cuh";
  kernel.source = assemble("filter_gradient_points.cu.in",
                           {{"header", filter_gradient_header(kernel.name, config, "")},
                            {"constants", constants_block(layout, config, plan, arch, kernel.threads)},
                            {"entry", filter_gradient_entry(kernel.name)},
                            {"wait", overlaps ? std::string(wait_for_sums) : std::string()},
                            {"passes", transform_text(radices, {"Row", "array", "array", "the frequencies", ""}, 2)}},
                           substitutes);
  return kernel;
}

}  // namespace ffc

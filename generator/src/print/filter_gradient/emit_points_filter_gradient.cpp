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
#include "filters.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

std::string constants_block(const SpectrumLayout& layout, const ConvConfig& config, const InBlockPlan& plan,
                            int threads) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", plan.frequency_parts() * plan.transform_length, "in quarters of a frequency");
  constant("int points", plan.transform_length, "complex");
  constant("int sums_rows", plan.rows(), "of 256 frequencies, by the outer part of these");
  constant("int column_length", plan.rows(), "between the frequencies of a row");
  constant("int rows", 1, "tiles of a row");
  constant("int threads", threads);
  constant("int blocks_per_sm", transform_blocks(threads), "at least");
  return text + tap_constants(layout, config, plan);
}

}  // namespace

bool fits_points(const InBlockPlan& plan, const Arch& arch) {
  return plan.transform_length <= measured::most_points_of_gradients &&
         transform_bytes(plan.transform_length) <= arch.shared_per_block;
}

GeneratedKernel emit_points_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                            const InBlockPlan& plan, bool overlaps) {
  const std::vector<int> radices = transform_radices(plan.transform_length);
  GeneratedKernel kernel;
  kernel.name = filter_gradient_name(radices, layout, config, plan);
  kernel.threads = transform_threads(plan.transform_length);
  kernel.shared_bytes = transform_bytes(plan.transform_length);
  kernel.options = {"--std=c++17", "--fmad=false"};
  Substitutes substitutes = {{"gradient_points_of_sums.cuh", "gradient_array_of_sums.cuh"},
                             {"gradient_sample.cuh", "gradient_quarter_sample.cuh"}};
  if (!overlaps) substitutes["next_launch.cuh"] = "";
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "block_transform.cuh";
  kernel.source = assemble("filter_gradient_points.cu.in",
                           {{"header", filter_gradient_header(kernel.name, config, "")},
                            {"constants", constants_block(layout, config, plan, kernel.threads)},
                            {"entry", filter_gradient_entry(kernel.name)},
                            {"wait", overlaps ? std::string(wait_for_sums) : std::string()},
                            {"passes", transform_text(radices, {"Row", "array", "array", "the frequencies", ""}, 1)}},
                           substitutes);
  return kernel;
}

}  // namespace ffc

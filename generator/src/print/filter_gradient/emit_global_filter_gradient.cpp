// Emission of filter gradients whose transform lies in global memory.
#include "emit_global_filter_gradient.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "filter_gradient_text.hpp"
#include "filter_text.hpp"
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

static_assert(sizeof(FilterGradientArguments) == 88, "filter_gradient_arguments.cuh declares 88 bytes");

std::string constants_block(const SpectrumLayout& layout, const ConvConfig& config, const InBlockPlan& plan,
                            int threads) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", plan.transform_length, "of the transform");
  constant("int threads", threads);
  constant("int rows", plan.rows(), "of 256 samples, by the outer part of their frequency");
  constant("int factor_rows", plan.factor_rows(), "whose sums are kept: those of row -f are in row f");
  return text + tap_constants(layout, config, plan);
}

}  // namespace

GeneratedKernel emit_global_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                            const InBlockPlan& plan) {
  const std::int64_t half = plan.transform_length / 2;
  const std::vector<int> radices = filter_radices(half);
  GeneratedKernel kernel;
  kernel.name = filter_gradient_name(radices, layout, config, plan);
  // A thread per butterfly of radix 8, in whole warps.
  kernel.threads = static_cast<int>(std::clamp<std::int64_t>((half / 8 + 31) / 32 * 32, 64, 512));
  kernel.options = {"--std=c++17", "--fmad=false"};
  kernel.tables = root_words(plan.transform_length);
  kernel.source =
      assemble("filter_gradient.cu.in",
               {{"header", filter_gradient_header(kernel.name, config, root_tables)},
                {"constants", constants_block(layout, config, plan, kernel.threads)},
                {"entry", kernel_entry("__launch_bounds__(threads)", kernel.name, "FilterGradientArguments arguments")},
                {"kept", is_kept_function(layout.mask)},
                {"dropped", layout.mask.empty() ? "" : "  if (!is_kept(frequency)) return {0, 0};\n"},
                {"passes", filter_passes(radices, "half", "samples")}});
  return kernel;
}

}  // namespace ffc

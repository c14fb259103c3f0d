// Emission of the general family: the statements of its plan between constants and launch.
#include "emit_general.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assemble.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "general_text.hpp"
#include "lower_general.hpp"
#include "names.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

EmittedConv emit_general(const ConvConfig& config, const MixedRadixPlan& plan) {
  const GeneralTables tables = make_general_tables(plan);
  const RowAccess access = row_access(config, plan);
  EmittedConv result;
  result.spectrum.order = general_spectrum_order(plan);
  result.spectrum.gain = tables.gain;
  result.spectrum.output_exponent = -config.input_exponent;
  result.spectrum.fp16_scale = config.dtype == DataType::fp16;
  result.spectrum.mask = config.mask;
  place_taps(result.spectrum, config, plan.transform_length);

  const std::string name = kernel_name(config, plan);
  const std::int64_t points = plan.transform_length / plan.sweeps;
  std::string constants = fmt::format(
      "constexpr int length = {};  // samples of a row that exist\n"
      "constexpr int sweeps = {};  // residues of the frequency that take turns in shared memory\n"
      "constexpr int spectrum_row_bytes = {};\n"
      "constexpr int blocks_per_sm = {};\n",
      plan.length, plan.sweeps, result.spectrum.row_bytes(), plan.blocks_per_sm);
  if (plan.sweeps > 1) constants += fmt::format("constexpr int sweep_table = {};\n", tables.sweep);
  if (config.input_exponent != 0)
    constants += fmt::format("constexpr float input_scale = {:.10e}f;\n", std::ldexp(1.0, config.input_exponent));
  Blocks blocks = {
      {"header", header_comment(config, plan, name)},
      {"pass_constants", fmt::format("constexpr int points = {};  // complex words in shared memory\n"
                                     "constexpr int warps = {};\n",
                                     points, plan.warps)},
      {"constants", constants},
      {"entry", fmt::format("extern \"C\" __global__ void __launch_bounds__(block_threads, blocks_per_sm)\n"
                            "    {}(const ConvArguments arguments) {{\n",
                            name)},
      {"pair", general_pair(access)},
      {"load_sample", general_samples(config, access)},
  };
  blocks.merge(general_blocks(plan, lower_general(plan), tables, access));
  Substitutes substitutes;
  put_storage(substitutes, config);
  GeneratedKernel& kernel = result.kernel;
  kernel.name = name;
  kernel.options = {"--fmad=false"};
  kernel.source = assemble("general_conv.cu.in", blocks, substitutes);
  kernel.tables = tables.words;
  kernel.threads = plan.threads();
  kernel.shared_bytes = plan.shared_bytes;
  return result;
}

}  // namespace ffc

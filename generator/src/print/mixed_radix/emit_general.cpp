// Emission of the general family: the statements of its plan between constants and launch.
#include "emit_general.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "assemble.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "general_samples.hpp"
#include "general_tables.hpp"
#include "general_text.hpp"
#include "lower_general.hpp"
#include "names.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {

namespace {

std::string general_entry(std::string_view name, bool in_workspace) {
  return kernel_entry("__launch_bounds__(block_threads, blocks_per_sm)", name,
                      in_workspace ? "PlaceArguments all" : "ConvArguments arguments") +
         (in_workspace ? "  const ConvArguments& arguments = all.conv;\n" : "");
}

bool tables_in_steps(const GeneralTables& tables) {
  return std::any_of(tables.digits.begin(), tables.digits.end(),
                     [](const DigitTables& digit) { return digit.in_steps; });
}

}  // namespace

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
  const bool in_workspace = plan.outer_digits > 0;
  std::string constants =
      constant_line("int length", plan.length, "samples of a row that exist") +
      constant_line("int points", plan.points(), "complex words of a row in shared memory") +
      (in_workspace ? constant_line("int rows", plan.rows(), "of a pair in the workspace")
                    : constant_line("int pairs_at_once", plan.pairs_at_once, "whose words lie one behind the other")) +
      constant_line("int spectrum_row_bytes", result.spectrum.row_bytes(), "") +
      constant_line("int blocks_per_sm", plan.blocks_per_sm, "");
  if (config.input_exponent != 0)
    constants += fmt::format("constexpr float input_scale = {:.10e}f;\n", std::ldexp(1.0, config.input_exponent));
  Blocks blocks = {
      {"header", header_comment(config, plan, name)},
      {"pass_constants",
       constant_line("int warps", plan.warps, "") + constant_line("int last_radix", plan.digits.back().radix, "") +
           constant_line("int padding", plan.padding, "words behind each column of the last digit in shared memory")},
      {"constants", constants},
      {"entry", general_entry(name, in_workspace)},
      {"roots", tables_in_steps(tables) ? as_it_stands : std::optional<std::string>("")},
      {"walk", general_walk(plan)},
      {"pair", general_pair(access)},
      {"load_sample", general_samples(config, plan, access)},
      {"stages", general_stages(plan, lower_general(plan), tables)},
  };
  Substitutes substitutes;
  put_storage(substitutes, config);
  if (!in_workspace) substitutes["place_arguments.cuh"] = "";
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

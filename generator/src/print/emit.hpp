// Emission: from a plan to source text and tables. One file per kind of kernel.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Text to put in place of the marked blocks of a template, by name.
using Blocks = std::map<std::string, std::optional<std::string>, std::less<>>;
/// A block that keeps the template's own lines.
inline constexpr std::nullopt_t as_it_stands = std::nullopt;
/// Templates to inline instead of the ones that a template includes, by name.
using Substitutes = std::map<std::string, std::string, std::less<>>;

/// The template `name` with every include inlined once and every block between "//[[name" and "//]]" lines replaced
/// by blocks.at(name), less the constants that nothing names then. Throws std::logic_error where a block is not in the
/// template or the template's is not given.
[[nodiscard]] std::string assemble(std::string_view name, const Blocks& blocks, const Substitutes& substitutes = {});
/// The template `name` with every include inlined once, and all that it declares.
[[nodiscard]] std::string inlined(std::string_view name);

/// A convolution kernel and what the filter kernel must know of it.
struct EmittedConv {
  GeneratedKernel kernel;
  SpectrumLayout spectrum;
};

[[nodiscard]] EmittedConv emit_tiled(const ConvConfig& config, const Plan& plan);
/// The gradients of a tiled plan.
[[nodiscard]] EmittedConv emit_backward(const ConvConfig& config, const Plan& plan);
/// Their launches, and the kernel of the filter's gradient where it is wanted.
[[nodiscard]] BackwardLaunch backward_launch(const ConvConfig& config, const Plan& plan, const SpectrumLayout& layout);
/// The same of a split plan; `row_layout` is that of one row of the spectrum.
[[nodiscard]] BackwardLaunch split_backward_launch(const ConvConfig& config, const Plan& plan,
                                                   const SpectrumLayout& row_layout);
[[nodiscard]] EmittedConv emit_general(const ConvConfig& config, const Plan& plan);

/// The kernel of a split plan, its filter and its launch (generate of that family).
[[nodiscard]] Generated generate_split(const ConvConfig& config, const Plan& plan);

/// The filter kernel of a split or cluster plan, whose config `result` holds, and its tag; `gain` makes up for the
/// scales of columns and rows.
void put_split_filter(Generated& result, const Plan& plan, double gain);

/// A half of a split plan's kernel: blocks of split_conv.cu.in and the templates in place of others.
struct EmittedHalf {
  Blocks blocks;
  Substitutes substitutes;
  std::vector<std::uint32_t> tables;
  double gain = 1;  ///< what the spectrum must carry to make up for the matrices' scales
};
/// The columns; their tables are the matrices there and back, and begin at `first_table` of the kernel's.
[[nodiscard]] EmittedHalf emit_columns(const ConvConfig& config, const Plan& plan, std::int64_t first_table);
/// The rows, `plan` being that of a row; their tables come first. `order` of the spectrum's tiles is
/// tiled_spectrum_order.
[[nodiscard]] EmittedHalf emit_inner_rows(const ConvConfig& config, const Plan& plan);

/// Bytes of a channel's spectrum where it is kept as `rows` of `elements` frequencies, then 16 that begin with the
/// scale.
[[nodiscard]] constexpr std::int64_t split_spectrum_bytes(int rows, std::int64_t elements) {
  return std::int64_t{4} * rows * elements + 16;
}

/// Generated::spectrum_tag of what a filter kernel makes.
[[nodiscard]] std::string spectrum_tag(const GeneratedKernel& filter);

/// The kernel that makes gradients of filters from the sums of a backward kernel, in float32.
[[nodiscard]] GeneratedKernel emit_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                   const Plan& plan);

/// Whether a block of that arch holds the transform of a row of `length` samples: then emit_filter makes the kernel,
/// which takes no workspace, else put_long_filter.
[[nodiscard]] bool fits_filter_block(const SpectrumLayout& layout, std::int64_t length, std::string_view arch);
/// The filter kernel for a spectrum layout: float32 throughout, natural order until the last gather.
[[nodiscard]] GeneratedKernel emit_filter(const SpectrumLayout& layout, std::int64_t length, std::string_view arch);

/// Puts the filter kernel of a long transform, and all that its launches need, in place: filter, filter_steps,
/// spectrum_row_bytes, filter_workspace_bytes_per_block, filter_blocks. The transform N = column_length x
/// M is stored as column_length / 2 + 1 rows of M (or as row_layout.rows names); element k' of row j has frequency j +
/// column_length k'. `row_layout` is that of one row: its order holds values k' in [0, M), its taps are those of all N
/// positions.
void put_long_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t transform_length,
                     int column_length, std::string_view arch);
/// The kernel alone.
[[nodiscard]] GeneratedKernel emit_long_filter(const SpectrumLayout& row_layout, std::int64_t transform_length,
                                               int column_length, std::string_view arch);
/// Bytes of workspace for each channel of a chunk, of so many complex points.
[[nodiscard]] std::int64_t long_filter_workspace_bytes(std::int64_t points);

/// "conv_fwd_n4096_16x16x16_f16_causal_l2048_gated_sm90a".
[[nodiscard]] std::string kernel_name(const ConvConfig& config, const Plan& plan);

/// The comment that opens every emitted file: config, plan, threads, memory, and how to compile it alone.
[[nodiscard]] std::string header_comment(const ConvConfig& config, const Plan& plan, const std::string& name);

}  // namespace ffc

// Which rows the blocks of a tiled kernel go over, and where rows are in memory.
#include <fmt/format.h>

#include "tiled_stages.hpp"

namespace ffc {
namespace {

constexpr std::string_view slices =
    "const int pairs_per_slice = (pairs + gridDim.y - 1) / gridDim.y;\n"
    "  const int first_pair = blockIdx.y * pairs_per_slice;\n"
    "  const int end_pair = min(first_pair + pairs_per_slice, pairs);";

void walk_batch(TextWriter& out) {
  out.line("const int channel = blockIdx.x;");
  out.line("const unsigned char* const spectrum_row =");
  out.line(
      "    static_cast<const unsigned char*>(arguments.spectrum) + static_cast<long long>(channel) * "
      "spectrum_row_bytes;");
  out.line(
      "const float scale = load_constant(reinterpret_cast<const float*>(spectrum_row + spectrum_row_bytes - 16));");
  out.line("");
  out.line("// This block's slice of the batch, in pairs of rows; its groups take turns.");
  out.line("const int pairs = (arguments.batch + 1) / 2;");
  out.line(slices);
}

}  // namespace

std::string tiled_walk() {
  TextWriter out(1);
  walk_batch(out);
  return out.take();
}

void emit_row_pointer(TextWriter& out, const Plan& plan, std::string_view name, std::string_view qualifiers) {
  if (!plan.real_filter()) {
    out.line(fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(split.workspace) +", name,
                         qualifiers));
    out.line("    offset + part * transform_length;");
    return;
  }
  out.line(
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name, qualifiers));
  out.line(
      fmt::format("    (2 * pair + (exists ? part : 0)) * arguments.{0}_batch_stride + "
                  "channel * arguments.{0}_channel_stride;",
                  name));
}

}  // namespace ffc

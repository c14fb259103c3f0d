// Which rows the blocks of a tiled kernel go over, and where those are in memory.
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

// A pair is here the real and the imaginary part of one complex row in the workspace.
void walk_workspace(TextWriter& out, const Plan& plan) {
  const bool has_middle = plan.column_length % 2 == 0;
  out.line("release_kernel_behind();");
  out.line("// One row of a channel's spectrum. Row `frequency` of every pair takes it, and so does the row of");
  out.line("// -frequency, which the workspace holds as its conjugate.");
  out.line("const int channel = blockIdx.x / spectrum_rows;");
  out.line("const int frequency = blockIdx.x % spectrum_rows;");
  out.line("const unsigned char* const spectrum_row = static_cast<const unsigned char*>(arguments.spectrum) +");
  out.line("    channel * spectrum_channel_bytes + frequency * (4LL * row_length);");
  out.line(fmt::format("const int sides = frequency == 0{} ? 1 : 2;",
                       has_middle ? " || 2 * frequency == column_length" : ""));
  out.line("");
  out.line("// Complex rows, a pair's two sides one after the other; a row without a partner has one.");
  out.line("const int pairs_of_rows = (arguments.batch + 1) / 2;");
  out.line("const int pairs = sides == 1 ? pairs_of_rows : arguments.batch;");
  out.line(slices);
  out.open("const auto plane_offset = [&](int pair, int part) {");
  out.line("const long long plane = 2LL * (channel * pairs_of_rows + pair / sides) + part;");
  out.line("const int row = pair % sides == 0 ? frequency : column_length - frequency;");
  out.line("return plane * transform_length + row * row_length;");
  out.close("};");
}

}  // namespace

std::string tiled_walk(const Plan& plan) {
  TextWriter out(1);
  if (plan.real_filter())
    walk_batch(out);
  else
    walk_workspace(out, plan);
  return out.take();
}

void emit_row_pointer(TextWriter& out, const Plan& plan, std::string_view name, std::string_view qualifiers) {
  const std::string declared =
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name, qualifiers);
  if (!plan.real_filter()) {
    out.line(fmt::format("{} plane_offset(pair, part);", declared));
    return;
  }
  out.line(declared);
  out.line(
      fmt::format("    (2 * pair + (exists ? part : 0)) * arguments.{0}_batch_stride + "
                  "channel * arguments.{0}_channel_stride;",
                  name));
}

}  // namespace ffc

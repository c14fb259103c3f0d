// One text for rows of any gating: a null gate is none.
#include "emit_magnitudes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "assemble.hpp"
#include "text.hpp"

namespace ffc {
namespace {

static_assert(sizeof(MagnitudeArguments) == 120, "magnitude_arguments.cuh declares 120 bytes");

constexpr int threads = 256;
constexpr int largest_bytes = 16;  // of shared memory, where a block's largest magnitude is found

std::string header_block(const ConvConfig& config, const std::string& name) {
  return fmt::format(
      "// {}\n"
      "// The largest magnitude of each channel's rows (batch, channels, {}) in {}, and of rows times gates, generated "
      "by ffc; do not edit.\n"
      "// Launch: {} threads; grid (channels, tensors times blocks of a channel).\n"
      "// Compile alone: nvcc -std=c++17 -fmad=false -arch={} -cubin {}.cu\n\n",
      name, config.length, to_string(config.dtype), threads, config.arch, name);
}

// Two samples as floats: a bf16 is the upper half of one.
std::string samples_block(DataType dtype) {
  const auto function = [](std::string_view name, std::string_view value) {
    return fmt::format("__device__ __forceinline__ float {}(Packed stored) {{ return {}; }}\n", name, value);
  };
  return function("low_sample", dtype == DataType::bf16 ? "__uint_as_float(stored << 16)" : "low_half(stored)") +
         function("high_sample",
                  dtype == DataType::bf16 ? "__uint_as_float(stored & 0xffff0000u)" : "high_half(stored)");
}

// What a load takes, and what is larger of its parts. One of 4 bytes is a pair of samples, one of 2 half of a pair.
std::string word_block(int alignment) {
  TextWriter out(0);
  const std::string_view comment = "of samples, as rows are aligned";
  if (alignment <= 4) {
    out.line(fmt::format("using Word = unsigned {};  // {}", alignment == 4 ? "int" : "short", comment));
    return out.take();
  }
  out.line(fmt::format("using Word = uint{};  // {}", alignment / 4, comment));
  const auto overload = [&](bool gated) {
    out.open(fmt::format("__device__ __forceinline__ float larger(float largest, const Word& samples{}) {{",
                         gated ? ", const Word& gate" : ""));
    for (const char part : std::string_view("xyzw").substr(0, static_cast<std::size_t>(alignment) / 4))
      out.line(
          fmt::format("largest = larger(largest, samples.{}{});", part, gated ? fmt::format(", gate.{}", part) : ""));
    out.line("return largest;").close();
  };
  overload(false);
  overload(true);
  return out.take();
}

}  // namespace

GeneratedKernel emit_magnitudes(const ConvConfig& config) {
  std::string arch = config.arch;
  std::erase(arch, '_');
  GeneratedKernel kernel;
  kernel.name = fmt::format("magnitudes_l{}_a{}_{}_{}", config.length, config.row_alignment,
                            config.dtype == DataType::bf16 ? "bf16" : "f16", arch);
  kernel.threads = threads;
  kernel.options = {"--std=c++17", "--fmad=false"};
  kernel.shared_bytes = largest_bytes;
  const Blocks blocks = {
      {"header", header_block(config, kernel.name)},
      {"constants", constant_line("int length", config.length, "samples of a row") +
                        constant_line("int alignment", config.row_alignment, "of rows, in bytes") +
                        constant_line("int threads", threads, "")},
      {"samples", samples_block(config.dtype)},
      {"word", word_block(config.row_alignment)},
      {"entry", kernel_entry("__launch_bounds__(threads)", kernel.name, "MagnitudeArguments arguments")}};
  Substitutes substitutes;
  if (config.dtype == DataType::bf16) substitutes["conversions.cuh"] = "packed.cuh";
  kernel.source = assemble("row_magnitudes.cu.in", blocks, substitutes);
  return kernel;
}

}  // namespace ffc

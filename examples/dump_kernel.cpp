// Prints the CUDA source that a config becomes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <ffc/ffc.hpp>
#include <map>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) try {
  CLI::App app("Prints the emitted .cu of one convolution");
  ffc::ConvConfig config;
  config.fft_length = 4096;
  config.arch = "sm_90a";
  std::string dtype = "fp16", padding = "circular", gating = "none";
  bool filter = false;
  const std::map<std::string, ffc::Padding> paddings = {
      {"circular", ffc::Padding::circular}, {"padded", ffc::Padding::padded}, {"causal", ffc::Padding::causal}};
  const std::map<std::string, ffc::Gating> gatings = {
      {"none", ffc::Gating::none}, {"in", ffc::Gating::in}, {"out", ffc::Gating::out}, {"both", ffc::Gating::both}};
  app.add_option("--fft-length", config.fft_length, "N; 0 lets a causal config choose");
  app.add_option("--length", config.length, "L, samples per row; 0 means N");
  app.add_option("--filter-length", config.filter_length, "taps; 0 means the most");
  app.add_option("--padding", padding, "circular, padded or causal")->check(CLI::IsMember(&paddings));
  app.add_option("--gating", gating, "none, in, out or both")->check(CLI::IsMember(&gatings));
  app.add_option("--dtype", dtype, "fp16 or bf16");
  app.add_option("--radices", config.radices, "forced factorisation, outermost first")->delimiter(',');
  app.add_option("--arch", config.arch, "such as sm_90a");
  app.add_option("--columns", config.column_length, "R: forces N = R x M as columns and rows");
  app.add_flag("--filter", filter, "the kernel of prepare_filter instead");
  CLI11_PARSE(app, argc, argv);
  config.dtype = ffc::parse_dtype(dtype);
  config.padding = paddings.at(padding);
  config.gating = gatings.at(gating);
  const ffc::Generated generated = ffc::generate(config);
  fmt::print("{}", (filter ? generated.filter : generated.conv).source);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "dump_kernel: {}\n", error.what());
  return 1;
}

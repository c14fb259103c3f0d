// Uses ffc from another project: generates and compiles one kernel.
#include <ffc/ffc.hpp>
#include <iostream>

int main() {
  ffc::ConvConfig config;
  config.fft_length = 256;
  config.arch = "sm_90a";
  const auto generated = ffc::generate(config);
  const auto program = ffc::compile(generated.conv, config.arch);
  std::cout << program.name << ": " << program.cubin.size() << " bytes\n";
  return program.cubin.empty() ? 1 : 0;
}

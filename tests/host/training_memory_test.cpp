// PyTorch's memory as it is counted, against what torch 2.15's profiler has measured on a CPU.
#include "../../examples/training_memory.hpp"

#include <doctest/doctest.h>

using namespace ffc;
using namespace ffc::examples;

namespace {

// Rows of 16 x 8 x 4096 fp16: what the profiler says is allocated at the peak, less y and dk, which are outputs.
std::size_t measured(std::size_t allocated) { return allocated - 2 * 16 * 8 * 4096 - 4 * 8 * 4096; }

void check_close(std::size_t counted, std::size_t allocated) {
  CHECK(counted <= measured(allocated));
  CHECK(measured(allocated) - counted <= 128);  // scalars
}

}  // namespace

TEST_CASE("counted bytes are those that torch allocates") {
  check_close(torch_step_bytes({16, 8, 4096, 4096, false}), 13763648);
  check_close(torch_step_bytes({16, 8, 4096, 8192, false}), 26346560);
  check_close(torch_step_bytes({16, 8, 4096, 4096, true}), 20055168);
  check_close(torch_step_bytes({16, 8, 4096, 8192, true}), 32638016);
}

TEST_CASE("counted bytes of a forward pass are those that torch allocates") {
  CHECK(torch_forward_bytes({16, 8, 4096, 4096, false}) == 15990784);
  CHECK(torch_forward_bytes({16, 8, 4096, 8192, false}) == 31195136);
  CHECK(torch_forward_bytes({16, 8, 4096, 4096, true}) == 24379392);
  CHECK(torch_forward_bytes({16, 8, 4096, 8192, true}) == 41680896);
}

TEST_CASE("a step takes a spectrum and the largest workspace") {
  ConvConfig config;
  config.fft_length = 256;
  config.pass = Pass::backward;
  const auto kernel = get_kernel(config, Device::host());
  const StepMemory memory = step_memory(*kernel, 3, 1 << 20);
  CHECK(memory.spectra == kernel->spectrum_bytes(3));
  CHECK(memory.workspace == 1 << 20);
  CHECK(memory.total() == memory.spectra + memory.workspace);
  CHECK(step_memory(*kernel, 3, 0).workspace == kernel->filter_workspace_bytes(3));
}

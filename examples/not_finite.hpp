// Counts infinities and NaNs where the data is: outputs of tens of GB are not brought to the host for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/runtime/kernel.hpp"
#include "machine.hpp"

namespace ffc::examples {

/// A small kernel of its own, compiled as the library compiles its kernels; a loop on the host.
class NotFiniteCounter {
 public:
  NotFiniteCounter(std::shared_ptr<Machine> device, std::string_view arch) : device_(std::move(device)) {
    if (device_->is_host()) return;
    const GeneratedKernel kernel = {"count_not_finite", source, {}, {}, threads, 0};
    const std::string cubin = compile(kernel, arch).cubin;
    const DriverApi& api = device_->api();
    api.check(api.module_load_data(&module_, cubin.data()), "cuModuleLoadData");
    api.check(api.module_get_function(&function_, module_, kernel.name.c_str()), "cuModuleGetFunction");
  }
  NotFiniteCounter(const NotFiniteCounter&) = delete;
  NotFiniteCounter& operator=(const NotFiniteCounter&) = delete;
  ~NotFiniteCounter() {
    if (module_ != nullptr) (void)device_->api().module_unload(module_);
  }

  /// Of `count` elements at an address that is a multiple of 16. Waits for all work before it.
  [[nodiscard]] std::size_t count(const void* data, std::size_t count, DataType dtype) const {
    unsigned exponent = dtype == DataType::fp16 ? 0x7C00U : 0x7F80U;
    if (device_->is_host()) return count_here(static_cast<const std::uint16_t*>(data), count, exponent);
    Buffer found = Buffer::of(device_, std::vector<unsigned long long>{0});
    void* result = found.data();
    auto elements = static_cast<unsigned long long>(count);
    void* parameters[] = {&data, &elements, &exponent, &result};
    const unsigned blocks = 8 * static_cast<unsigned>(device_->multiprocessors());
    const DriverApi& api = device_->api();
    api.check(api.launch_kernel(function_, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr),
              "cuLaunchKernel");
    device_->synchronize();
    return found.download<unsigned long long>(0, 1).front();
  }

 private:
  static constexpr int threads = 256;
  static constexpr const char* source = R"(// count_not_finite: elements of 16 bits whose exponent bits are all set.
__device__ unsigned long long of_word(unsigned word, unsigned exponent) {
  return ((word & exponent) == exponent) + ((word >> 16 & exponent) == exponent);
}

extern "C" __global__ void __launch_bounds__(256)
    count_not_finite(const uint4* data, unsigned long long count, unsigned exponent, unsigned long long* result) {
  const unsigned long long thread = blockIdx.x * 256ull + threadIdx.x, threads = gridDim.x * 256ull;
  unsigned long long found = 0;
  for (unsigned long long i = thread; i < count / 8; i += threads) {
    const uint4 words = data[i];
    found += of_word(words.x, exponent) + of_word(words.y, exponent) + of_word(words.z, exponent) +
             of_word(words.w, exponent);
  }
  const unsigned long long last = count / 8 * 8 + thread;
  if (last < count) found += (reinterpret_cast<const unsigned short*>(data)[last] & exponent) == exponent;
  if (found != 0) atomicAdd(result, found);
}
)";

  static std::size_t count_here(const std::uint16_t* data, std::size_t count, unsigned exponent) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += static_cast<std::size_t>((data[i] & exponent) == exponent);
    return found;
  }

  std::shared_ptr<Machine> device_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

}  // namespace ffc::examples

// What a FilterSpectrum handle points to.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "device.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

struct FilterSpectrum::State {
  State(std::shared_ptr<const Device> device_, CUdeviceptr memory_, std::size_t bytes_, int channels_, std::string tag_)
      : device(std::move(device_)), memory(memory_), bytes(bytes_), channels(channels_), tag(std::move(tag_)) {}
  ~State() { device->free_after_all_work(memory, used_by_non_blocking_stream.load()); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<const Device> device;
  CUdeviceptr memory;
  std::size_t bytes;
  int channels;
  std::string tag;
  mutable std::atomic<bool> used_by_non_blocking_stream = false;  ///< decides what freeing has to wait for
};

}  // namespace ffc

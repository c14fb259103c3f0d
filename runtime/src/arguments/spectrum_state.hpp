// What a FilterSpectrum handle points to.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Memory of a spectrum. Destroyed it is given back, once all work that uses it is done.
class SpectrumMemory {
 public:
  SpectrumMemory() = default;
  SpectrumMemory(const SpectrumMemory&) = delete;
  SpectrumMemory& operator=(const SpectrumMemory&) = delete;
  virtual ~SpectrumMemory() = default;
  [[nodiscard]] virtual void* data() const = 0;
  /// Work that uses it was launched on that stream, a moment ago. The device's context is current. Throws DriverError.
  virtual void mark_used(CUstream stream) = 0;
};

struct FilterSpectrum::State {
  State(std::unique_ptr<SpectrumMemory> memory_, std::size_t bytes_, int channels_, int device_, std::string tag_)
      : memory(std::move(memory_)), bytes(bytes_), channels(channels_), device(device_), tag(std::move(tag_)) {}

  std::unique_ptr<SpectrumMemory> memory;
  std::size_t bytes;
  int channels;
  int device;  ///< ordinal
  std::string tag;
};

}  // namespace ffc

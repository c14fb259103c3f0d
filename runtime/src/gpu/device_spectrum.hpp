// The memory of a filter's spectrum on a GPU, freed behind the work that reads it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "cuda_device.hpp"
#include "spectrum_state.hpp"

namespace ffc {

/// Device memory of which it is known which streams use it. Thread-safe.
class DeviceSpectrum final : public SpectrumMemory {
 public:
  DeviceSpectrum(std::shared_ptr<const CudaDevice> device, CUdeviceptr memory)
      : device_(std::move(device)), memory_(memory) {}
  ~DeviceSpectrum() override;
  DeviceSpectrum(const DeviceSpectrum&) = delete;
  DeviceSpectrum& operator=(const DeviceSpectrum&) = delete;

  [[nodiscard]] void* data() const override { return reinterpret_cast<void*>(memory_); }
  void mark_used(CUstream stream) override;

 private:
  struct Use {
    CUstream stream;
    CUevent event;  ///< behind the last use there
  };
  static constexpr std::size_t most_streams = 16;  ///< that are told apart

  CUevent event_of(CUstream stream);

  std::shared_ptr<const CudaDevice> device_;
  CUdeviceptr memory_;
  std::mutex mutex_;
  std::vector<Use> uses_;
  bool untracked_ = false;  ///< used by graphs, or by more streams than are told apart
};

}  // namespace ffc

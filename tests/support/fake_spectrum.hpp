// A spectrum at an address that nobody reads.
#pragma once

#include <memory>
#include <string>

#include "spectrum_state.hpp"

namespace ffc::fakes {

class FakeSpectrumMemory final : public SpectrumMemory {
 public:
  explicit FakeSpectrumMemory(void* address) : address_(address) {}
  [[nodiscard]] void* data() const override { return address_; }
  void mark_used(CUstream) override {}

 private:
  void* address_;
};

/// Of one byte.
inline FilterSpectrum fake_spectrum(void* address, int channels, int device, const std::string& tag) {
  return FilterSpectrum(std::make_shared<const FilterSpectrum::State>(std::make_unique<FakeSpectrumMemory>(address), 1,
                                                                      channels, device, tag));
}

}  // namespace ffc::fakes

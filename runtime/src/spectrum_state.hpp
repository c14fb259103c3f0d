// What a FilterSpectrum handle points to.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

struct FilterSpectrum::State {
  State(void* data_, std::size_t bytes_, int channels_, int device_, std::string tag_)
      : data(data_), bytes(bytes_), channels(channels_), device(device_), tag(std::move(tag_)) {}
  ~State() {
    if (free) free(data, used_by_non_blocking_stream.load());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void* data;
  std::size_t bytes;
  int channels;
  int device;  ///< ordinal
  std::string tag;
  /// Gives the memory back, once all work that was launched with it is done. Must not throw.
  std::function<void(void* data, bool used_by_non_blocking_stream)> free;
  mutable std::atomic<bool> used_by_non_blocking_stream = false;  ///< decides what freeing has to wait for
};

}  // namespace ffc

// Ranges of memory that the blocks of a launch may touch, and memory of the host's own.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "block.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/runtime/errors.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc::host {

/// Memory aligned as a device's is.
class HostMemory {
 public:
  /// Throws HostError where the machine has none.
  explicit HostMemory(std::size_t bytes) : data_(allocate(bytes)) {}
  ~HostMemory() { ::operator delete(data_, alignment); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  static constexpr std::align_val_t alignment{256};

  static void* allocate(std::size_t bytes) {
    try {
      return ::operator new(bytes, alignment);
    } catch (const std::bad_alloc&) {
      throw HostError(fmt::format("{} bytes for a spectrum or a workspace are more than this machine has", bytes));
    }
  }

  void* data_;
};

/// A workspace that was lent, or memory of that size where none was.
class LentMemory {
 public:
  LentMemory(const Workspace& lent, std::size_t needed) : workspace_(lent) {
    if (lent.data != nullptr || needed == 0) return;
    own_ = std::make_unique<const HostMemory>(needed);
    workspace_ = {own_->data(), needed};
  }
  [[nodiscard]] const Workspace& workspace() const { return workspace_; }

 private:
  std::unique_ptr<const HostMemory> own_;
  Workspace workspace_;
};

/// Throws LaunchError, in the name of `kernel`, for a stream: there is none on the host.
inline void refuse_stream(CUstream stream, const std::string& kernel) {
  if (stream == nullptr) return;
  throw LaunchError(
      fmt::format("{}: stream is {}; a kernel on the host runs before the call returns, and the stream must be null",
                  kernel, static_cast<const void*>(stream)));
}

/// From the first sample of a tensor to its last. `arguments` has batch and channels.
template <class Arguments>
[[nodiscard]] Range rows_of(const char* name, const void* data, std::int64_t batch_stride, std::int64_t channel_stride,
                            const Arguments& arguments, std::int64_t length, bool writable) {
  const std::int64_t last = (arguments.batch - 1) * batch_stride + (arguments.channels - 1) * channel_stride + length;
  return {name, data, static_cast<std::size_t>(2 * last), writable};
}

[[nodiscard]] inline Range tables_of(const GeneratedKernel& kernel) {
  return {"tables", kernel.tables.data(), kernel.tables.size() * sizeof(kernel.tables[0]), false};
}

/// Adds that of magnitudes where there are some.
inline void add_magnitudes(std::vector<Range>& ranges, const char* name, const RowMagnitudes& magnitudes, int batch,
                           int channels) {
  if (magnitudes.data == nullptr) return;
  const auto floats = static_cast<std::size_t>(std::int64_t{channels - 1} * magnitudes.channel_stride +
                                               std::int64_t{batch - 1} * magnitudes.row_stride + 1);
  ranges.push_back({name, magnitudes.data, floats * sizeof(float), false});
}

/// Adds that of a report where there is one.
inline void add_report(std::vector<Range>& ranges, const ChannelReport* report, int channels) {
  if (report != nullptr)
    ranges.push_back({"report", report, static_cast<std::size_t>(channels) * sizeof(ChannelReport), true});
}

}  // namespace ffc::host

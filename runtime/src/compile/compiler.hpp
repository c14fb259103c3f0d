// Source text to cubin: through the disk cache, else through NVRTC. Needs neither driver nor GPU.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/cache/store.hpp"
#include "ffc/runtime/kernel.hpp"
#include "nvrtc_api.hpp"
#include "single_flight.hpp"

namespace ffc {

/// "sm_90a" taken apart. Throws CompileError for anything that does not look like it.
struct ArchName {
  int number = 0;      ///< 90
  std::string suffix;  ///< "a", "f" or none
};
[[nodiscard]] ArchName parse_arch(std::string_view arch);

/// All options that NVRTC is called with.
[[nodiscard]] std::vector<std::string> compile_options(const GeneratedKernel& kernel, std::string_view arch);

/// Refuses to compile a program that the cache lacks.
[[noreturn]] void throw_forbidden(const GeneratedKernel& kernel, std::string_view arch);

/// What the cache finds a compiled program by: everything that decides its bytes.
[[nodiscard]] cache::Key compile_key(const GeneratedKernel& kernel, std::string_view arch, int nvrtc_major,
                                     int nvrtc_minor);

/// Thread-safe. One compile per key however many threads ask at once.
class Compiler {
 public:
  Compiler(std::function<NvrtcApi()> open_nvrtc, cache::Options cache_options)
      : open_nvrtc_(std::move(open_nvrtc)), store_(std::move(cache_options)) {}

  /// Throws CompileError; nothing is stored then.
  [[nodiscard]] CompiledProgram compile(const GeneratedKernel& kernel, std::string_view arch);

  /// NVRTC, opened by the first call. Throws CompileError, and tries again on the next call.
  [[nodiscard]] const NvrtcApi& nvrtc();

 private:
  CompiledProgram load_or_compile(const GeneratedKernel& kernel, std::string_view arch, const cache::Key& key);

  std::function<NvrtcApi()> open_nvrtc_;
  std::mutex nvrtc_mutex_;
  std::optional<NvrtcApi> nvrtc_;
  cache::Store store_;
  SingleFlight<std::string, CompiledProgram> flights_;
};

}  // namespace ffc

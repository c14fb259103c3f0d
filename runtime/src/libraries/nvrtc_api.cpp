// Finds and opens NVRTC.
#include "nvrtc_api.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "dynamic_library.hpp"
#include "ffc/runtime/errors.hpp"

// The path of the library that belongs to the headers; empty where the build leaves it to the loader.
#ifndef FFC_NVRTC_HINT
#define FFC_NVRTC_HINT ""
#endif

namespace ffc {
namespace {

// NVRTC opens libnvrtc-builtins by its bare name. In a pip wheel it lies beside NVRTC, where the loader does not look,
// unless it is loaded already. No failure here: the loader may know better, and NVRTC's own error names the file.
void preload_builtins(const NvrtcApi& api) {
  const std::filesystem::path folder = std::filesystem::path(api.path).parent_path();
  if (folder.empty()) return;
  const std::vector<std::string> names = {
      (folder / fmt::format("libnvrtc-builtins.so.{}.{}", api.major, api.minor)).string()};
  std::string problems;
  (void)DynamicLibrary::open_first(names, problems);
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  const char* forced = std::getenv("FFC_NVRTC_LIBRARY");
  if (forced != nullptr && *forced != '\0') return {forced};
  std::vector<std::string> names;
  if (const std::string hint = FFC_NVRTC_HINT; !hint.empty()) names.push_back(hint);
  names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  return names;
}

NvrtcApi load_nvrtc(const std::vector<std::string>& candidates) {
  std::string problems;
  const DynamicLibrary library = DynamicLibrary::open_first(candidates, problems);
  if (!library) {
    throw CompileError(
        fmt::format("NVRTC, the CUDA run-time compiler, was not found. Tried:{}\nInstall a CUDA toolkit "
                    "or the wheel nvidia-cuda-nvrtc, or set FFC_NVRTC_LIBRARY to the file libnvrtc.so",
                    problems.empty() ? " nothing" : problems));
  }
  NvrtcApi api;
  const auto resolve = [&library](const char* name) {
    void* address = library.symbol(name);
    if (address == nullptr) {
      throw CompileError(
          fmt::format("{} has no function {}: it is not NVRTC, or older than 11.2", library.name(), name));
    }
    return address;
  };
#define FFC_NVRTC_RESOLVE(member, symbol) api.member = reinterpret_cast<decltype(api.member)>(resolve(#symbol));
  FFC_NVRTC_FUNCTIONS(FFC_NVRTC_RESOLVE)
#undef FFC_NVRTC_RESOLVE
  api.path = file_of_address(reinterpret_cast<const void*>(api.get_version));
  if (api.path.empty()) api.path = library.name();
  if (const nvrtcResult result = api.get_version(&api.major, &api.minor); result != NVRTC_SUCCESS) {
    throw CompileError(fmt::format("nvrtcVersion of {} failed: {}", api.path, api.get_error_string(result)));
  }
  preload_builtins(api);
  return api;
}

}  // namespace ffc

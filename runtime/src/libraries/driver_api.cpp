// Opens the driver and turns its return codes into exceptions.
#include "driver_api.hpp"

#include <fmt/format.h>

#include "dynamic_library.hpp"
#include "ffc/runtime/errors.hpp"

namespace ffc {

DriverApi load_driver(const std::vector<std::string>& candidates) {
  std::string problems;
  const DynamicLibrary library = DynamicLibrary::open_first(candidates, problems);
  if (!library) {
    throw DriverError(
        fmt::format("no CUDA driver on this machine. Tried:{}\nKernels can be generated and compiled "
                    "here, but loading and launching need an NVIDIA driver",
                    problems.empty() ? " nothing" : problems));
  }
  DriverApi api;
  const auto resolve = [&library](const char* name) {
    void* address = library.symbol(name);
    if (address == nullptr) {
      throw DriverError(
          fmt::format("the CUDA driver ({}) has no function {}: it is older than CUDA 11.8", library.name(), name));
    }
    return address;
  };
#define FFC_DRIVER_RESOLVE(member, symbol) api.member = reinterpret_cast<decltype(api.member)>(resolve(#symbol));
  FFC_DRIVER_FUNCTIONS(FFC_DRIVER_RESOLVE)
#undef FFC_DRIVER_RESOLVE
  return api;
}

void initialise(DriverApi& api) {
  check(api, api.init(0), "cuInit");
  check(api, api.driver_get_version(&api.version), "cuDriverGetVersion");
}

void throw_driver_error(const DriverApi& api, CUresult result, const char* what, const char* detail) {
  const char* name = nullptr;
  const char* text = nullptr;
  // Codes newer than the driver leave the pointers null.
  if (api.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (api.get_error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "no description";
  const int code = static_cast<int>(result);
  throw DriverError(
      fmt::format("{}{}{} failed with {} ({}): {}", what, *detail != '\0' ? " for " : "", detail, name, code, text),
      code);
}

std::string cuda_version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace ffc

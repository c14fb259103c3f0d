// Asks the driver for the compute capability, without making a context.
#include "native_arch.hpp"

#include "driver_api.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/runtime/errors.hpp"

namespace ffc::tools {

std::string native_arch() {
  auto driver = load_driver();
  initialise(driver);
  int count = 0;
  check(driver, driver.device_get_count(&count), "cuDeviceGetCount");
  if (count == 0) throw DriverError("the CUDA driver finds no device");

  CUdevice device = 0;
  int major = 0, minor = 0;
  check(driver, driver.device_get(&device, 0), "cuDeviceGet");
  check(driver, driver.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
        "cuDeviceGetAttribute");
  check(driver, driver.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device),
        "cuDeviceGetAttribute");
  return std::string(arch_for_capability(major, minor).name);
}

}  // namespace ffc::tools

// Machine memory, streams and events for the examples: a thin layer over the CUDA driver, opened at run time so that
// programs build and start on machines without a GPU. A program that links CUDA anyway needs none of this.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "driver.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc::examples {

/// Where an example runs: one GPU with its primary context current on the calling thread, or the host.
class Machine {
 public:
  /// The GPU of that ordinal, or null where there is no driver or no such device; `why` then says which.
  [[nodiscard]] static std::shared_ptr<Machine> gpu(int ordinal, std::string& why) {
    std::shared_ptr<Machine> device(new Machine);
    device->library_ = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (device->library_ == nullptr) {
      why = "there is no CUDA driver (libcuda.so.1)";
      return nullptr;
    }
    device->api_ = load_driver_api(device->library_);
    const DriverApi& api = device->api_;
    int count = 0;
    if (const int code = api.init(0); code != 0 || api.device_get_count(&count) != 0 || ordinal >= count) {
      why = code != 0 ? "the CUDA driver cannot start (cuInit returned " + std::to_string(code) + ")"
                      : "there is no CUDA device " + std::to_string(ordinal) + " (" + std::to_string(count) + " found)";
      return nullptr;
    }
    api.check(api.device_get(&device->device_, ordinal), "cuDeviceGet");
    api.check(api.device_primary_ctx_retain(&device->context_, device->device_), "cuDevicePrimaryCtxRetain");
    device->retained_ = true;
    device->make_current();
    return device;
  }

  /// The host, behind the same entry points: memory is ordinary memory, and all work is done when a call returns.
  [[nodiscard]] static std::shared_ptr<Machine> host() {
    std::shared_ptr<Machine> machine(new Machine);
    machine->on_host_ = true;
    machine->api_ = host_driver_api();
    return machine;
  }

  /// GPU 0 where there is one and FFC_DEVICE does not say otherwise, else the host.
  [[nodiscard]] static std::shared_ptr<Machine> gpu_or_host() {
    const char* const named = std::getenv("FFC_DEVICE");
    if (named != nullptr && std::string(named) == "host") return host();
    std::string why;
    if (std::shared_ptr<Machine> machine = gpu(0, why)) return machine;
    return host();
  }

  /// "gpu", "host", or what gpu_or_host takes for an empty name. Throws std::runtime_error where there is none.
  [[nodiscard]] static std::shared_ptr<Machine> named(const std::string& name) {
    if (name.empty()) return gpu_or_host();
    if (name == "host") return host();
    std::string why = "the device is \"" + name + "\"; it must be gpu or host";
    std::shared_ptr<Machine> machine = name == "gpu" ? gpu(0, why) : nullptr;
    if (!machine) throw std::runtime_error(why);
    return machine;
  }

  /// What get_kernel takes.
  [[nodiscard]] ffc::Device device() const { return on_host_ ? ffc::Device::host() : ffc::Device(device_); }

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // The library stays open: the driver does not unload cleanly.
  ~Machine() {
    if (retained_) (void)api_.device_primary_ctx_release(device_);
  }

  [[nodiscard]] const DriverApi& api() const { return api_; }

  [[nodiscard]] std::string name() const {
    if (on_host_) return "the host";
    char text[256] = {};
    api_.check(api_.device_get_name(text, sizeof text, device_), "cuDeviceGetName");
    return text;
  }

  /// A CUdevice_attribute by its number.
  [[nodiscard]] int attribute(int number) const {
    int value = 0;
    api_.check(api_.device_get_attribute(&value, number, device_), "cuDeviceGetAttribute");
    return value;
  }
  [[nodiscard]] bool is_host() const { return on_host_; }
  [[nodiscard]] int multiprocessors() const { return on_host_ ? 1 : attribute(16); }
  [[nodiscard]] std::size_t l2_bytes() const { return on_host_ ? 0 : static_cast<std::size_t>(attribute(38)); }
  [[nodiscard]] int capability_major() const { return attribute(75); }
  [[nodiscard]] int capability_minor() const { return attribute(76); }

  /// 13000 for CUDA 13.0: the newest CUDA that the driver supports.
  [[nodiscard]] int cuda_version() const {
    int version = 0;
    api_.check(api_.driver_get_version(&version), "cuDriverGetVersion");
    return version;
  }

  /// Bytes of memory that nobody has taken; 0 on the host, which does not say.
  [[nodiscard]] std::size_t free_bytes() const {
    if (on_host_) return 0;
    std::size_t free = 0, total = 0;
    api_.check(api_.mem_get_info(&free, &total), "cuMemGetInfo");
    return free;
  }

  /// For another thread than the one that made this: the GPU's primary context.
  void make_current() const {
    if (!on_host_) api_.check(api_.ctx_set_current(context_), "cuCtxSetCurrent");
  }

  /// Waits for all work of the context; throws what a launch left behind.
  void synchronize() const { api_.check(api_.ctx_synchronize(), "cuCtxSynchronize"); }

 private:
  Machine() = default;

  void* library_ = nullptr;
  DriverApi api_;
  int device_ = 0;
  bool retained_ = false;
  void* context_ = nullptr;
  bool on_host_ = false;
};

/// Machine memory, freed with the object. Copies to and from it wait until they are done.
class Buffer {
 public:
  Buffer() = default;
  Buffer(std::shared_ptr<const Machine> device, std::size_t bytes) : device_(std::move(device)), bytes_(bytes) {
    device_->api().check(device_->api().mem_alloc(&address_, bytes), "cuMemAlloc");
  }

  /// Memory that holds a copy of `values`.
  template <class T>
  [[nodiscard]] static Buffer of(std::shared_ptr<const Machine> device, const std::vector<T>& values) {
    Buffer buffer(std::move(device), values.size() * sizeof(T));
    buffer.upload<T>(values);
    return buffer;
  }

  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  ~Buffer() {
    if (address_ != 0) (void)device_->api().mem_free(address_);
  }

  [[nodiscard]] void* data() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address_)); }
  /// The element at an index, as an address in device memory.
  template <class T>
  [[nodiscard]] T* at(std::size_t index) const {
    return static_cast<T*>(data()) + index;
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  template <class T>
  void upload(std::span<const T> values, std::size_t first = 0) {
    require(first * sizeof(T) + values.size_bytes());
    if (values.empty()) return;
    device_->api().check(device_->api().memcpy_htod(address_ + first * sizeof(T), values.data(), values.size_bytes()),
                         "cuMemcpyHtoD");
    finish_default_stream();
  }

  template <class T>
  [[nodiscard]] std::vector<T> download(std::size_t first, std::size_t count) const {
    require((first + count) * sizeof(T));
    std::vector<T> values(count);
    if (count == 0) return values;
    device_->api().check(device_->api().memcpy_dtoh(values.data(), address_ + first * sizeof(T), count * sizeof(T)),
                         "cuMemcpyDtoH");
    return values;
  }

  /// Every byte becomes 0xFF: as fp16 or bf16 a NaN, which no kernel can leave behind unnoticed.
  void poison() {
    device_->api().check(device_->api().memset_d8(address_, 0xFF, bytes_), "cuMemsetD8");
    finish_default_stream();
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }

  // A copy from pageable memory may return before it has arrived, and other streams do not wait for the default one.
  void finish_default_stream() const {
    device_->api().check(device_->api().stream_synchronize(nullptr), "cuStreamSynchronize");
  }

  void require(std::size_t end) const {
    if (end > bytes_)
      throw std::out_of_range("a copy ends at byte " + std::to_string(end) + " of a device buffer of " +
                              std::to_string(bytes_));
  }

  std::shared_ptr<const Machine> device_;
  DeviceAddress address_ = 0;
  std::size_t bytes_ = 0;
};

/// A stream of its own, which does not wait for the default stream.
class Stream {
 public:
  explicit Stream(std::shared_ptr<const Machine> device) : device_(std::move(device)) {
    device_->api().check(device_->api().stream_create(&stream_, 1), "cuStreamCreate");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { (void)device_->api().stream_destroy(stream_); }

  [[nodiscard]] CUstream get() const { return stream_; }
  void synchronize() const { device_->api().check(device_->api().stream_synchronize(stream_), "cuStreamSynchronize"); }

 private:
  std::shared_ptr<const Machine> device_;
  CUstream stream_ = nullptr;
};

/// A point in a stream's work, with the time it was reached.
class Event {
 public:
  explicit Event(std::shared_ptr<const Machine> device) : device_(std::move(device)) {
    device_->api().check(device_->api().event_create(&event_, 0), "cuEventCreate");
  }
  Event(Event&& other) noexcept : device_(std::move(other.device_)), event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) (void)device_->api().event_destroy(event_);
  }

  void record(CUstream stream) { device_->api().check(device_->api().event_record(event_, stream), "cuEventRecord"); }

  /// Milliseconds from `begin` to this event; both must have been reached.
  [[nodiscard]] double milliseconds_since(const Event& begin) const {
    float milliseconds = 0;
    device_->api().check(device_->api().event_elapsed_time(&milliseconds, begin.event_, event_), "cuEventElapsedTime");
    return milliseconds;
  }

 private:
  std::shared_ptr<const Machine> device_;
  CUevent event_ = nullptr;
};

}  // namespace ffc::examples

// What a call costs the CPU, beside a launch of an empty kernel with as large an argument.
#pragma once

#include <fmt/core.h>

#include <chrono>
#include <ffc/ffc.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench_step.hpp"
#include "machine.hpp"

namespace ffc::examples {

/// Microseconds of the CPU in one of many calls: the median of groups, each of which finds an idle device, and is
/// too short to fill the queue.
inline double steady_call_microseconds(const std::shared_ptr<Machine>& device, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  constexpr int calls = 100, groups = 41;
  std::vector<double> times;
  for (int group = 0; group < groups; ++group) {
    device->synchronize();
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls);
  }
  device->synchronize();
  std::nth_element(times.begin(), times.begin() + groups / 2, times.end());
  return times[groups / 2];
}

/// A kernel that does nothing, with an argument of that many bytes.
class EmptyKernel {
 public:
  EmptyKernel(std::shared_ptr<Machine> device, std::string_view arch, std::size_t bytes)
      : device_(std::move(device)), argument_(bytes) {
    const GeneratedKernel kernel = {
        "nothing",
        fmt::format("struct Argument {{ char bytes[{}]; }};\nextern \"C\" __global__ void nothing(Argument) {{}}\n",
                    bytes),
        {},
        {},
        32,
        0};
    const std::string cubin = compile(kernel, arch).cubin;
    const DriverApi& api = device_->api();
    api.check(api.module_load_data(&module_, cubin.data()), "cuModuleLoadData");
    api.check(api.module_get_function(&function_, module_, kernel.name.c_str()), "cuModuleGetFunction");
  }
  EmptyKernel(const EmptyKernel&) = delete;
  EmptyKernel& operator=(const EmptyKernel&) = delete;
  ~EmptyKernel() { (void)device_->api().module_unload(module_); }

  void launch(CUstream stream) {
    void* parameters[] = {argument_.data()};
    device_->api().check(device_->api().launch_kernel(function_, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr),
                         "cuLaunchKernel");
  }

 private:
  std::shared_ptr<Machine> device_;
  std::vector<char> argument_;
  void *module_ = nullptr, *function_ = nullptr;
};

/// Lines of one kernel of one row: the call, the bare launch, their ratio, and how much the call asks of the device.
class OverheadTable {
 public:
  explicit OverheadTable(std::shared_ptr<Machine> device, bool csv)
      : device_(std::move(device)), csv_(csv), stream_(device_) {
    fmt::print("{}", csv_ ? "call,length,stream,operations,us,bare_us,ratio\n"
                          : fmt::format("{:34} {:>8} {:12} {:>10} {:>7} {:>7} {:>6}\n", "call", "L", "stream",
                                        "operations", "us", "bare us", "ratio"));
  }

  void lines(std::int64_t length, Gating gating) {
    for (const bool own_stream : {false, true}) {
      const CUstream stream = own_stream ? stream_.get() : nullptr;
      const ConvConfig config = config_of(length, gating);
      const auto forward = get_kernel(config, device_->device());
      ConvConfig gradients = config;
      gradients.pass = Pass::backward;
      gradients.gradients = parse_gradients(gating == Gating::none ? "du,dk" : "du,dw,dv,dk");
      const auto backward = get_kernel(gradients, device_->device());
      const bool split = forward->generated().split.has_value();
      const std::string name = gating == Gating::none ? "" : ", gated";
      const Memory memory(device_, *forward, *backward);
      memory.filter(*forward, stream);
      print("launch, spectrum viewed" + name, length, own_stream, split ? 2 : 1,
            split ? sizeof(SplitArguments) : sizeof(ConvArguments), *forward,
            [&] { memory.launch(*forward, memory.view(*forward), stream); });
      const FilterSpectrum owned = forward->prepare_filter(memory.taps(), stream);
      print("launch, spectrum owned" + name, length, own_stream, split ? 2 : 1,
            split ? sizeof(SplitArguments) : sizeof(ConvArguments), *forward,
            [&] { memory.launch(*forward, owned, stream); });
      memory.filter(*backward, stream);
      print("launch_backward" + name, length, own_stream, 0,
            split ? sizeof(SplitGradientArguments) : sizeof(GradientArguments), *backward,
            [&] { memory.launch_backward(*backward, stream); });
      if (gating == Gating::none)
        print("prepare_filter_into", length, own_stream, forward->generated().filter_steps, sizeof(FilterArguments),
              *forward, [&] { memory.filter(*forward, stream); });
    }
  }

 private:
  static ConvConfig config_of(std::int64_t length, Gating gating) {
    ConvConfig config;
    config.padding = Padding::causal;
    config.length = length;
    config.gating = gating;
    return config;
  }

  // One row of everything.
  class Memory {
   public:
    Memory(const std::shared_ptr<Machine>& device, const Kernel& forward, const Kernel& backward)
        : length_(forward.config().length),
          rows_(device, static_cast<std::size_t>(8 * 2 * length_)),
          k_(device, static_cast<std::size_t>(4 * length_)),
          dk_(device, static_cast<std::size_t>(4 * length_)),
          spectrum_(device, std::max(forward.spectrum_bytes(1), backward.spectrum_bytes(1))),
          workspace_(device, std::max({std::size_t{256}, forward.workspace_bytes(), forward.filter_workspace_bytes(1),
                                       backward.filter_workspace_bytes(1), backward.backward_workspace_bytes(1, 1)})) {
      device->api().check(device->api().memset_d8(reinterpret_cast<DeviceAddress>(rows_.data()), 0, rows_.bytes()),
                          "cuMemsetD8");
      device->api().check(device->api().memset_d8(reinterpret_cast<DeviceAddress>(k_.data()), 0, k_.bytes()),
                          "cuMemsetD8");
    }

    [[nodiscard]] FilterView taps() const { return {k_.at<float>(0), nullptr, length_, 1}; }
    void filter(const Kernel& kernel, CUstream stream) const {
      kernel.prepare_filter_into(taps(), {spectrum_.data(), spectrum_.bytes()}, workspace(), stream);
    }
    [[nodiscard]] SpectrumView view(const Kernel& kernel) const {
      return kernel.view_spectrum({spectrum_.data(), spectrum_.bytes()}, 1);
    }

    void launch(const Kernel& kernel, const SpectrumView& spectrum, CUstream stream) const {
      const Gating gating = kernel.config().gating;
      LaunchArguments arguments;
      arguments.u = row<TensorView>(0);
      if (has_in_gate(gating)) arguments.w = row<TensorView>(1);
      if (has_out_gate(gating)) arguments.v = row<TensorView>(2);
      arguments.y = row<MutableTensorView>(3);
      arguments.spectrum = spectrum;
      arguments.batch = arguments.channels = 1;
      if (kernel.workspace_bytes() != 0) arguments.workspace = workspace();
      kernel.launch(arguments, stream);
    }

    void launch_backward(const Kernel& kernel, CUstream stream) const {
      const bool gated = kernel.config().gating != Gating::none;
      BackwardArguments arguments;
      arguments.u = row<TensorView>(0);
      arguments.dy = row<TensorView>(3);
      arguments.du = row<MutableTensorView>(4);
      if (gated) arguments.w = row<TensorView>(1), arguments.v = row<TensorView>(2);
      if (gated) arguments.dw = row<MutableTensorView>(5), arguments.dv = row<MutableTensorView>(6);
      arguments.dk = dk_.at<float>(0);
      arguments.spectrum = view(kernel);
      arguments.batch = arguments.channels = 1;
      arguments.workspace = workspace();
      kernel.launch_backward(arguments, stream);
    }

   private:
    [[nodiscard]] Workspace workspace() const { return {workspace_.data(), workspace_.bytes()}; }
    template <class View>
    [[nodiscard]] View row(std::int64_t i) const {
      return {rows_.at<unsigned char>(static_cast<std::size_t>(2 * i * length_)), length_, length_};
    }

    std::int64_t length_;
    Buffer rows_, k_, dk_, spectrum_, workspace_;
  };

  void print(const std::string& call, std::int64_t length, bool own_stream, int operations, std::size_t argument_bytes,
             const Kernel& kernel, const std::function<void()>& run) {
    EmptyKernel empty(device_, kernel.config().arch, argument_bytes);
    const CUstream stream = own_stream ? stream_.get() : nullptr;
    const double bare = steady_call_microseconds(device_, [&] { empty.launch(stream); });
    const double ours = steady_call_microseconds(device_, run);
    const std::string count = operations == 0 ? "" : std::to_string(operations);
    if (csv_)
      fmt::print("\"{}\",{},{},{},{:.3f},{:.3f},{:.2f}\n", call, length, own_stream ? "own" : "default", count, ours,
                 bare, ours / bare);
    else
      fmt::print("{:34} {:>8} {:12} {:>10} {:>7.2f} {:>7.2f} {:>6.2f}\n", call, length, own_stream ? "own" : "default",
                 count, ours, bare, ours / bare);
    std::fflush(stdout);
  }

  std::shared_ptr<Machine> device_;
  bool csv_;
  Stream stream_;
};

}  // namespace ffc::examples

// A whole training step as models run it: the filter's transform, the convolution, and its gradients.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <ffc/ffc.hpp>
#include <string>
#include <vector>

#include "bench_graph.hpp"
#include "bench_table.hpp"
#include "bench_tensors.hpp"
#include "bench_time.hpp"
#include "gradient_reference.hpp"

namespace ffc::examples {

/// Rows of a line of the table: B x H of L samples, as many taps.
struct StepShape {
  std::int64_t length = 0;
  int batch = 0, channels = 0;
};

/// Milliseconds of the parts of a step.
struct StepParts {
  double filter = 0;  ///< spectra for both passes
  double forward = 0, backward = 0;
  [[nodiscard]] double sum() const { return filter + forward + backward; }
};

struct StepResult {
  StepParts times;               ///< each alone
  StepParts floors;              ///< of copies that read and write what the part reads and writes, each once
  double step = 0;               ///< all, one after the other
  double graph = 0;              ///< the same as one graph
  double call_microseconds = 0;  ///< the CPU's time in the calls of a step
  double y_error = 0, rows_error = 0, dk_error = 0;  ///< of channel 0
  std::size_t spectrum_bytes = 0, workspace_bytes = 0, tensor_bytes = 0;
  bool one_spectrum = false;  ///< both passes read the same
};

/// One shape, causal, with gradients of rows, gates and filter.
class StepCase {
 public:
  StepCase(std::shared_ptr<Machine> device, const Pattern& pattern, const StepShape& shape, Gating gating,
           DataType dtype, Scaling scaling)
      : device_(std::move(device)),
        pattern_(pattern),
        shape_(shape),
        forward_(get_kernel(config_of(shape, gating, dtype, scaling, Pass::forward), device_->device())),
        backward_(get_kernel(config_of(shape, gating, dtype, scaling, Pass::backward), device_->device())),
        tensors_(device_, pattern, dtype, shape.batch, shape.channels, static_cast<std::size_t>(shape.length),
                 names(gating, {"u", "dy"}, {"w", "v"}), names(gating, {"y", "du"}, {"dw", "dv"})),
        k_(pattern.scaled_taps(taps_count(), tap_scale())),
        dk_(device_, taps_count() * sizeof(float)),
        spectra_{Buffer(device_, forward_->spectrum_bytes(shape.channels)),
                 one_spectrum() ? Buffer() : Buffer(device_, backward_->spectrum_bytes(shape.channels))} {
    const std::size_t workspace =
        std::max({forward_->workspace_bytes(shape.channels, shape.batch),
                  forward_->filter_workspace_bytes(shape.channels), backward_->filter_workspace_bytes(shape.channels),
                  backward_->backward_workspace_bytes(shape.batch, shape.channels)});
    if (workspace != 0) workspace_ = Buffer(device_, workspace);
    if (forward_->generated().magnitudes && backward_->generated().magnitudes &&
        backward_->takes(forward_->magnitudes_in(nullptr, shape.batch)))
      magnitudes_ = Buffer(
          device_, static_cast<std::size_t>(forward_->magnitudes_count(shape.channels, shape.batch)) * sizeof(float));
  }

  StepResult run() {
    StepResult result;
    tensors_.poison();
    dk_.poison();
    step(0, nullptr);
    device_->synchronize();
    check(result);
    describe(result);
    result.times = {time([&](int) { filter(nullptr); }), time([&](int i) { forward(i, nullptr); }),
                    time([&](int i) { backward(i, nullptr); })};
    result.step = time([&](int i) { step(i, nullptr); });
    if (device_->is_host()) return result;
    std::vector<std::unique_ptr<Graph>> graphs;
    graphs.reserve(4);
    for (int turn = 0; turn < 4; ++turn)
      graphs.push_back(std::make_unique<Graph>(device_, [&](CUstream stream) { step(turn, stream); }));
    result.graph = time([&](int i) { graphs[static_cast<std::size_t>(i) % 4]->launch(nullptr); });
    // Behind them: a device that has been busy for long has lower clocks.
    result.call_microseconds = median_call_microseconds(device_, [&](int i) { step(i, nullptr); });
    const std::size_t taps = taps_count() * sizeof(float), tensor = tensors_.tensor_bytes();
    const std::size_t gates = tensors_.has("w") ? 2 : 0;
    result.floors = {copy(taps + result.spectrum_bytes), copy((2 + gates) * tensor),
                     copy((3 + 2 * gates) * tensor + taps)};
    return result;
  }

 private:
  static ConvConfig config_of(const StepShape& shape, Gating gating, DataType dtype, Scaling scaling, Pass pass) {
    ConvConfig config;
    config.padding = Padding::causal;
    config.length = shape.length;
    config.gating = gating;
    config.dtype = dtype;
    config.scaling = scaling;
    config.batch = shape.batch;
    config.pass = pass;
    if (pass == Pass::backward) config.gradients = parse_gradients(gating == Gating::none ? "du,dk" : "du,dw,dv,dk");
    return config;
  }

  static std::vector<std::string_view> names(Gating gating, std::vector<std::string_view> always,
                                             const std::vector<std::string_view>& gates) {
    if (gating != Gating::none) always.insert(always.end(), gates.begin(), gates.end());
    return always;
  }

  [[nodiscard]] std::size_t taps_count() const {
    return static_cast<std::size_t>(shape_.channels) * static_cast<std::size_t>(shape_.length);
  }
  [[nodiscard]] float tap_scale() const {
    return static_cast<float>(1 / std::sqrt(static_cast<double>(shape_.length)));
  }
  [[nodiscard]] bool one_spectrum() const {
    return forward_->generated().spectrum_tag == backward_->generated().spectrum_tag;
  }
  [[nodiscard]] Workspace workspace() const { return {workspace_.data(), workspace_.bytes()}; }
  [[nodiscard]] SpectrumView spectrum_of(const Kernel& kernel) const {
    const Buffer& memory = &kernel == backward_.get() && !one_spectrum() ? spectra_[1] : spectra_[0];
    return kernel.view_spectrum({memory.data(), memory.bytes()}, shape_.channels);
  }

  void filter(CUstream stream) const {
    const FilterView taps = {k_.at<float>(0), nullptr, shape_.length, shape_.channels};
    forward_->prepare_filter_into(taps, {spectra_[0].data(), spectra_[0].bytes()}, workspace(), stream);
    if (!one_spectrum())
      backward_->prepare_filter_into(taps, {spectra_[1].data(), spectra_[1].bytes()}, workspace(), stream);
  }

  void forward(int turn, CUstream stream) const {
    const auto i = static_cast<std::size_t>(turn);
    LaunchArguments arguments;
    arguments.u = tensors_.view<TensorView>(i, "u");
    arguments.w = tensors_.view<TensorView>(i, "w");
    arguments.v = tensors_.view<TensorView>(i, "v");
    arguments.y = tensors_.view<MutableTensorView>(i, "y");
    arguments.spectrum = spectrum_of(*forward_);
    arguments.batch = shape_.batch;
    arguments.channels = shape_.channels;
    if (forward_->workspace_bytes(shape_.channels, shape_.batch) != 0) arguments.workspace = workspace();
    arguments.found_magnitudes = static_cast<float*>(magnitudes_.data());
    forward_->launch(arguments, stream);
  }

  void backward(int turn, CUstream stream) const {
    BackwardArguments arguments = tensors_.backward_arguments(static_cast<std::size_t>(turn));
    arguments.dk = dk_.at<float>(0);
    arguments.spectrum = spectrum_of(*backward_);
    arguments.workspace = workspace();
    if (magnitudes_.bytes() != 0)
      arguments.input_magnitudes = forward_->magnitudes_in(magnitudes_.at<float>(0), shape_.batch);
    backward_->launch_backward(arguments, stream);
  }

  void step(int turn, CUstream stream) const {
    filter(stream);
    forward(turn, stream);
    backward(turn, stream);
  }

  [[nodiscard]] double time(const std::function<void(int)>& run) const {
    const bool slow = tensors_.set_bytes() > std::size_t{1} << 30;
    return median_milliseconds(device_,
                               device_->is_host() ? Repeats{0, 1, 1}
                               : slow             ? Repeats{1, 2, 5}
                                                  : Repeats{},
                               run);
  }

  // A copy that reads and writes that many bytes together.
  [[nodiscard]] double copy(std::size_t bytes) const {
    const std::size_t wanted = bytes / 2;
    const std::size_t half = std::min(wanted, tensors_.set_bytes() / 2) / 256 * 256;
    const double milliseconds = time([&](int i) {
      const Buffer& set = tensors_.set(static_cast<std::size_t>(i));
      device_->api().check(device_->api().memcpy_dtod_async(reinterpret_cast<DeviceAddress>(set.at<char>(half)),
                                                            reinterpret_cast<DeviceAddress>(set.data()), half, nullptr),
                           "cuMemcpyDtoDAsync");
    });
    return milliseconds * static_cast<double>(wanted) / static_cast<double>(half);
  }

  void describe(StepResult& result) const {
    result.one_spectrum = one_spectrum();
    result.spectrum_bytes = spectra_[0].bytes() + spectra_[1].bytes();
    result.workspace_bytes = workspace_.bytes();
    result.tensor_bytes = tensors_.set_bytes() + k_.bytes() + dk_.bytes();
  }

  // All rows of channel 0, which dk is the sum over.
  void check(StepResult& result) const {
    const auto length = static_cast<std::size_t>(shape_.length);
    std::vector<float> k(length);
    for (std::size_t i = 0; i < length; ++i) k[i] = pattern_.tap(i) * tap_scale();
    ReferenceGradients reference(k, length, 2 * length);
    RelativeError y_error, rows_error, dk_error;
    for (int b = 0; b < shape_.batch; ++b) {
      const auto input = [&](std::string_view name) { return tensors_.input_row(name, b, 0); };
      const std::vector<double> u = input("u"), w = input("w"), v = input("v"), dy = input("dy");
      const auto exact = reference.add(gated(u, w), gated(dy, v));
      y_error.add(tensors_.output_row("y", b, 0), gated(exact.convolved, v));
      rows_error.add(tensors_.output_row("du", b, 0), gated(exact.correlated, w));
      if (!tensors_.has("dw")) continue;
      rows_error.add(tensors_.output_row("dw", b, 0), gated(exact.correlated, u));
      rows_error.add(tensors_.output_row("dv", b, 0), gated(exact.convolved, dy));
    }
    const std::vector<float> dk = dk_.download<float>(0, length);
    dk_error.add(std::vector<double>(dk.begin(), dk.end()), reference.dk());
    result.y_error = y_error.value();
    result.rows_error = rows_error.value();
    result.dk_error = dk_error.value();
  }

  std::shared_ptr<Machine> device_;
  const Pattern& pattern_;
  StepShape shape_;
  std::shared_ptr<const Kernel> forward_, backward_;
  TensorSets tensors_;
  Buffer k_, dk_;
  Buffer spectra_[2];  ///< the second only where the passes read different ones
  Buffer workspace_;
  Buffer magnitudes_;  ///< of u . w, which the launch forward finds for both
};

inline void print_step_heading(bool csv) {
  if (csv)
    fmt::print(
        "length,batch,channels,gating,dtype,filter_ms,forward_ms,backward_ms,step_ms,graph_ms,filter_floor_ms,"
        "forward_floor_ms,backward_floor_ms,ratio,call_us,y_err,rows_err,dk_err,spectra,spectrum_bytes,"
        "workspace_bytes,tensor_bytes\n");
  else
    fmt::print("{:>8} {:>8} {:5} {:5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>6} {:>8} {:>8} {:>8} {:>2} {:>9}\n",
               "L", "B x H", "gates", "dtype", "filter", "forward", "backward", "step ms", "graph ms", "floor ms",
               "ratio", "calls", "y err", "rows err", "dk err", "S", "MB beside");
}

inline void print_step(bool csv, const StepShape& shape, Gating gating, DataType dtype, const StepResult& r) {
  const double ratio = r.floors.sum() > 0 ? r.graph / r.floors.sum() : 0;
  if (csv)
    fmt::print(
        "{},{},{},{},{},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.5f},{:.3f},{:.1f},{:.3e},{:.3e},{:.3e},"
        "{},{},{},{}\n",
        shape.length, shape.batch, shape.channels, to_string(gating), to_string(dtype), r.times.filter, r.times.forward,
        r.times.backward, r.step, r.graph, r.floors.filter, r.floors.forward, r.floors.backward, ratio,
        r.call_microseconds, r.y_error, r.rows_error, r.dk_error, r.one_spectrum ? 1 : 2, r.spectrum_bytes,
        r.workspace_bytes, r.tensor_bytes);
  else
    fmt::print(
        "{:>8} {:>8} {:5} {:5} {:>8.4f} {:>8.4f} {:>8.4f} {:>8.4f} {:>8.4f} {:>8.4f} {:>6.2f} {:>6.1f} {:>8.1e} "
        "{:>8.1e} {:>8.1e} {:>2} {:>9.1f}\n",
        shape.length, fmt::format("{} x {}", shape.batch, shape.channels), to_string(gating), to_string(dtype),
        r.times.filter, r.times.forward, r.times.backward, r.step, r.graph, r.floors.sum(), ratio, r.call_microseconds,
        r.y_error, r.rows_error, r.dk_error, r.one_spectrum ? 1 : 2, megabytes(r.spectrum_bytes + r.workspace_bytes));
  std::fflush(stdout);
}

/// Says on stderr what is beyond the bounds of runtime/README.md.
inline bool passes(const StepShape& shape, DataType dtype, const StepResult& r) {
  const bool half = dtype == DataType::fp16;
  // Rows of gradients of a long transform in fp16 have the bound of long rows.
  // Bounds are of the mean over many rows, of which one or two scatter by up to 4%.
  const double scatter = shape.batch <= 2 ? 1.04 : 1;
  const bool accurate = r.y_error <= scatter * promised_error(dtype, 2 * shape.length) &&
                        r.rows_error <= (half ? 1.5e-3 : 4e-3) && r.dk_error <= (half ? 2e-3 : 5e-3);
  if (!accurate)
    fmt::print(stderr, "bench: L = {}: errors {:.2e} of y, {:.2e} of gradients of rows, {:.2e} of dk\n", shape.length,
               r.y_error, r.rows_error, r.dk_error);
  return accurate;
}

/// The shapes of the table: batches of 64 as far as memory holds them, and of 8 up to one block.
[[nodiscard]] inline std::vector<StepShape> step_shapes() {
  std::vector<StepShape> shapes;
  for (const std::int64_t length : {1024, 4096, 8192, 16384, 32768}) shapes.push_back({length, 64, 768});
  shapes.insert(shapes.end(), {{65536, 32, 768}, {262144, 8, 768}, {1048576, 2, 768}, {4194304, 1, 384}});
  for (const std::int64_t length : {1024, 4096, 8192, 16384, 32768}) shapes.push_back({length, 8, 768});
  return shapes;
}

/// Other shapes: few rows, few channels, and numbers of channels that are no multiple of what a device holds.
[[nodiscard]] inline std::vector<StepShape> width_shapes() {
  std::vector<StepShape> shapes;
  for (const std::int64_t length : {1024, 4096, 8192, 16384, 32768, 65536}) {
    for (const int batch : {1, 2, 4}) shapes.push_back({length, batch, 768});
    shapes.insert(shapes.end(), {{length, 4, 64}, {length, 8, 96}, {length, 16, 200}});
  }
  return shapes;
}

}  // namespace ffc::examples

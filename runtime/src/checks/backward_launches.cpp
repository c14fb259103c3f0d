// Checks, sizes and arguments of backward launches.
#include "backward_launches.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "launch_check_parts.hpp"
#include "magnitude_launches.hpp"
#include "memory_overlap.hpp"
#include "report_launches.hpp"
#include "split_backward_launches.hpp"

namespace ffc {
namespace {

constexpr std::size_t most_workspace = 256 << 20;  // as prepare_filter takes

void check_output(const Generated& generated, const char* name, const MutableTensorView& rows, bool wanted,
                  const LaunchShape& shape) {
  const Rows named{name, rows.data, rows.batch_stride, rows.channel_stride};
  if (!wanted) {
    if (rows.data == nullptr) return;
    refuse(generated, "{}.data is {} but the kernel has no such gradient (gradients {}); it must be null", name,
           rows.data, to_string(generated.config.gradients));
  }
  check_rows(generated, named, shape);
  check_output_rows(generated, named, shape);
}

void check_sums(const Generated& generated, const char* name, const float* sums, bool wanted) {
  if (!wanted && sums != nullptr)
    refuse(generated, "{} is {} but the kernel has no such gradient (gradients {}); it must be null", name,
           static_cast<const void*>(sums), to_string(generated.config.gradients));
  if (wanted && sums == nullptr) refuse(generated, "{} is null; it must point to device memory", name);
  if (reinterpret_cast<std::uintptr_t>(sums) % float_bytes != 0)
    refuse(generated, "{} is {}; its address must be a multiple of {} bytes", name, static_cast<const void*>(sums),
           float_bytes);
}

void check_input(const Generated& generated, const char* name, const TensorView& rows, bool needed,
                 const LaunchShape& shape) {
  if (needed) check_rows(generated, {name, rows.data, rows.batch_stride, rows.channel_stride}, shape);
}

void check_gate_input(const Generated& generated, const char* name, const TensorView& gate, bool exists, bool needed,
                      const LaunchShape& shape) {
  if (!exists || needed) check_gate(generated, name, gate, exists, shape);
}

}  // namespace

std::int64_t dk_stride(const ConvConfig& config, const BackwardArguments& arguments) {
  return arguments.dk_channel_stride != 0 ? arguments.dk_channel_stride : config.filter_length;
}

namespace {

std::vector<NamedMemory> written(const ConvConfig& config, const BackwardArguments& arguments,
                                 const LaunchShape& shape) {
  std::vector<NamedMemory> all = {rows_of("du.data", arguments.du, shape, config.length),
                                  rows_of("dw.data", arguments.dw, shape, config.length),
                                  rows_of("dv.data", arguments.dv, shape, config.length)};
  all.push_back(bytes_of("dk", arguments.dk, float_bytes * static_cast<std::size_t>(config.filter_length)));
  all.back().rows.outer_count = shape.channels;
  all.back().rows.outer_stride = float_bytes * dk_stride(config, arguments);
  all.push_back(bytes_of("dd", arguments.dd, float_bytes * static_cast<std::size_t>(shape.channels)));
  all.push_back(bytes_of("workspace.data", arguments.workspace.data, arguments.workspace.bytes));
  all.push_back(report_memory(arguments.report, shape));
  std::erase_if(all, [](const NamedMemory& tensor) { return tensor.data == nullptr; });
  return all;
}

std::vector<NamedMemory> read(const ConvConfig& config, const BackwardArguments& arguments, const LaunchShape& shape) {
  const BackwardInputs inputs = inputs_of(config);
  std::vector<NamedMemory> all = {rows_of("dy.data", arguments.dy, shape, config.length)};
  if (inputs.u) all.push_back(rows_of("u.data", arguments.u, shape, config.length));
  if (inputs.w) all.push_back(rows_of("w.data", arguments.w, shape, config.length));
  if (inputs.v) all.push_back(rows_of("v.data", arguments.v, shape, config.length));
  all.push_back(magnitudes_of("input_magnitudes", arguments.input_magnitudes, shape));
  all.push_back(magnitudes_of("gradient_magnitudes", arguments.gradient_magnitudes, shape));
  all.push_back(bytes_of("the spectrum", arguments.spectrum.data(), arguments.spectrum.bytes()));
  return all;
}

// Blocks read rows again after others have written theirs.
void check_all_apart(const Generated& generated, const BackwardArguments& arguments, const LaunchShape& shape) {
  const std::vector<NamedMemory> outputs = written(generated.config, arguments, shape);
  const std::vector<NamedMemory> inputs = read(generated.config, arguments, shape);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedMemory& input : inputs) check_apart(generated, outputs[i], input);
    for (std::size_t j = 0; j < i; ++j) check_apart(generated, outputs[i], outputs[j]);
  }
}

}  // namespace

BackwardInputs inputs_of(const ConvConfig& config) {
  const Gradients& wanted = config.gradients;
  const bool sums = wanted.k || wanted.d;
  return {.u = sums || wanted.v || wanted.w,
          .w = has_in_gate(config.gating) && (sums || wanted.v || wanted.u),
          .v = has_out_gate(config.gating) && (sums || wanted.u || wanted.w)};
}

void check_backward(const Generated& generated, int device, const BackwardArguments& arguments) {
  if (!generated.backward) refuse(generated, "the kernel computes no gradients; launch runs it");
  const LaunchShape shape{arguments.batch, arguments.channels};
  check_shape(generated, shape);
  check_pairs(generated, shape);
  const ConvConfig& config = generated.config;
  const Gradients& wanted = config.gradients;
  const BackwardInputs inputs = inputs_of(config);
  check_input(generated, "dy", arguments.dy, true, shape);
  check_input(generated, "u", arguments.u, inputs.u, shape);
  check_gate_input(generated, "w", arguments.w, has_in_gate(config.gating), inputs.w, shape);
  check_gate_input(generated, "v", arguments.v, has_out_gate(config.gating), inputs.v, shape);
  check_output(generated, "du", arguments.du, wanted.u, shape);
  check_output(generated, "dw", arguments.dw, wanted.w, shape);
  check_output(generated, "dv", arguments.dv, wanted.v, shape);
  check_sums(generated, "dk", arguments.dk, wanted.k);
  check_sums(generated, "dd", arguments.dd, wanted.d);
  if (wanted.k && arguments.dk_channel_stride != 0 && arguments.dk_channel_stride < config.filter_length)
    refuse(generated, "dk_channel_stride is {}; it must be 0 (meaning {}) or at least the filter length {}",
           arguments.dk_channel_stride, config.filter_length, config.filter_length);
  if (wanted.k)
    check_span(generated, {"dk", arguments.dk, 0, dk_stride(config, arguments)}, {1, arguments.channels},
               config.filter_length, float_bytes);
  if (wanted.u || wanted.w || wanted.v) check_spectrum(generated, device, arguments.spectrum, shape);
  check_magnitudes(generated, "input_magnitudes", arguments.input_magnitudes, shape);
  check_magnitudes(generated, "gradient_magnitudes", arguments.gradient_magnitudes, shape);
  check_report(generated, arguments.report, shape);
  check_workspace(generated, arguments.workspace,
                  magnitude_bytes(generated, arguments.batch, arguments.channels) +
                      (generated.split ? SplitBackwardSizes(generated, arguments.batch).least()
                                       : BackwardSizes(generated, arguments.batch, arguments.channels, 1).bytes(1)));
  check_all_apart(generated, arguments, shape);
}

std::size_t BackwardSizes::bytes(int channels) const {
  const std::size_t inverse =
      static_cast<std::size_t>(launch_.inverse_bytes) * static_cast<std::size_t>(inverse_places(launch_, channels));
  return sums(channels) + parked(channels) + (makes_taps() ? 0 : inverse);
}

int BackwardSizes::channels_of(std::size_t bytes, int at_most) const {
  int low = 0, high = at_most;
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (this->bytes(middle) <= bytes)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

int chunk_of(const Generated& generated, int batch, int channels, int resident_blocks) {
  const BackwardSizes sizes(generated, batch, channels, resident_blocks);
  const int most = std::max(1, sizes.channels_of(most_workspace, channels));
  if (most >= channels) return channels;
  // Blocks of a chunk that come out in whole waves leave no multiprocessor idle at its end.
  const int cluster = generated.conv.cluster;
  const int wave = std::max(1, resident_blocks / (sizes.slices() * cluster)) * cluster;
  return most > wave ? most / wave * wave : most;
}

RowMagnitudes magnitudes_from(const RowMagnitudes& magnitudes, std::int64_t first) {
  if (magnitudes.data == nullptr) return {};
  return {magnitudes.data + first * magnitudes.channel_stride, magnitudes.channel_stride, magnitudes.row_stride};
}

GradientArguments gradient_arguments(const Generated& generated, const BackwardArguments& arguments, const void* tables,
                                     int first, int channels) {
  const BackwardInputs inputs = inputs_of(generated.config);
  GradientArguments values;
  // The stride of an axis of one element may be anything, so it is not passed on.
  const std::int64_t per_batch = arguments.batch > 1 ? 1 : 0, per_channel = arguments.channels > 1 ? 1 : 0;
  const auto put = [&](auto& data, std::int64_t& batch_stride, std::int64_t& channel_stride, const auto& view,
                       bool needed) {
    if (!needed) return;
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
    batch_stride = per_batch * view.batch_stride;
    channel_stride = per_channel * view.channel_stride;
    data = static_cast<Byte*>(view.data) + 2 * first * channel_stride;
  };
  const Gradients& wanted = generated.config.gradients;
  put(values.u, values.u_batch_stride, values.u_channel_stride, arguments.u, inputs.u);
  put(values.w, values.w_batch_stride, values.w_channel_stride, arguments.w, inputs.w);
  put(values.v, values.v_batch_stride, values.v_channel_stride, arguments.v, inputs.v);
  put(values.dy, values.dy_batch_stride, values.dy_channel_stride, arguments.dy, true);
  put(values.du, values.du_batch_stride, values.du_channel_stride, arguments.du, wanted.u);
  put(values.dw, values.dw_batch_stride, values.dw_channel_stride, arguments.dw, wanted.w);
  put(values.dv, values.dv_batch_stride, values.dv_channel_stride, arguments.dv, wanted.v);
  if (arguments.spectrum)
    values.spectrum = static_cast<const char*>(arguments.spectrum.data()) + first * generated.spectrum_row_bytes;
  values.tables = tables;
  values.batch = arguments.batch;
  values.channels = channels;
  values.input_magnitudes = magnitudes_from(arguments.input_magnitudes, first);
  values.gradient_magnitudes = magnitudes_from(arguments.gradient_magnitudes, first);
  return values;
}

BackwardChunk backward_chunk(const Generated& generated, const BackwardArguments& arguments, const BackwardPlace& place,
                             const BackwardSizes& sizes, int first, int channels) {
  const BackwardLaunch& launch = *generated.backward;
  BackwardChunk chunk;
  GradientArguments& values = chunk.gradients;
  values = gradient_arguments(generated, arguments, place.tables, first, channels);
  chunk.report = report_from(arguments.report, first);
  char* const workspace = static_cast<char*>(place.workspace.data);
  values.sums = workspace;
  if (launch.parked_bytes > 0) values.parked = workspace + sizes.sums(channels);
  const auto pairs = static_cast<unsigned>(launch.pairs(arguments.batch));
  const bool fixed = launch.sums_bytes > 0 || launch.parked_bytes > 0;
  values.pairs_per_slice =
      fixed ? sizes.pairs_per_slice() : static_cast<std::int32_t>((pairs + place.slices - 1) / place.slices);
  chunk.grid = {static_cast<unsigned>(sizes.blocks(channels)),
                fixed ? static_cast<unsigned>(sizes.slices()) : place.slices, 1};
  if (launch.sums_bytes == 0) return chunk;
  if (sizes.makes_taps()) {
    values.makes_taps = 1;
    put_taps(values, generated.config, arguments, first);
    return chunk;
  }
  FilterGradientArguments& filter = chunk.filter.emplace();
  filter.sums = values.sums;
  put_taps(filter, generated.config, arguments, first);
  if (launch.inverse_bytes > 0) filter.workspace = workspace + sizes.sums(channels) + sizes.parked(channels);
  filter.tables = place.filter_tables;
  filter.channels = channels;
  filter.slices = sizes.slices();
  filter.input_magnitudes = values.input_magnitudes;
  filter.gradient_magnitudes = values.gradient_magnitudes;
  return chunk;
}

FilterGradientArguments of_channels(const BackwardLaunch& launch, const FilterGradientArguments& filter, int first,
                                    int channels) {
  FilterGradientArguments some = filter;
  some.sums = static_cast<char*>(filter.sums) + launch.sums_bytes * filter.slices * first;
  if (filter.dk != nullptr) some.dk = filter.dk + first * filter.dk_channel_stride;
  if (filter.dd != nullptr) some.dd = filter.dd + first;
  some.input_magnitudes = magnitudes_from(filter.input_magnitudes, first);
  some.gradient_magnitudes = magnitudes_from(filter.gradient_magnitudes, first);
  some.channels = channels;
  return some;
}

LongFilterGradientArguments in_step(const FilterGradientArguments& filter, int step) {
  LongFilterGradientArguments values;
  values.sums = filter.sums;
  values.dk = filter.dk;
  values.dd = filter.dd;
  values.workspace = filter.workspace;
  values.dk_channel_stride = filter.dk_channel_stride;
  values.channels = filter.channels;
  values.slices = filter.slices;
  values.step = step;
  values.input_magnitudes = filter.input_magnitudes;
  values.gradient_magnitudes = filter.gradient_magnitudes;
  return values;
}

}  // namespace ffc

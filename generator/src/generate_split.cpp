// The kernels of a split plan together, and what a launch of them does.
#include <fmt/format.h>

#include <algorithm>

#include "emit.hpp"
#include "split_plan.hpp"

namespace ffc {

Generated generate_split(const ConvConfig& config, const Plan& plan) {
  EmittedConv rows = emit_tiled(row_config(config, plan), *plan.row_plan);
  SplitColumns columns;
  columns.length = plan.columns.length();
  columns.row_length = plan.row_plan->transform_length;
  columns.spectrum_rows = columns.length / 2 + 1;
  columns.blocks = static_cast<int>(columns.row_length / plan.columns.columns());

  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  EmittedColumns emitted = emit_columns(config, plan);
  columns.forward = std::move(emitted.forward);
  columns.inverse = std::move(emitted.inverse);
  columns.turn = std::move(emitted.turn);
  rows.spectrum.gain *= emitted.gain;
  rows.spectrum.output_exponent = -config.input_exponent;
  rows.spectrum.fp16_scale = config.dtype == DataType::fp16;
  place_taps(rows.spectrum, config, plan.transform_length);
  result.conv = std::move(rows.kernel);
  put_long_filter(result, rows.spectrum, plan.transform_length, columns.length, config.arch);
  result.spectrum_tag = spectrum_tag(result.filter);
  result.columns = std::move(columns);
  result.blocks_per_sm = plan.row_plan->geometry.blocks_per_sm;
  result.groups_per_block = plan.row_plan->geometry.groups;
  return result;
}

std::vector<Chunk> make_chunks(int batch, int channels, std::int64_t most_pairs) {
  const std::int64_t pairs = (static_cast<std::int64_t>(batch) + 1) / 2;
  std::vector<Chunk> chunks;
  // Whole channels where several fit, else slices of one; all chunks about as large.
  if (pairs <= most_pairs) {
    const std::int64_t at_once = std::min<std::int64_t>(most_pairs / pairs, channels);
    const std::int64_t count = (channels + at_once - 1) / at_once;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto first = static_cast<int>(i * channels / count), end = static_cast<int>((i + 1) * channels / count);
      chunks.push_back({first, end - first, 0, batch});
    }
    return chunks;
  }
  const std::int64_t count = (pairs + most_pairs - 1) / most_pairs;
  for (int channel = 0; channel < channels; ++channel)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto first = static_cast<int>(2 * (i * pairs / count));
      const auto end = static_cast<int>(std::min<std::int64_t>(2 * ((i + 1) * pairs / count), batch));
      chunks.push_back({channel, 1, first, end - first});
    }
  return chunks;
}

namespace {

// The first row of a chunk in one of the tensors (16-bit elements); null stays null.
template <class Pointer>
Pointer first_of(Pointer data, std::int64_t batch_stride, std::int64_t channel_stride, const Chunk& chunk) {
  if (data == nullptr) return nullptr;
  using Byte = std::conditional_t<std::is_same_v<Pointer, void*>, unsigned char, const unsigned char>;
  return static_cast<Byte*>(data) + 2 * (chunk.first_row * batch_stride + chunk.first_channel * channel_stride);
}

}  // namespace

ChunkArguments chunk_arguments(const Generated& generated, const ConvArguments& whole, const Chunk& chunk,
                               void* workspace) {
  ConvArguments part = whole;
  part.batch = chunk.rows;
  part.channels = chunk.channels;
  part.spectrum =
      static_cast<const unsigned char*>(whole.spectrum) + chunk.first_channel * generated.spectrum_row_bytes;
  part.u = first_of(whole.u, whole.u_batch_stride, whole.u_channel_stride, chunk);
  part.w = first_of(whole.w, whole.w_batch_stride, whole.w_channel_stride, chunk);
  part.v = first_of(whole.v, whole.v_batch_stride, whole.v_channel_stride, chunk);
  part.y = first_of(whole.y, whole.y_batch_stride, whole.y_channel_stride, chunk);
  ChunkArguments result = {part, part, part};
  result.forward.y = result.rows.y = workspace;
  result.rows.u = result.inverse.u = workspace;
  return result;
}

LaunchGrid column_grid(const Generated& generated, std::int64_t pairs) {
  return {static_cast<unsigned>(generated.columns->blocks), static_cast<unsigned>(pairs), 1};
}

LaunchGrid row_grid(const Generated& generated, const Chunk& chunk, int multiprocessors) {
  const std::int64_t columns = std::int64_t{chunk.channels} * generated.columns->spectrum_rows;
  return {static_cast<unsigned>(columns), batch_slices(generated, chunk.rows, columns, multiprocessors), 1};
}

}  // namespace ffc

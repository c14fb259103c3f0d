// Text of the copies of backward kernels that is the same for whole rows and for columns.
#include "gradient_copies.hpp"

#include <fmt/format.h>

#include "row_source.hpp"
#include "text.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"

namespace ffc {

void ChunkBatches::open() {
  if (loops_.batches.empty()) return;
  out_.line("#pragma unroll 1");
  out_.open(loops_.batches);
}

void ChunkBatches::close() {
  if (!loops_.batches.empty()) out_.close();
}

void ChunkBatches::open_chunks(bool with_sample) {
  const bool counts_on = loops_.begin != "0";
  open_loop(out_, "i", loops_.begin,
            counts_on ? fmt::format("{} + {}", loops_.begin, loops_.at_once) : std::to_string(loops_.at_once));
  loops_.place(out_);
  if (with_sample) out_.line(loops_.sample);
}

std::string ChunkBatches::of_chunk(std::string_view name) const {
  return loops_.begin == "0" ? fmt::format("{}[i]", name) : fmt::format("{}[i - {}]", name, loops_.begin);
}

std::string factors_name(std::string_view factor) { return fmt::format("{}_factors", factor); }

void emit_factors(TextWriter& out, ChunkBatches& batches, const std::vector<std::string_view>& factors,
                  const ChunkAccess& chunks) {
  if (factors.empty()) return;
  for (const std::string_view factor : factors) out.line(fmt::format("uint4 {};", batches.array(factors_name(factor))));
  batches.open_chunks(true);
  for (const std::string_view factor : factors)
    out.line(fmt::format("{} = {};", batches.of_chunk(factors_name(factor)),
                         read_chunk(chunks, factor, chunks.live, {.lines = true})));
  out.close();
}

void emit_load_converted(TextWriter& out, ChunkBatches& batches, const ConvConfig& config, const RowAccess& access,
                         std::string_view field, const std::function<bool(std::string_view)>& is_kept,
                         std::string_view to) {
  const auto& [rows, gates, scale] = access.source;
  const ChunkAccess& chunks = access.loaded;
  const bool gated = !gates.empty(), delayed = !chunks.gone.empty();
  const std::string value = batches.of_chunk("values"), gate = gated ? batches.of_chunk("gates") : std::string();
  const std::string live = fmt::format("const int live = {};", chunks.live);
  const auto read = [&](std::string_view name) {
    return read_chunk(chunks, name, "live", {.kept = is_kept(name), .lines = true});
  };
  batches.open();
  out.line(fmt::format("uint4 {}{};", batches.array("values"), gated ? ", " + batches.array("gates") : ""));
  batches.open_chunks(true);
  out.line(live);
  out.line(fmt::format("{} = {};", value, read(rows)));
  if (gated) out.line(fmt::format("{} = {};", gate, read(gates)));
  out.close();
  batches.open_chunks(delayed);
  if (delayed) out.line(live);
  emit_existing(out, chunks, {value, gate}, "live");
  emit_read_chunk(out, config, access.source, field, to, value, gate);
  out.close();
  batches.close();
}

}  // namespace ffc

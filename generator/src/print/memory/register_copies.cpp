// Text of copies through registers in batches.
#include "register_copies.hpp"

#include <fmt/format.h>

#include <utility>

#include "row_source.hpp"
#include "text.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"

namespace ffc {

std::string chunk_array(std::string_view name, int chunks, bool ends_early) {
  return fmt::format("{}[{}]{}", name, chunks, ends_early ? " = {}" : "");
}

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

namespace {

// A batch of the rows and of their gate into arrays, the elements of which it gives.
struct Batch {
  std::string value, gate;
};

Batch read_batch(TextWriter& out, ChunkBatches& batches, const RowAccess& access, const ChunkReads& reads) {
  const RowSource& source = access.source;
  const bool gated = !source.gate.empty();
  Batch batch = {batches.of_chunk("values"), gated ? batches.of_chunk("gates") : std::string()};
  out.line(fmt::format("uint4 {}{};", batches.array("values"), gated ? ", " + batches.array("gates") : ""));
  batches.open_chunks(true);
  reads.live(out);
  out.line(fmt::format("{} = {};", batch.value, reads.read(source.rows)));
  if (gated) out.line(fmt::format("{} = {};", batch.gate, reads.read(source.gate)));
  out.close();
  return batch;
}

}  // namespace

ChunkReads line_reads(const ChunkAccess& chunks, std::string_view sample,
                      std::function<bool(std::string_view)> is_kept) {
  return {
      sample,
      [&chunks](TextWriter& out) { out.line(fmt::format("const int live = {};", chunks.live)); },
      [&chunks, is_kept = std::move(is_kept)](std::string_view name) {
        return read_chunk(chunks, name, "live", {.kept = is_kept(name), .lines = true});
      },
      true,
  };
}

std::string add_largest(const RowAccess& access, std::string_view value, std::string_view gate) {
  return gate.empty() ? fmt::format("largest.add({}, {});", access.magnitude, value)
                      : fmt::format("largest.add_gated({}, {}, {});", access.magnitude, value, gate);
}

void emit_load_converted(TextWriter& out, ChunkBatches& batches, const ConvConfig& config, const RowAccess& access,
                         std::string_view field, const ChunkReads& reads, std::string_view to) {
  const bool drops = reads.lines && !access.loaded.gone.empty();
  batches.open();
  const Batch batch = read_batch(out, batches, access, reads);
  batches.open_chunks(drops);
  if (drops) {
    reads.live(out);
    emit_existing(out, access.loaded, {batch.value, batch.gate}, "live");
  }
  emit_read_chunk(out, config, access.source, field, to, batch.value, batch.gate);
  out.close();
  batches.close();
}

void emit_measured(TextWriter& out, ChunkBatches& batches, const RowAccess& access, const ChunkReads& reads) {
  batches.open();
  const Batch batch = read_batch(out, batches, access, reads);
  batches.open_chunks(false);
  out.line(add_largest(access, batch.value, batch.gate));
  out.close();
  batches.close();
}

}  // namespace ffc

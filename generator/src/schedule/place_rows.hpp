// Rows that do not begin on a line of 16 bytes are delayed until they do, or to a narrower one, as the transform has
// room.
#pragma once

#include <cstdint>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// What becomes of samples that a delay moves behind the last point: there may be none, or they come round, or stand by
/// themselves in the other half of a transform.
enum class Overhang { none, wraps };

/// Says where the samples of a plan's whole rows lie, and by how much they are delayed. `room` points of the transform
/// may hold samples. `chunk_bytes`: what is read at once of rows that begin on as many, and else word by word; 0:
/// nothing is. (generator/README.md, "Rows at any address")
void place_rows(Transform& plan, const ConvConfig& config, std::int64_t room, Overhang overhang = Overhang::none,
                int chunk_bytes = 0);

/// The same of rows in windows, which begin as far ahead as the row is delayed: counts as many as that takes. Not of
/// segments of a stream, whose histories lie elsewhere.
void place_windows(Transform& plan, const ConvConfig& config);

}  // namespace ffc

// What a launch reports, as text: what threads meet, and where it goes.
#pragma once

#include <string_view>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_source.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {

/// What of the samples that come in is met: as stored; times the gate, in fp32; or what the kernel made of both, which
/// is rounded as it rounds that (fp16 without powers of two).
enum class Met { nothing, samples, products, packed };

/// Of rows from such a source.
[[nodiscard]] Met met_of(const ConvConfig& config, const RowSource& source);

/// Declares what a thread has met for that field of a channel's record, by the field's name with "met_" before it.
void emit_met(TextWriter& out, Met met, std::string_view field);
/// The same of results.
void emit_met_results(TextWriter& out, const ConvConfig& config, std::string_view field);

/// Adds the samples `value`, and of products those of `gate`: ahead of what makes them packed, or behind it.
void emit_meet(TextWriter& out, Met met, std::string_view field, std::string_view value, std::string_view gate);
/// Adds the first `live` results of the chunk `value`.
void emit_meet_results(TextWriter& out, const ConvConfig& config, std::string_view field, std::string_view value,
                       std::string_view live);

/// What a warp has met goes to the record of the channel, an expression. All its lanes come here.
void emit_report(TextWriter& out, std::string_view field, std::string_view channel,
                 std::string_view arguments = "arguments");

/// Of kernels whose warps come to a channel again and again. The first declares what a thread has met, by that name,
/// and asks what `record` holds already, a field of a channel's record; the other brings it there where it is larger.
void emit_met_again(TextWriter& out, Met met, std::string_view name, std::string_view record);
void emit_report_again(TextWriter& out, std::string_view name, std::string_view record);
/// A field of the record of a channel, an expression.
[[nodiscard]] std::string record_of(std::string_view channel, std::string_view field,
                                    std::string_view arguments = "arguments");

/// The fields of a tensor's samples, and of results. Those of samples follow each other.
[[nodiscard]] std::string_view samples_field(Tensor tensor);
[[nodiscard]] std::string_view results_field(const Transform& plan);

/// The templates of a report, or none; arguments that hold it.
void put_report(Substitutes& substitutes, const ConvConfig& config);

}  // namespace ffc

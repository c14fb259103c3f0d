#include "columns_text.hpp"

#include <fmt/format.h>

namespace ffc {
namespace {

constexpr double light_rows = 0.3;  // of the work on rows, what a mask leaves where columns take longer

}  // namespace

bool parts_take_turns(const Plan& plan) {
  const ColumnShape& columns = plan.columns;
  return columns.tiles == 1 && plan.rows_of_place() > 1 && columns.registers == 0;
}

bool samples_beside(const ConvConfig& config, const Plan& plan) {
  return plan.quarters && config.gating == Gating::none;
}

int sample_rows(const Plan& plan) {
  const std::int64_t row_length = plan.transform_length / plan.columns.length();
  return static_cast<int>((plan.length + row_length - 1) / row_length);
}

int copied_rows(const Plan& plan) { return 32 * plan.columns.warps / plan.columns.chunks; }

// As measured on an H200: 1 to 4% faster than others, and 7 to 17% with light rows.
CopyPace copy_pace(const Plan& plan) {
  if (plan.columns.rows_share <= light_rows) return {8, plan.columns.registers > 0 ? 4 : 8};
  if (plan.is_backward()) return {2, 1};
  if (plan.rows_of_place() > 1) return {4, 4};
  return {plan.columns.units > 2 ? 1 : 2, 1};
}

void emit_first_sample(TextWriter& out, const Plan& plan) {
  out.line(fmt::format("const int first_sample = thread / tile_chunks * row_length + {}first_column + 8 * chunk;",
                       plan.columns.single_rows ? "part * columns + " : ""));
}

void open_copy_loop(TextWriter& out, const Plan& plan, int rows, std::string_view pace) {
  const int step = copied_rows(plan);
  out.line(fmt::format("#pragma unroll {}", pace));
  out.open(fmt::format("for (int i = 0; i < {}; ++i) {{", (rows + step - 1) / step));
  out.line("const int row = thread / tile_chunks + i * copied_rows;");
  if (rows % step != 0) out.line(fmt::format("if (row >= {}) break;", rows));
  out.line("const int sample = i * copied_rows * row_length;  // from the first one on");
}

std::string live_samples(const Plan& plan, int rows, std::string_view sample) {
  const std::int64_t row_length = plan.transform_length / plan.columns.length();
  return plan.length >= rows * row_length ? "8" : fmt::format("length - {}", sample);
}

}  // namespace ffc

// A thread's words of one row of an item, or of both.
#include "cluster_words.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "report_text.hpp"
#include "row_access.hpp"
#include "text.hpp"
#include "tiled_magnitudes.hpp"

namespace ffc {
namespace {

// One row of an item: where its words are, and how the text calls what it says of them.
struct ItemRow {
  std::string_view name, row, part, prefix;

  [[nodiscard]] std::string called(std::string_view what) const { return fmt::format("{}{}", prefix, what); }
};

std::vector<ItemRow> rows_of(const RowAccess& access) {
  if (!access.planes) return {{"first", access.row, "re", ""}};
  return {{"first", access.row, "re", ""}, {"second", "(2LL * item.index + (lone ? 0 : 1))", "im", "second_"}};
}

bool are_delayed(const RowAccess& access) { return !access.delayed().empty(); }

void emit_item_row(TextWriter& out, const RowAccess& access, const ItemRow& row, std::string_view qualifiers) {
  if (are_delayed(access)) {
    out.line(fmt::format("const int {} = samples_behind_line<{}>(static_cast<const unsigned short*>(arguments.{}) +",
                         row.called("delay"), access.loaded.delay_line, access.delayed()));
    out.line(fmt::format("    {0} * arguments.{1}_batch_stride + item.channel * arguments.{1}_channel_stride);",
                         row.row, access.delayed()));
  }
  out.line(
      fmt::format("{0}unsigned short* const {1} = static_cast<{0}unsigned short*>(rows.data) +", qualifiers, row.name));
  const std::string delay = are_delayed(access) ? " - " + row.called("delay") : "";
  out.line(fmt::format("    {} * rows.batch_stride + item.channel * rows.channel_stride + column{};", row.row, delay));
  if (are_delayed(access))
    out.line(fmt::format("const bool {} = is_on_line<chunk_words>({});", row.called("on_line"), row.name));
}

void open_sample_rows(TextWriter& out, const RowAccess& access) {
  out.unroll().open("for (int row = 0; row < sample_rows; ++row) {");
  out.line("const int sample = row * row_length;");
  if (!are_delayed(access)) {
    out.line(fmt::format("const int live = {};", access.loaded.live));
    return;
  }
  // A delay is less than a row of samples.
  for (const ItemRow& row : rows_of(access)) {
    out.line(fmt::format("const int {} = row > 0 ? 0 : {} - column;", row.called("gone"), row.called("delay")));
    out.line(fmt::format("const int {} = row < whole_rows ? thread_samples : length + {} - sample - column;",
                         row.called("live"), row.called("delay")));
  }
}

// How many samples of a thread's words are not the row's, and how many are with them.
std::string gone_of(const RowAccess& access, const ItemRow& row) {
  return are_delayed(access) ? row.called("gone") : "0";
}
std::string live_of(const RowAccess& access, const ItemRow& row) {
  return are_delayed(access) ? row.called("live") : "live";
}

// Behind the address, what a function that reads or writes words is told.
std::string words_of(const RowAccess& access, const ItemRow& row, std::string_view guard) {
  const std::string live = fmt::format(fmt::runtime(guard), live_of(access, row));
  return are_delayed(access) ? fmt::format("{}, {}, {}", row.called("on_line"), gone_of(access, row), live) : live;
}

}  // namespace

std::string read_words_block(const RowAccess& access) {
  TextWriter out(1);
  const std::string_view way =
      are_delayed(access) ? "read_delayed_words<chunk_words>" : "read_words<alignment, chunk_words>";
  if (!access.planes && !are_delayed(access)) out.line("(void)arguments;");
  if (access.planes) out.line(access.declared);
  for (const ItemRow& row : rows_of(access)) emit_item_row(out, access, row, "const ");
  out.line("Samples x;");
  open_sample_rows(out, access);
  for (const ItemRow& row : rows_of(access))
    out.line(fmt::format("x.{}[row] = {}({} + sample, {});", row.part, way, row.name,
                         words_of(access, row, row.part == "im" ? access.guard : "{}")));
  out.close();
  return out.line("return x;").take();
}

std::string write_words_block(const ConvConfig& config, const RowAccess& access) {
  TextWriter out(1);
  const std::string_view way = are_delayed(access) ? "write_delayed_words" : "write_words<alignment>";
  if (!access.planes && !are_delayed(access) && !reports(config)) out.line("(void)arguments;");
  if (access.planes) out.line(access.declared);
  for (const ItemRow& row : rows_of(access)) emit_item_row(out, access, row, "");
  open_sample_rows(out, access);
  for (const ItemRow& row : rows_of(access)) {
    if (row.part == "im") out.line(access.stored.skipped);
    if (reports(config))
      out.line(fmt::format("meet_words(met_output, x.{}[row], {}, {});", row.part, gone_of(access, row),
                           live_of(access, row)));
    out.line(fmt::format("{}({} + sample, x.{}[row], {});", way, row.name, row.part, words_of(access, row, "{}")));
  }
  out.close();
  return out.take();
}

}  // namespace ffc

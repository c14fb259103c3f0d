// A thread's words of one row of an item, or of both.
#include "cluster_words.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "report_text.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {
namespace {

// The samples of one row of an item: where a thread's are, and how many of them exist.
struct ItemRow {
  std::string_view name, row, delay;
};

std::vector<ItemRow> rows_of(const RowAccess& access) {
  if (!access.planes) return {{"first", access.row, "delay"}};
  return {{"first", access.row, "delay"}, {"second", "(2LL * item + (lone ? 0 : 1))", "second_delay"}};
}

void emit_item_row(TextWriter& out, const RowAccess& access, const ItemRow& row, std::string_view qualifiers) {
  const std::string place = fmt::format("{} * rows.batch_stride + channel * rows.channel_stride", row.row);
  if (!access.delayed().empty()) {
    out.line(fmt::format("const int {} = samples_behind_line<{}>(static_cast<const unsigned short*>(arguments.{}) +",
                         row.delay, access.loaded.delay_line, access.delayed()));
    out.line(fmt::format("    {0} * arguments.{1}_batch_stride + channel * arguments.{1}_channel_stride);", row.row,
                         access.delayed()));
  }
  out.line(
      fmt::format("{0}unsigned short* const {1} = static_cast<{0}unsigned short*>(rows.data) +", qualifiers, row.name));
  const std::string delay = access.delayed().empty() ? std::string() : fmt::format(" - {}", row.delay);
  out.line(fmt::format("    {} + column{};", place, delay));
}

void open_sample_rows(TextWriter& out, const RowAccess& access) {
  out.unroll().open("for (int row = 0; row < sample_rows; ++row) {");
  out.line("const int sample = row * row_length;");
  if (access.delayed().empty()) out.line(fmt::format("const int live = {};", access.loaded.live));
}

// The arguments of a function that reads or writes a row's words, behind the template's first.
std::string ends_of(const RowAccess& access, const ItemRow& row, std::string_view guard) {
  const std::string gone = fmt::format("{} - sample - column", row.delay);
  const std::string live = access.delayed().empty() ? "live" : fmt::format("length + {}", gone);
  const std::string exists = fmt::format(fmt::runtime(guard), live);
  return access.delayed().empty() ? exists : fmt::format("{}, {}", gone, exists);
}

}  // namespace

std::string read_words_block(const RowAccess& access) {
  TextWriter out(1);
  const std::string_view way =
      access.delayed().empty() ? "read_words<alignment, chunk_words>" : "read_delayed_words<chunk_words>";
  if (!access.planes && access.delayed().empty()) out.line("(void)arguments;");
  if (access.planes) out.line(access.declared);
  for (const ItemRow& row : rows_of(access)) emit_item_row(out, access, row, "const ");
  out.line("Samples x;");
  open_sample_rows(out, access);
  for (const ItemRow& row : rows_of(access)) {
    const bool second = row.name == "second";
    out.line(fmt::format("x.{}[row] = {}({} + sample, {});", second ? "im" : "re", way, row.name,
                         ends_of(access, row, second ? access.guard : "{}")));
  }
  out.close();
  return out.line("return x;").take();
}

std::string write_words_block(const ConvConfig& config, const RowAccess& access) {
  TextWriter out(1);
  const std::string_view way = access.delayed().empty() ? "write_words<alignment>" : "write_delayed_words";
  const std::string_view gone = access.delayed().empty() ? "0, " : "";
  if (!access.planes && access.delayed().empty() && !reports(config)) out.line("(void)arguments;");
  if (access.planes) out.line(access.declared);
  for (const ItemRow& row : rows_of(access)) emit_item_row(out, access, row, "");
  open_sample_rows(out, access);
  for (const ItemRow& row : rows_of(access)) {
    const bool second = row.name == "second";
    if (second) out.line(access.stored.skipped);
    const std::string ends = ends_of(access, row, "{}"), words = fmt::format("x.{}[row]", second ? "im" : "re");
    if (reports(config)) out.line(fmt::format("meet_words(met_output, {}, {}{});", words, gone, ends));
    out.line(fmt::format("{}({} + sample, {}, {});", way, row.name, words, ends));
  }
  out.close();
  return out.take();
}

}  // namespace ffc

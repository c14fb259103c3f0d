// The tables of whole training steps, of small batches and of the CPU's time in calls.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compare_data.hpp"
#include "compare_tables.hpp"

namespace ffc::examples {
namespace training_detail {

using tables_detail::error;
using tables_detail::number;
using tables_detail::ratio;
using tables_detail::Table;
using tables_detail::times;

constexpr const char* not_measured = "Not measured yet.\n";

/// NVIDIA's forward and backward of a line's rows, filters included; 0 where one was not measured.
inline double nvidia_step(const Measurements& all, const CsvRow& row, const char* impl) {
  double sum = 0;
  for (const char* op : {"causal_fwd", "causal_bwd"}) {
    const std::string& dtype = row.text("dtype");
    const auto peer = nvidia_of(all, impl, op, row.text("length"), row.text("length"), dtype.c_str());
    if (!peer || !row.is("gating", "none")) return 0;
    sum += scaled_to(row, *peer);
  }
  return sum;
}

/// The CPU's time in a step's calls, where it is theirs: calls that fill the driver's queue wait for the device.
inline std::string calls_of(const CsvRow& row) {
  return row.number("call_us") > 500 * row.number("step_ms") ? "waits" : number(row.number("call_us"));
}

/// Filter, forward and backward, alone, one after the other, and as one graph.
inline std::string step_table(const Measurements& all) {
  Table table({"L",           "B x H",    "gates",         "type",      "filter ms",      "forward ms",
               "backward ms", "step ms",  "as a graph ms", "floors ms", "graph / floors", "subquadratic-ops ms",
               "over it",     "cuDNN ms", "over it",       "calls us",  "y's error",      "rows' error",
               "dk's error",  "MB beside"});
  for (const CsvRow& row : all.step.rows) {
    const double floors =
        row.number("filter_floor_ms") + row.number("forward_floor_ms") + row.number("backward_floor_ms");
    const double graph = row.number("graph_ms");
    const double subq = nvidia_step(all, row, "subq"), cudnn = nvidia_step(all, row, "cudnn");
    table.add({row.text("length"),
               fmt::format("{} x {}", row.text("batch"), row.text("channels")),
               row.text("gating"),
               row.text("dtype"),
               number(row.number("filter_ms")),
               number(row.number("forward_ms")),
               number(row.number("backward_ms")),
               number(row.number("step_ms")),
               number(graph),
               number(floors),
               ratio(floors > 0 ? graph / floors : 0),
               number(subq),
               times(subq, graph),
               number(cudnn),
               times(cudnn, graph),
               calls_of(row),
               error(row.text("y_err")),
               error(row.text("rows_err")),
               error(row.text("dk_err")),
               number((row.number("spectrum_bytes") + row.number("workspace_bytes")) * 1e-6)});
  }
  return table.empty() ? not_measured : table.text();
}

/// A line for each length, a column for each number of rows and channels: time over floor of the forward launch, of the
/// backward one and of a step as one graph.
inline std::string widths_table(const Measurements& all) {
  std::vector<std::string> shapes, lengths;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  const auto once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const CsvRow& row : all.widths.rows) {
    const std::string shape = fmt::format("{} x {}", row.text("batch"), row.text("channels"));
    once(shapes, shape), once(lengths, row.text("length"));
    const auto over = [&](const char* time, const char* floor) {
      return ratio(row.number(floor) > 0 ? row.number(time) / row.number(floor) : 0);
    };
    cells[{row.text("length"), shape}] =
        fmt::format("{}, {}, {}", over("forward_ms", "forward_floor_ms"), over("backward_ms", "backward_floor_ms"),
                    ratio(row.number("ratio")));
  }
  if (lengths.empty()) return not_measured;
  std::vector<std::string> heading = {"L"};
  heading.insert(heading.end(), shapes.begin(), shapes.end());
  Table table(heading);
  for (const std::string& length : lengths) {
    std::vector<std::string> line = {length};
    for (const std::string& shape : shapes) line.push_back(cells[{length, shape}]);
    table.add(line);
  }
  return table.text();
}

/// A line for each length and number of channels: time over floor of each batch, and what holds a batch of one.
inline std::string small_table(const Measurements& all) {
  Table table({"N", "L", "padding", "H", "B = 1 ms", "time / floor: B = 1", "B = 2", "B = 4", "B = 8",
               "a row of B = 1 / of B = 2", "B = 1 is held by"});
  // By what a line has in common, in the order of measurement.
  std::vector<std::vector<CsvRow>> lines;
  const auto same_line = [](const CsvRow& a, const CsvRow& b) {
    return a.text("length") == b.text("length") && a.text("padding") == b.text("padding") &&
           a.text("channels") == b.text("channels");
  };
  for (const CsvRow& row : all.small.rows) {
    if (lines.empty() || !same_line(lines.back().front(), row)) lines.emplace_back();
    lines.back().push_back(row);
  }
  for (const std::vector<CsvRow>& line : lines) {
    std::map<std::string, CsvRow> batches;
    for (const CsvRow& row : line) batches[row.text("batch")] = row;
    const auto of = [&](const char* batch, const char* column) {
      const auto row = batches.find(batch);
      return row == batches.end() ? 0.0 : row->second.number(column);
    };
    const CsvRow& first = line.front();
    const double alone = of("1", "ms"), paired = of("2", "ms") / 2;
    table.add({first.text("fft_length"), first.text("length"), first.text("padding"), first.text("channels"),
               number(alone), ratio(of("1", "ratio")), ratio(of("2", "ratio")), ratio(of("4", "ratio")),
               ratio(of("8", "ratio")), ratio(paired > 0 ? alone / paired : 0),
               first.is("batch", "1") ? first.text("held_by") : ""});
  }
  return table.empty() ? not_measured : table.text();
}

/// The CPU's time in each call.
inline std::string overhead_table(const Measurements& all) {
  Table table({"call", "L", "stream", "us", "empty kernel us", "ratio"});
  for (const CsvRow& row : all.overhead.rows)
    table.add({row.text("call"), row.text("length"), row.text("stream"), number(row.number("us")),
               number(row.number("bare_us")), ratio(row.number("ratio"))});
  return table.empty() ? not_measured : table.text();
}

}  // namespace training_detail
}  // namespace ffc::examples

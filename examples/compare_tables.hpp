// The tables of examples/BENCHMARKS.md, as Markdown.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "compare_data.hpp"
#include "torch_memory.hpp"

namespace ffc::examples {
namespace tables_detail {

/// Markdown: the heading first, then rows as long as it is.
class Table {
 public:
  explicit Table(const std::vector<std::string>& heading) { add(heading), rule(heading.size()); }
  void add(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) text_ += "| " + cell + " ";
    text_ += "|\n";
    ++rows_;
  }
  [[nodiscard]] bool empty() const { return rows_ <= 1; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void rule(std::size_t columns) {
    for (std::size_t i = 0; i < columns; ++i) text_ += "|---";
    text_ += "|\n";
  }
  std::string text_;
  int rows_ = 0;
};

/// Three digits that matter; nothing for 0, what was not measured.
inline std::string number(double value) {
  if (value == 0) return "";
  const double size = std::abs(value);
  if (size >= 999.5) return fmt::format("{:.0f}", value);
  return size >= 99.95     ? fmt::format("{:.0f}", value)
         : size >= 9.995   ? fmt::format("{:.1f}", value)
         : size >= 0.9995  ? fmt::format("{:.2f}", value)
         : size >= 0.09995 ? fmt::format("{:.3f}", value)
                           : fmt::format("{:.4f}", value);
}
inline std::string ratio(double value) { return value == 0 ? "" : fmt::format("{:.2f}", value); }
inline std::string error(const std::string& text) { return std::strtod(text.c_str(), nullptr) == 0 ? "" : text; }
inline std::string percent(double value) { return value == 0 ? "" : fmt::format("{:.0f}", value); }
inline std::string times(double over, double under) {
  return over == 0 || under == 0 ? "" : fmt::format("{:.1f}", over / under);
}

/// "16x16x16", "64 x 4096, right angle": what a kernel's name says of its plan.
inline std::string plan_of(const std::string& kernel) {
  const std::size_t length = kernel.find("_n");
  const std::size_t type = std::min(kernel.find("_f16"), kernel.find("_bf16"));
  if (length == std::string::npos || type == std::string::npos) return "";
  std::string digits = kernel.substr(kernel.find('_', length + 1) + 1);
  digits = digits.substr(0, std::min(digits.find("_f16"), digits.find("_bf16")));
  if (const std::size_t split = digits.find('_'); split != std::string::npos) {
    digits = digits.substr(0, split);
    digits.replace(digits.find('x'), 1, " x ");
  }
  if (kernel.find("_quarters") != std::string::npos) digits += ", right angle";
  if (kernel.find("_single") != std::string::npos) digits += ", half-length";
  return digits;
}

constexpr const char* not_yet = "not yet";      ///< ours, that was not measured
constexpr const char* not_found = "not found";  ///< the paper's, that only its tables hold

inline std::string or_not_found(const std::string& said) { return said.empty() ? not_found : said; }

// The lengths and operations of the paper's tables: ours and FlashFFTConv over PyTorch, in one shape.
inline std::string peers_table(const Measurements& all, const Operation& operation) {
  Table table({"N", "PyTorch fft", "PyTorch rfft", "FlashFFTConv", "ffc", "ffc with prepare", "FlashFFTConv over fft",
               "paper", "ffc over fft", "ffc over rfft", "ffc over FlashFFTConv", "with prepare"});
  for (const CsvRow& peer : peers_of(all, operation)) {
    const std::string& length = peer.text("fft_length");
    const auto row = ours_of(all, operation, length);
    const double ours = row ? of_paper_shape(*row, "ms") : 0;
    const double prepare = row && !operation.backward ? prepare_of_paper_shape(*row) : 0;
    const double both = prepare > 0 ? ours + prepare : 0;
    const double fft = peer.number("pytorch_fft_ms"), rfft = peer.number("pytorch_rfft_ms");
    const double flash = peer.number("flashfftconv_ms");
    table.add({length, number(fft), number(rfft), number(flash), row ? number(ours) : not_yet, number(both),
               times(fft, flash), or_not_found(paper_of(all, operation.peers, length, "speedup")), times(fft, ours),
               times(rfft, ours), times(flash, ours), times(flash, both)});
  }
  return table.text();
}

inline std::string forward_table(const std::vector<CsvRow>& rows) {
  Table table({"N", "L", "gates", "H", "ms", "floor ms", "ratio", "error", "plan", "spectrum MB", "launch MB",
               "prepare ms", "call us", "tensor cores %", "bandwidth %"});
  for (const CsvRow& row : rows)
    table.add({row.text("fft_length"), row.text("length"), row.text("gating"), row.text("channels"),
               number(row.number("ms")), number(row.number("floor_ms")), ratio(row.number("ratio")),
               error(row.text("rel_err")), plan_of(row.text("kernel")), number(row.number("spectrum_bytes") * 1e-6),
               number(row.number("launch_bytes") * 1e-6), number(row.number("prepare_ms")),
               number(row.number("call_us")), percent(row.number("mma_percent")), percent(row.number("copy_percent"))});
  return table.text();
}

inline std::string gradients_table(const Csv& backward) {
  Table table({"N", "L", "gates", "B", "H", "ms", "floor ms", "ratio", "rows' error", "dk's error", "plan", "launch MB",
               "step MB", "PyTorch's step MB", "call us", "tensor cores %", "bandwidth %"});
  for (const CsvRow& row : backward.rows)
    table.add({row.text("fft_length"), row.text("length"), row.text("gating"), row.text("batch"), row.text("channels"),
               number(row.number("ms")), number(row.number("floor_ms")), ratio(row.number("ratio")),
               error(row.text("rows_err")), error(row.text("dk_err")), plan_of(row.text("kernel")),
               number(row.number("launch_bytes") * 1e-6), number(row.number("step_bytes") * 1e-6),
               number(row.number("torch_bytes_counted") * 1e-6), number(row.number("call_us")),
               percent(row.number("mma_percent")), percent(row.number("copy_percent"))});
  return table.text();
}

// A training step, beside inputs, outputs and gradients.
inline std::string step_memory_table(const Measurements& all, const Operation& operation) {
  Table table({"N", "H", "PyTorch, counted, MB", "ffc, MB", "PyTorch / ffc"});
  for (const CsvRow& peer : peers_of(all, operation)) {
    const std::string& length = peer.text("fft_length");
    const auto row = ours_of(all, operation, length);
    if (!row || row->number("step_bytes") == 0) {
      table.add({length, "", "", not_yet, ""});
      continue;
    }
    table.add({length, row->text("channels"), number(row->number("torch_bytes_counted") * 1e-6),
               number(row->number("step_bytes") * 1e-6),
               times(row->number("torch_bytes_counted"), row->number("step_bytes"))});
  }
  return table.text();
}

// A forward pass of 64 x 768 rows with its inputs, filters and outputs, as the paper counts. The workspace of a launch
// does not grow with the channels, and is taken as it is.
inline double forward_bytes(const CsvRow& row) {
  const double samples = paper_rows * row.number("length"), tensors = row.is("gating", "both") ? 4 : 2;
  const double filters = 768 * (4 * row.number("length") + row.number("spectrum_bytes") / row.number("channels"));
  return 2 * tensors * samples + filters + row.number("launch_bytes");
}

inline std::string forward_memory_table(const Measurements& all, const Operation& operation) {
  Table table({"N", "PyTorch, counted, GB", "ffc, GB", "PyTorch / ffc", "paper"});
  const bool gated = operation.gating == "both";
  for (const CsvRow& peer : peers_of(all, operation)) {
    const std::string& length = peer.text("fft_length");
    const auto n = static_cast<std::int64_t>(peer.number("fft_length"));
    const double inputs =
        (gated ? 3 : 1) * 2 * paper_rows * static_cast<double>(n) + 4 * 768.0 * static_cast<double>(n);
    const double torch = inputs + static_cast<double>(torch_forward_bytes({64, 768, n, n, gated}));
    const auto row = ours_of(all, operation, length);
    const double ours = row && row->number("spectrum_bytes") > 0 ? forward_bytes(*row) : 0;
    table.add({length, number(torch * 1e-9), ours > 0 ? number(ours * 1e-9) : not_yet, times(torch, ours),
               or_not_found(paper_of(all, operation.peers, length, "memory_saving"))});
  }
  return table.text();
}

// Filters as long as rows, for as many rows as ours were launched with.
inline std::string causal_table(const Measurements& all, bool backward) {
  Table table({"L", "B x H", "floor ms", "subquadratic-ops ms", "cuDNN ms", "ffc ms", "with prepare", "ffc's error",
               "over subquadratic-ops", "with prepare", "over cuDNN", "with prepare"});
  for (const CsvRow& row : (backward ? all.causal_backward : all.causal).rows) {
    const char* op = backward ? "causal_bwd" : "causal_fwd";
    const auto milliseconds = [&](const char* impl) {
      const auto peer = nvidia_of(all, impl, op, row.text("length"), row.text("length"));
      return peer ? scaled_to(row, *peer) : 0.0;
    };
    const double subq = milliseconds("subq"), cudnn = milliseconds("cudnn"), ours = row.number("ms");
    const auto forward = same_length(all.causal, row);
    const double prepare =
        forward ? forward->number("prepare_ms") * row.number("channels") / forward->number("channels") : 0;
    const double both = prepare > 0 ? ours + prepare : 0;
    table.add({row.text("length"), fmt::format("{} x {}", row.text("batch"), row.text("channels")),
               number(row.number("floor_ms")), number(subq), number(cudnn), number(ours), number(both),
               error(row.text(backward ? "rows_err" : "rel_err")), times(subq, ours), times(subq, both),
               times(cudnn, ours), times(cudnn, both)});
  }
  return table.text();
}

inline std::string short_filters_table(const Measurements& all) {
  Table table({"L", "Lk", "B x H", "windows", "ms", "floor ms", "ratio", "error", "windows over whole rows",
               "subquadratic-ops ms", "cuDNN ms", "plan"});
  for (const CsvRow& row : all.partial.rows) {
    if (row.text("length") != "8192" && row.text("length") != "4194304") continue;
    const auto milliseconds = [&](const char* impl) {
      const auto peer = nvidia_of(all, impl, "causal_fwd", row.text("length"), row.text("filter_length"));
      return peer ? scaled_to(row, *peer) : 0.0;
    };
    table.add({row.text("length"), row.text("filter_length"),
               fmt::format("{} x {}", row.text("batch"), row.text("channels")), row.text("windows"),
               number(row.number("ms")), number(row.number("floor_ms")), ratio(row.number("ratio")),
               error(row.text("rel_err")), times(row.number("whole_ms"), row.number("ms")),
               number(milliseconds("subq")), number(milliseconds("cudnn")), plan_of(row.text("kernel"))});
  }
  return table.text();
}

inline std::string sparse_table(const Measurements& all) {
  Table table({"N", "kept", "dropped %", "ms", "ratio", "speedup", "paper", "error", "spectrum MB"});
  for (const CsvRow& row : all.sparse.rows) {
    const std::string paper = paper_of(all, "sparse", row.text("fft_length"), "speedup", row.text("kept"));
    // The paper has one length, with the same masks.
    const bool compared = row.is("fft_length", "2097152") && !row.is("kept", "all");
    table.add({row.text("fft_length"), row.text("kept"), fmt::format("{:.1f}", 100 * row.number("sparsity")),
               number(row.number("ms")), ratio(row.number("ratio")), ratio(row.number("speedup")),
               compared ? or_not_found(paper) : "", error(row.text("rel_err")),
               number(row.number("spectrum_bytes") * 1e-6)});
  }
  return table.text();
}

}  // namespace tables_detail
}  // namespace ffc::examples

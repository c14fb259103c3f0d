// The figures of examples/BENCHMARKS.md.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compare_data.hpp"
#include "figure.hpp"

namespace ffc::examples {
namespace figures_detail {

constexpr const char* over_floor = "time / time of copying the same bytes";

// Without series that have no points: what was not measured.
inline FigurePanel panel_of(std::string title, std::string x_axis, std::string y_axis, std::vector<Series> series) {
  std::erase_if(series, [](const Series& one) { return one.points.empty(); });
  return {std::move(title), std::move(x_axis), std::move(y_axis), std::move(series)};
}

/// Ours beside PyTorch and FlashFFTConv: time over the copy of the same bytes that was timed beside ours.
inline FigurePanel peers_panel(const Measurements& all, const Operation& operation) {
  Series ours{"ffc", Look::ours, {}}, prepared{"ffc, filter prepared each time", Look::ours_prepared, {}};
  Series flash{"FlashFFTConv", Look::flashfftconv, {}}, rfft{"PyTorch rfft", Look::rfft, {}},
      fft{"PyTorch fft", Look::fft, {}};
  for (const CsvRow& row : ours_of(all, operation)) {
    const double n = row.number("fft_length"), floor = of_paper_shape(row, "floor_ms");
    const double time = of_paper_shape(row, "ms");
    ours.points.emplace_back(n, time / floor);
    const double prepare = operation.backward ? 0 : prepare_of_paper_shape(row);
    if (prepare > 0) prepared.points.emplace_back(n, (time + prepare) / floor);
    const auto peer = peers_of(all, operation, row.text("fft_length"));
    if (!peer) continue;
    const auto add = [&](Series& series, const char* column) {
      if (!peer->text(column).empty()) series.points.emplace_back(n, peer->number(column) / floor);
    };
    add(flash, "flashfftconv_ms");
    add(rfft, "pytorch_rfft_ms");
    add(fft, "pytorch_fft_ms");
  }
  return panel_of(operation.title, "FFT length N", over_floor, {ours, prepared, flash, rfft, fft});
}

/// Ours beside NVIDIA's causal convolutions, filters as long as rows.
inline FigurePanel causal_panel(const Measurements& all, bool backward, const std::string& title) {
  Series ours{"ffc", Look::ours, {}}, prepared{"ffc, filter prepared each time", Look::ours_prepared, {}};
  Series subq{"subquadratic-ops 0.3.1", Look::subquadratic, {}}, cudnn{"cuDNN 9.28.1", Look::cudnn, {}};
  for (const CsvRow& row : (backward ? all.causal_backward : all.causal).rows) {
    const double length = row.number("length"), floor = row.number("floor_ms");
    ours.points.emplace_back(length, row.number("ms") / floor);
    if (const auto forward = same_length(all.causal, row); forward && forward->number("prepare_ms") > 0) {
      const double prepare = forward->number("prepare_ms") * row.number("channels") / forward->number("channels");
      prepared.points.emplace_back(length, (row.number("ms") + prepare) / floor);
    }
    const char* op = backward ? "causal_bwd" : "causal_fwd";
    if (const auto peer = nvidia_of(all, "subq", op, row.text("length"), row.text("length")))
      subq.points.emplace_back(length, scaled_to(row, *peer) / floor);
    if (const auto peer = nvidia_of(all, "cudnn", op, row.text("length"), row.text("length")))
      cudnn.points.emplace_back(length, scaled_to(row, *peer) / floor);
  }
  return panel_of(title, "samples of a row L, as many taps", over_floor, {ours, prepared, subq, cudnn});
}

/// Memory of a training step beside inputs, outputs and their gradients.
inline FigurePanel memory_panel(const Measurements& all, const char* gating, const std::string& title) {
  Series ours{"ffc", Look::ours, {}}, torch{"PyTorch autograd, counted", Look::rfft, {}};
  for (const CsvRow& row : all.backward.rows) {
    // Workspaces do not grow with the channels: rows of fewer cannot be scaled.
    if (!row.is("gating", gating) || row.number("step_bytes") == 0 || !row.is("channels", "768")) continue;
    ours.points.emplace_back(row.number("fft_length"), row.number("step_bytes") * 1e-9);
    torch.points.emplace_back(row.number("fft_length"), row.number("torch_bytes_counted") * 1e-9);
  }
  return panel_of(title, "FFT length N", "GB of a step of 64 x 768 rows", {ours, torch});
}

/// The cost model: lines are predictions, markers are measurements.
inline FigurePanel cost_panel(const Measurements& all) {
  const Look looks[] = {Look::subquadratic, Look::ours, Look::flashfftconv};
  std::vector<Series> series;
  for (const int digits : {2, 3, 4}) {
    Series predicted{std::to_string(digits) + " digits, predicted", looks[digits - 2], {}, Stroke::line};
    Series measured{std::to_string(digits) + " digits, measured", looks[digits - 2], {}, Stroke::markers};
    for (const CsvRow& row : all.digits.rows) {
      if (!row.is("digits", std::to_string(digits))) continue;
      predicted.points.emplace_back(row.number("fft_length"), 1e3 * row.number("predicted_ms") / rows_of(row));
      if (row.number("ms") > 0)
        measured.points.emplace_back(row.number("fft_length"), 1e3 * row.number("ms") / rows_of(row));
    }
    series.push_back(predicted);
    series.push_back(measured);
  }
  return panel_of("one row, whole device", "FFT length N", "microseconds a row", series);
}

/// The same of the plans that are chosen, of every length.
inline FigurePanel chosen_panel(const Measurements& all) {
  Series predicted{"chosen plan, predicted", Look::rfft, {}, Stroke::line};
  Series measured{"chosen plan, measured", Look::rfft, {}, Stroke::markers};
  for (const CsvRow& row : ours_of(all, operations().front())) {
    if (row.number("predicted_ms") == 0) continue;
    predicted.points.emplace_back(row.number("fft_length"), 1e3 * row.number("predicted_ms") / rows_of(row));
    measured.points.emplace_back(row.number("fft_length"), 1e3 * row.number("ms") / rows_of(row));
  }
  return panel_of("the plans that are chosen", "FFT length N", "microseconds a row", {predicted, measured});
}

}  // namespace figures_detail

/// Writes all figures into a folder.
inline void write_figures(const Measurements& all, const std::filesystem::path& folder) {
  using namespace figures_detail;
  const auto& ops = operations();
  write_figure(folder / "speed.svg",
               {peers_panel(all, ops[0]), causal_panel(all, false, "causal, filters as long as rows")}, 2);
  write_figure(folder / "forward.svg",
               {peers_panel(all, ops[0]), peers_panel(all, ops[1]), peers_panel(all, ops[2]), peers_panel(all, ops[3])},
               2);
  write_figure(folder / "backward.svg", {peers_panel(all, ops[4]), peers_panel(all, ops[5])}, 2);
  write_figure(folder / "causal.svg",
               {causal_panel(all, false, "causal, forward"), causal_panel(all, true, "causal, gradients du and dk")},
               2);
  write_figure(folder / "memory.svg", {memory_panel(all, "none", "plain"), memory_panel(all, "both", "gated")}, 2);
  std::vector<FigurePanel> cost = {cost_panel(all), chosen_panel(all)};
  std::erase_if(cost, [](const FigurePanel& panel) { return panel.series.empty(); });
  if (!cost.empty()) write_figure(folder / "cost_model.svg", cost, cost.size());
}

}  // namespace ffc::examples

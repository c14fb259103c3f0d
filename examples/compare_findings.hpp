// What the pages say in words that follow from numbers: how fast in one sentence, where a peer is faster, what a start
// costs, and where the cost model is off.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include "compare_data.hpp"
#include "compare_tables.hpp"

namespace ffc::examples {
namespace findings_detail {

using tables_detail::number;
using tables_detail::Table;

// A line where a peer takes less time than we do.
inline void add_if_faster(Table& table, const std::string& what, const std::string& length, const std::string& peer,
                          double theirs, double ours, const char* of_ours) {
  if (theirs > 0 && ours > theirs)
    table.add({what, length, peer, number(theirs), number(ours), of_ours, fmt::format("{:.2f}", ours / theirs)});
}

/// Every length at which a peer is faster, in any of the comparisons.
inline std::string faster_peers(const Measurements& all) {
  Table table({"operation", "N or L", "peer", "peer ms", "ffc ms", "of ffc", "ffc / peer"});
  for (const Operation& operation : operations())
    for (const CsvRow& row : ours_of(all, operation)) {
      const auto peer = peers_of(all, operation, row.text("fft_length"));
      if (!peer) continue;
      const double prepare = operation.backward ? 0 : prepare_of_paper_shape(row);
      const double ours = of_paper_shape(row, "ms");
      for (const auto& [name, column] : {std::pair{"PyTorch fft", "pytorch_fft_ms"},
                                         {"PyTorch rfft", "pytorch_rfft_ms"},
                                         {"FlashFFTConv", "flashfftconv_ms"}})
        add_if_faster(table, operation.title, row.text("fft_length"), name, peer->number(column), ours + prepare,
                      prepare > 0 ? "launch and prepare" : "launch");
    }
  for (const bool backward : {false, true})
    for (const CsvRow& row : (backward ? all.causal_backward : all.causal).rows)
      for (const auto& [name, impl] : {std::pair{"subquadratic-ops", "subq"}, {"cuDNN", "cudnn"}}) {
        const auto peer =
            nvidia_of(all, impl, backward ? "causal_bwd" : "causal_fwd", row.text("length"), row.text("length"));
        if (!peer) continue;
        const double theirs = scaled_to(row, *peer), ours = row.number("ms");
        const auto forward = same_length(all.causal, row);
        const double prepare =
            forward ? forward->number("prepare_ms") * row.number("channels") / forward->number("channels") : 0;
        const char* what = backward ? "causal, gradients" : "causal, forward";
        add_if_faster(table, what, row.text("length"), name, theirs, ours, "launch");
        if (!(ours > theirs))
          add_if_faster(table, what, row.text("length"), name, theirs, ours + prepare, "launch and prepare");
      }
  for (const CsvRow& row : all.partial.rows)
    for (const auto& [name, impl] : {std::pair{"subquadratic-ops", "subq"}, {"cuDNN", "cudnn"}})
      if (const auto peer = nvidia_of(all, impl, "causal_fwd", row.text("length"), row.text("filter_length"))) {
        const double prepare = row.number("prepare_ms");
        add_if_faster(table, "causal, Lk = " + row.text("filter_length"), row.text("length"), name,
                      scaled_to(row, *peer), row.number("ms") + prepare, "launch and prepare");
      }
  return table.empty() ? "None.\n" : table.text();
}

/// Words in lines as wide as a page's.
inline std::string in_lines(const std::string& words) {
  constexpr std::size_t width = 120;
  std::string text, word;
  std::size_t column = 0;
  for (std::istringstream stream(words); stream >> word; column += word.size() + 1) {
    if (column + word.size() > width) text.back() = '\n', column = 0;
    text += word + ' ';
  }
  text.back() = '\n';
  return text;
}

/// The front page's numbers: plain rows of 4096 samples beside a copy and the peers.
inline std::string speed(const Measurements& all) {
  const Operation& plain = operations().front();
  const auto row = ours_of(all, plain, "4096"), peer = peers_of(all, plain, "4096");
  if (!row || !peer) throw std::runtime_error("no row of 4096 samples was measured");
  const std::string& provenance = all.forward.provenance;
  const std::string device = provenance.substr(0, provenance.find(','));
  const double ours = of_paper_shape(*row, "ms"), prepare = prepare_of_paper_shape(*row);
  return in_lines(
      fmt::format("On one {}, 64 x 768 rows of 4096 samples in fp16 take {} ms, {} ms with the filter's transform. "
                  "Copying them takes {} ms, FlashFFTConv {} ms, PyTorch's `rfft` {} ms.",
                  device, number(ours), number(ours + prepare), number(of_paper_shape(*row, "floor_ms")),
                  number(peer->number("flashfftconv_ms")), number(peer->number("pytorch_rfft_ms"))));
}

/// What get_kernel costs, by where it finds the kernel.
inline std::string startup_table(const Measurements& all) {
  Table table({"N", "compiled, s", "from disk, ms"});
  std::string memory;
  for (const CsvRow& row : all.startup.rows) {
    if (row.is("from", "memory")) memory = fmt::format("\nFrom memory: {:.0f} ns.\n", 1e6 * row.number("ms"));
    if (!row.is("from", "compiled")) continue;
    double disk = 0;
    for (const CsvRow& other : all.startup.rows)
      if (other.is("from", "disk") && other.is("fft_length", row.text("fft_length"))) disk = other.number("ms");
    table.add({row.text("fft_length"), number(1e-3 * row.number("ms")), number(disk)});
  }
  return table.text() + memory;
}

/// Lines of which prediction and measurement part by more than a fifth.
inline std::string wrong_predictions(const Measurements& all) {
  Table table({"N", "L", "gates", "plan", "predicted ms", "measured ms", "predicted / measured"});
  const auto add = [&](const CsvRow& row, const std::string& gates, const std::string& length,
                       const std::string& plan) {
    const double predicted = row.number("predicted_ms"), measured = row.number("ms");
    if (predicted == 0 || measured == 0 || std::abs(predicted / measured - 1) <= 0.2) return;
    table.add({row.text("fft_length"), length, gates, plan, number(predicted), number(measured),
               fmt::format("{:.2f}", predicted / measured)});
  };
  for (const CsvRow& row : all.forward.rows)
    add(row, row.text("gating"), row.text("length"), tables_detail::plan_of(row.text("kernel")));
  for (const CsvRow& row : all.digits.rows)
    add(row, "none", row.text("fft_length"), row.text("factorisation") + ", forced");
  return table.empty() ? "None.\n" : table.text();
}

}  // namespace findings_detail
}  // namespace ffc::examples

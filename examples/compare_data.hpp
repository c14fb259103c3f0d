// Our measurements and those of peers, by what was computed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "csv.hpp"

namespace ffc::examples {

/// The shape that the paper and most peers are measured in.
constexpr double paper_rows = 64 * 768;

/// One of the peers' operations beside ours.
struct Operation {
  std::string peers;    ///< name in peers/torch_and_flashfftconv.csv
  std::string padding;  ///< of ours
  std::string gating;
  std::string title;
  bool backward = false;
};

inline const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = {{"conv", "circular", "none", "plain, L = N"},
                                             {"gated", "circular", "both", "gated, L = N"},
                                             {"padded", "padded", "none", "plain, L = N/2"},
                                             {"padded_gated", "padded", "both", "gated, L = N/2"},
                                             {"bwd", "circular", "none", "gradients, plain", true},
                                             {"bwd_gated", "circular", "both", "gradients, gated", true}};
  return all;
}

/// What a folder of bench's tables holds (measure.sh), and the peers'.
struct Measurements {
  Csv forward, backward, causal, causal_backward, digits, sparse, partial, other, bf16, startup;
  Csv step, widths, small, overhead;  ///< empty where they were not measured
  Csv torch_and_flashfftconv, nvidia, paper;
};

[[nodiscard]] inline Measurements read_measurements(const std::filesystem::path& measured,
                                                    const std::filesystem::path& peers) {
  const auto ours = [&](const char* name) { return read_csv(measured / (std::string(name) + ".csv")); };
  const auto ours_if_any = [&](const char* name) {
    return std::filesystem::exists(measured / (std::string(name) + ".csv")) ? ours(name) : Csv();
  };
  return {ours("forward"),
          ours("backward"),
          ours("causal"),
          ours("causal_backward"),
          ours("digits"),
          ours("sparse"),
          ours("partial"),
          ours("other"),
          ours("bf16"),
          ours("startup"),
          ours_if_any("step"),
          ours_if_any("widths"),
          ours_if_any("small"),
          ours_if_any("overhead"),
          read_csv(peers / "torch_and_flashfftconv.csv"),
          read_csv(peers / "nvidia.csv"),
          read_csv(peers / "paper.csv")};
}

/// Rows (batch x channels) that a line of ours was launched with.
[[nodiscard]] inline double rows_of(const CsvRow& row) { return row.number("batch") * row.number("channels"); }

/// A time of ours for 64 x 768 rows, where fewer channels were launched.
[[nodiscard]] inline double of_paper_shape(const CsvRow& row, const std::string& column) {
  return row.number(column) * paper_rows / rows_of(row);
}

/// prepare_filter for 768 channels: once a channel, whatever the batch is.
[[nodiscard]] inline double prepare_of_paper_shape(const CsvRow& row) {
  return row.number("prepare_ms") * 768 / row.number("channels");
}

[[nodiscard]] inline std::vector<CsvRow> ours_of(const Measurements& all, const Operation& operation) {
  return rows_where(operation.backward ? all.backward : all.forward, [&](const CsvRow& row) {
    return row.is("padding", operation.padding) && row.is("gating", operation.gating) && row.is("dtype", "fp16");
  });
}

/// The peers' line of the same operation and length, where there is one.
[[nodiscard]] inline std::optional<CsvRow> peers_of(const Measurements& all, const Operation& operation,
                                                    const std::string& fft_length, const char* dtype = "fp16") {
  const auto rows = rows_where(all.torch_and_flashfftconv, [&](const CsvRow& row) {
    return row.is("op", operation.peers) && row.is("dtype", dtype) && row.is("fft_length", fft_length);
  });
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

/// Ours of a peers' line; nothing where it was not measured.
[[nodiscard]] inline std::optional<CsvRow> ours_of(const Measurements& all, const Operation& operation,
                                                   const std::string& fft_length) {
  for (const CsvRow& row : ours_of(all, operation))
    if (row.is("fft_length", fft_length)) return row;
  return std::nullopt;
}

/// The peers' lines of an operation, by length.
[[nodiscard]] inline std::vector<CsvRow> peers_of(const Measurements& all, const Operation& operation) {
  return rows_where(all.torch_and_flashfftconv,
                    [&](const CsvRow& row) { return row.is("op", operation.peers) && row.is("dtype", "fp16"); });
}

/// What the paper states of an operation and a length; empty where nothing but its tables does.
[[nodiscard]] inline std::string paper_of(const Measurements& all, const std::string& op, const std::string& fft_length,
                                          const char* column, const std::string& kept = "") {
  for (const CsvRow& row : all.paper.rows)
    if (row.is("op", op) && row.is("fft_length", fft_length) && row.is("kept", kept)) return row.text(column);
  return {};
}

/// NVIDIA's line: `impl` begins with subq or cudnn, filters as long as rows.
[[nodiscard]] inline std::optional<CsvRow> nvidia_of(const Measurements& all, std::string_view impl, const char* op,
                                                     const std::string& length, const std::string& taps,
                                                     const char* dtype = "fp16") {
  const auto rows = rows_where(all.nvidia, [&](const CsvRow& row) {
    return row.text("impl").starts_with(impl) && row.is("op", op) && row.is("dtype", dtype) && row.is("L", length) &&
           row.is("Lk", taps);
  });
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

/// Milliseconds of a peer for as many rows as a line of ours has.
[[nodiscard]] inline double scaled_to(const CsvRow& ours, const CsvRow& peer) {
  return peer.number("ms") * rows_of(ours) / (peer.number("B") * peer.number("H"));
}

/// The line of another table of ours with the same length and number of rows' batch; nothing where there is none.
[[nodiscard]] inline std::optional<CsvRow> same_length(const Csv& table, const CsvRow& row) {
  for (const CsvRow& other : table.rows)
    if (other.is("length", row.text("length")) && other.is("padding", row.text("padding")) &&
        other.is("gating", row.text("gating")))
      return other;
  return std::nullopt;
}

}  // namespace ffc::examples

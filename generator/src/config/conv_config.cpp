// Checks and names of a ConvConfig.
#include "ffc/generator/conv_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "choices.hpp"
#include "column_digits.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr std::int64_t smallest_fft = 16;
constexpr std::int64_t row_multiple = 256;
constexpr int most_weighed_batch = 16;  // of an odd batch, whose last row has no partner

void require_range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    throw ConfigError(fmt::format("{} is {}; it must lie in [{}, {}]", field, value, low, high));
}

template <class Enum>
void require_enum(std::string_view field, Enum value, Enum last) {
  const int number = static_cast<int>(value);
  if (number < 0 || number > static_cast<int>(last))
    throw ConfigError(fmt::format("{} is {}; it must lie in [0, {}]", field, number, static_cast<int>(last)));
}

// Most taps that a causal row of that length takes: as many as its transform, of `most` points, has room for, or those
// of windows.
std::int64_t most_causal_taps(ConvConfig config, std::int64_t most) {
  const std::int64_t room = most - config.length + 1;
  config.filter_length = 1;
  if (windows_refusal(config)) return room;
  const std::int64_t window = config.fft_length != 0 ? config.fft_length : longest_window;
  return std::max(room, std::min(most_window_taps(config, window), window));
}

// What a config that leaves its taps open has. A causal convolution never reaches further back than its own row.
std::int64_t default_taps(const ConvConfig& config, std::int64_t most) {
  if (config.padding != Padding::causal) return config.fft_length;
  if (2 * config.length - 1 > most)
    throw ConfigError(
        fmt::format("filter_length is 0, which means length, {}, and {} is {}, too few for 2 x length - 1 points; set "
                    "filter_length, in [1, {}]",
                    config.length, config.fft_length != 0 ? "fft_length" : "the longest fft_length", most,
                    most_causal_taps(config, most)));
  return config.length;
}

void fill_lengths(ConvConfig& config) {
  const bool causal = config.padding == Padding::causal;
  const std::int64_t most = config.fft_length != 0 ? config.fft_length : longest_split;
  if (config.length == 0 && config.fft_length == 0)
    throw ConfigError("length and fft_length are both 0; a causal config needs a length in [1, 16777216]");
  if (config.length == 0) config.length = config.fft_length;
  // Windows leave the length of a row open.
  const std::optional<std::string> no_windows = windows_refusal(config);
  if (causal && no_windows && config.length > most)
    throw ConfigError(fmt::format("length is {}; it must lie in [1, {}], as there are no windows: {}", config.length,
                                  most, *no_windows));
  require_range("length", config.length, 1, no_windows ? most : longest_windowed_row);
  if (config.padding == Padding::circular && config.length != config.fft_length)
    throw ConfigError(fmt::format("length is {} and padding is circular; it must equal fft_length, {}, or 0",
                                  config.length, config.fft_length));
  if (config.filter_length == 0) config.filter_length = default_taps(config, most);
  require_range("filter_length", config.filter_length, 1, most);
}

void check_history(const ConvConfig& config) {
  if (!config.history) return;
  if (config.padding != Padding::causal)
    throw ConfigError(fmt::format("history is set and padding is {}; it goes with causal", to_string(config.padding)));
  if (const std::optional<std::string> no_windows = windows_refusal(config))
    throw ConfigError(fmt::format("history is set and there are no windows: {}", *no_windows));
}

void check_causal_room(const ConvConfig& config) {
  if (config.padding != Padding::causal) return;
  const std::optional<std::string> no_windows = windows_refusal(config);
  if (!no_windows) return;
  const std::int64_t taps = reached_taps(config);
  const std::int64_t needed = config.length + taps - 1;
  const std::int64_t available = config.fft_length != 0 ? config.fft_length : longest_split;
  if (needed > available)
    throw ConfigError(
        fmt::format("length {} with {} taps needs an fft_length of at least {}; the config allows {} at most, as there "
                    "are no windows: {}",
                    config.length, taps, needed, available, *no_windows));
}

void check_radices(const ConvConfig& config) {
  if (config.radices.empty()) return;
  for (const int radix : config.radices) require_range("radices", radix, 2, 64);
  const std::int64_t product = product_of(config.radices);
  const bool free_length = config.fft_length == 0;
  const bool alone = config.pass == Pass::forward && config.padding != Padding::circular && config.column_length == 0;
  if (alone && product <= longest_tiled && 2 * product == config.fft_length && !begins_with_tile(outer_digits(product)))
    throw ConfigError(fmt::format(
        "radices are {} with half of fft_length, {}, as product, which is {}; that of rows or windows alone "
        "must be 256 times 9 to 16, or times 9 to 16 and 2, 3, 4 or 8",
        fmt::join(config.radices, "x"), config.fft_length, product));
  if (!free_length && product != config.fft_length && !spells_right_angle(config))
    throw ConfigError(fmt::format("radices {} have the product {}; it must be fft_length, {}",
                                  fmt::join(config.radices, "x"), product, config.fft_length));
  if (free_length) require_range("product of radices", product, smallest_fft, longest_split);
}

void check_columns(const ConvConfig& config) {
  if (config.column_length == 0) return;
  std::optional<ColumnDigits> digits = column_digits(config.column_length);
  if (!digits) digits = cluster_digits(config.column_length);
  if (!digits)
    throw ConfigError(fmt::format("column_length is {}; it must be 0, 2, 4 or 8, or 16 times 1 to 8, 16, 32 or 64",
                                  config.column_length));
  const std::int64_t multiple = config.column_length * row_multiple;
  if (config.fft_length == 0)
    throw ConfigError(
        fmt::format("column_length is {} and fft_length 0, which leaves it open; it must be a multiple of {}",
                    config.column_length, multiple));
  if (config.fft_length % multiple != 0)
    throw ConfigError(fmt::format("fft_length is {} and column_length {}; it must be a multiple of {}",
                                  config.fft_length, config.column_length, multiple));
  const std::vector<int> wanted = digits->radices();
  const std::size_t given = std::min(wanted.size(), config.radices.size());
  if (!config.radices.empty() &&
      (given < wanted.size() || !std::equal(wanted.begin(), wanted.end(), config.radices.begin())))
    throw ConfigError(fmt::format("radices are {} and column_length {}; they must begin with {}",
                                  fmt::join(config.radices, "x"), config.column_length, fmt::join(wanted, " and ")));
}

// Range of 2^gradient_exponent: what is exact in a row of fp16, and what a row of bf16 may need.
int most_gradient_exponent(DataType dtype) { return dtype == DataType::fp16 ? 14 : 60; }

void fill_gradients(ConvConfig& config) {
  Gradients& gradients = config.gradients;
  if (config.pass == Pass::forward) {
    gradients = {};
    if (config.gradient_exponent != 0)
      throw ConfigError(
          fmt::format("gradient_exponent is {} and pass is forward; it must be 0", config.gradient_exponent));
    return;
  }
  if (config.history)
    throw ConfigError(
        "history is set and pass is backward; gradients are those of rows that begin with their first "
        "sample, so it must not be");
  const int most = most_gradient_exponent(config.dtype);
  require_range("gradient_exponent", config.gradient_exponent, -most, most);
  gradients.w = gradients.w && has_in_gate(config.gating);
  gradients.v = gradients.v && has_out_gate(config.gating);
  if (to_string(gradients).empty())
    throw ConfigError(fmt::format("gradients is empty with gating {}; a backward config needs one of du, {}dk, dd",
                                  to_string(config.gating),
                                  config.gating == Gating::none ? "" : "those of its gates, "));
}

void check_scaling(const ConvConfig& config) {
  require_enum("scaling", config.scaling, Scaling::found);
  if (config.scaling == Scaling::automatic || config.scaling == Scaling::fixed) return;
  for (const auto& [name, exponent] :
       {std::pair{"input_exponent", config.input_exponent}, std::pair{"gradient_exponent", config.gradient_exponent}})
    if (exponent != 0)
      throw ConfigError(
          fmt::format("{} is {} and scaling is {}; it must be 0", name, exponent, to_string(config.scaling)));
  if (config.scaling == Scaling::found && config.history && config.dtype != DataType::bf16)
    throw ConfigError(
        fmt::format("scaling is found, history is set and dtype is {}; what comes before rows is measured by kernels "
                    "for bf16 alone, so it must be given or fixed",
                    to_string(config.dtype)));
}

// bf16 has the range of float32, and its users rely on that; inside, rows are fp16.
Scaling automatic_scaling(const ConvConfig& config) {
  const bool found = config.dtype == DataType::bf16 && config.input_exponent == 0 && config.gradient_exponent == 0;
  return found ? Scaling::found : Scaling::fixed;
}

// What of the hint is weighed: an odd batch, whose last row has no partner, and few rows of gradients. Of some lengths
// an even number up to 8 is as good as another.
int weighed_batch(const ConvConfig& config) {
  constexpr int most_of_block = measured::most_few_rows_of_block;
  if (config.batch % 2 == 1) return config.batch <= most_weighed_batch ? config.batch : 0;
  if (config.pass == Pass::forward || config.batch == 0) return 0;
  if (config.batch <= measured::most_few_rows && config.length > measured::longest_short_rows) return config.batch;
  return config.batch <= most_of_block && weighs_eight_rows(config.length) ? most_of_block : 0;
}

int derived_alignment(std::int64_t length) {
  for (const int bytes : {16, 8, 4})
    if (2 * length % bytes == 0) return bytes;
  return 2;
}

}  // namespace

ConvConfig normalised(const ConvConfig& config) {
  ConvConfig result = config;
  require_enum("padding", config.padding, Padding::causal);
  require_enum("dtype", config.dtype, DataType::bf16);
  require_enum("gating", config.gating, Gating::both);
  require_enum("accumulation", config.accumulation, Accumulation::fp32);
  require_enum("pass", config.pass, Pass::backward);
  // Rows of fp16 are scaled in fp16, which ends below 2^16.
  require_range("input_exponent", config.input_exponent, -24, config.dtype == DataType::fp16 ? 15 : 24);
  require_enum("report", config.report, Report::magnitudes);
  check_scaling(config);
  if (config.scaling == Scaling::automatic) result.scaling = automatic_scaling(config);
  check_radices(config);
  if (!config.radices.empty() && config.fft_length == 0) result.fft_length = product_of(config.radices);
  if (result.fft_length != 0 || result.padding != Padding::causal)
    require_range("fft_length", result.fft_length, smallest_fft, longest_split);
  result.mask = normalised(config.mask, result.fft_length);
  fill_gradients(result);
  fill_lengths(result);
  check_history(result);
  check_causal_room(result);
  check_columns(result);
  if (result.row_alignment == 0) result.row_alignment = derived_alignment(result.length);
  if (result.row_alignment != 2 && result.row_alignment != 4 && result.row_alignment != 8 && result.row_alignment != 16)
    throw ConfigError(fmt::format("row_alignment is {}; it must be 0, 2, 4, 8 or 16 bytes", result.row_alignment));
  if (config.batch < 0) throw ConfigError(fmt::format("batch is {}; it must be 0 or more", config.batch));
  if (config.runner_up < 0) throw ConfigError(fmt::format("runner_up is {}; it must be 0 or more", config.runner_up));
  result.batch = weighed_batch(result);
  if (!result.arch.empty()) (void)find_arch(result.arch);
  return result;
}

std::string to_string(const ConvConfig& config) {
  std::string text = fmt::format(
      "fft_length={} length={} filter_length={} padding={} dtype={} gating={} accumulation={} radices={} "
      "column_length={} row_alignment={} input_exponent={}{}{} arch={}{}{}{}{}",
      config.fft_length, config.length, config.filter_length, to_string(config.padding), to_string(config.dtype),
      to_string(config.gating), to_string(config.accumulation),
      config.radices.empty() ? "auto" : fmt::format("{}", fmt::join(config.radices, "x")), config.column_length,
      config.row_alignment, config.input_exponent,
      config.scaling == Scaling::fixed ? "" : fmt::format(" scaling={}", to_string(config.scaling)),
      config.report == Report::none ? "" : fmt::format(" report={}", to_string(config.report)), config.arch,
      config.history ? " history=1" : "", config.batch == 0 ? "" : fmt::format(" batch={}", config.batch),
      config.runner_up == 0 ? "" : fmt::format(" runner_up={}", config.runner_up),
      config.mask.empty() ? "" : fmt::format(" mask={}", to_string(config.mask)));
  if (config.pass == Pass::forward) return text;
  return fmt::format("{} pass=backward gradients={} gradient_exponent={}", text, to_string(config.gradients),
                     config.gradient_exponent);
}

std::string_view to_string(DataType dtype) { return dtype == DataType::fp16 ? "fp16" : "bf16"; }

std::string_view to_string(Padding padding) {
  constexpr std::string_view names[] = {"circular", "padded", "causal"};
  return names[static_cast<int>(padding)];
}

std::string_view to_string(Gating gating) {
  constexpr std::string_view names[] = {"none", "in", "out", "both"};
  return names[static_cast<int>(gating)];
}

std::string_view to_string(Accumulation accumulation) {
  constexpr std::string_view names[] = {"automatic", "fp16", "fp32"};
  return names[static_cast<int>(accumulation)];
}

std::string_view to_string(Scaling scaling) {
  constexpr std::string_view names[] = {"automatic", "fixed", "given", "found"};
  return names[static_cast<int>(scaling)];
}

std::string_view to_string(Report report) { return report == Report::none ? "none" : "magnitudes"; }

Scaling parse_scaling(std::string_view text) {
  for (const Scaling scaling : {Scaling::automatic, Scaling::fixed, Scaling::given, Scaling::found})
    if (text == to_string(scaling)) return scaling;
  throw ConfigError(fmt::format("scaling is \"{}\"; it must be automatic, fixed, given or found", text));
}

DataType parse_dtype(std::string_view text) {
  if (text == "fp16") return DataType::fp16;
  if (text == "bf16") return DataType::bf16;
  throw ConfigError(fmt::format("dtype is \"{}\"; it must be fp16 or bf16", text));
}

}  // namespace ffc

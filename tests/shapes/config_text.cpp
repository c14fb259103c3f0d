#include "config_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "ffc/generator/error.hpp"
#include "ffc/generator/frequency_mask.hpp"

namespace ffc::shapes {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Number>
Number parse_number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(fmt::format("\"{}\" is not a whole number that fits", text));
  return value;
}

// The value whose name is `text`, of those from 0 to `last`.
template <class Enum>
Enum parse_enum(std::string_view text, Enum last) {
  for (int number = 0; number <= static_cast<int>(last); ++number)
    if (to_string(static_cast<Enum>(number)) == text) return static_cast<Enum>(number);
  throw std::invalid_argument(fmt::format("\"{}\" is none of the field's values", text));
}

std::vector<int> parse_radices(std::string_view text) {
  std::vector<int> radices;
  if (text != "auto")
    for (const std::string_view radix : parts_of(text, 'x')) radices.push_back(parse_number<int>(radix));
  return radices;
}

ValueRange parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_number<std::int64_t>(text.substr(0, dash));
  return {first, 1 + (dash == text.npos ? first : parse_number<std::int64_t>(text.substr(dash + 1)))};
}

// "32:0-7,16/32:0-7/mirrors"
FrequencyMask parse_mask(std::string_view text) {
  FrequencyMask mask;
  for (const std::string_view part : parts_of(text, '/')) {
    if (part == "mirrors") {
      mask.mirrors = Mirrors::required;
      continue;
    }
    const std::size_t colon = part.find(':');
    if (colon == part.npos) throw std::invalid_argument(fmt::format("\"{}\" is no digit of a mask", part));
    MaskDigit digit;
    digit.radix = parse_number<std::int64_t>(part.substr(0, colon));
    const std::string_view kept = part.substr(colon + 1);
    if (kept == "all")
      digit.kept = {{0, digit.radix}};
    else
      for (const std::string_view range : parts_of(kept, ',')) digit.kept.push_back(parse_range(range));
    mask.digits.push_back(std::move(digit));
  }
  return mask;
}

void set_field(ConvConfig& config, std::string_view field, std::string_view value) {
  if (field == "fft_length")
    config.fft_length = parse_number<std::int64_t>(value);
  else if (field == "length")
    config.length = parse_number<std::int64_t>(value);
  else if (field == "filter_length")
    config.filter_length = parse_number<std::int64_t>(value);
  else if (field == "padding")
    config.padding = parse_enum(value, Padding::causal);
  else if (field == "dtype")
    config.dtype = parse_dtype(value);
  else if (field == "gating")
    config.gating = parse_enum(value, Gating::both);
  else if (field == "accumulation")
    config.accumulation = parse_enum(value, Accumulation::fp32);
  else if (field == "radices")
    config.radices = parse_radices(value);
  else if (field == "column_length")
    config.column_length = parse_number<int>(value);
  else if (field == "row_alignment")
    config.row_alignment = parse_number<int>(value);
  else if (field == "input_exponent")
    config.input_exponent = parse_number<int>(value);
  else if (field == "scaling")
    config.scaling = parse_scaling(value);
  else if (field == "report")
    config.report = parse_enum(value, Report::magnitudes);
  else if (field == "arch")
    config.arch = value;
  else if (field == "history")
    config.history = parse_number<int>(value) != 0;
  else if (field == "batch")
    config.batch = parse_number<int>(value);
  else if (field == "runner_up")
    config.runner_up = parse_number<int>(value);
  else if (field == "mask")
    config.mask = parse_mask(value);
  else if (field == "pass")
    config.pass = value == "backward" ? Pass::backward : Pass::forward;
  else if (field == "gradients")
    config.gradients = parse_gradients(value);
  else if (field == "gradient_exponent")
    config.gradient_exponent = parse_number<int>(value);
  else
    throw std::invalid_argument(fmt::format("a config has no field \"{}\"", field));
}

ConvConfig empty_config() {
  ConvConfig config;
  config.arch = default_arch;
  config.scaling = Scaling::fixed;  // what a text that does not say it stands for
  return config;
}

bool is_same(std::string_view text, const ConvConfig& config) {
  try {
    return normalised(parse_config(text)) == normalised(config);
  } catch (const ConfigError&) {
    return false;
  }
}

}  // namespace

std::string short_text(const ConvConfig& config) {
  const std::string text = to_string(config), empty = to_string(empty_config());
  std::vector<std::string_view> parts = parts_of(text, ' ');
  const auto joined = [&] { return fmt::format("{}", fmt::join(parts, " ")); };
  const std::vector<std::string_view> defaults = parts_of(empty, ' ');
  std::erase_if(parts, [&](std::string_view part) {
    return part == "gradient_exponent=0" || std::find(defaults.begin(), defaults.end(), part) != defaults.end();
  });
  // Fields that follow from the others.
  for (const std::string_view field : {"length=", "filter_length=", "row_alignment="}) {
    const auto at = std::find_if(parts.begin(), parts.end(), [&](auto part) { return part.starts_with(field); });
    if (at == parts.end()) continue;
    const std::vector<std::string_view> all = parts;
    parts.erase(at);
    if (!is_same(joined(), config)) parts = all;
  }
  return joined();
}

ConvConfig parse_config(std::string_view text) {
  ConvConfig config = empty_config();
  for (const std::string_view part : parts_of(text, ' ')) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos) throw std::invalid_argument(fmt::format("\"{}\" is no field=value", part));
    set_field(config, part.substr(0, equals), part.substr(equals + 1));
  }
  return config;
}

}  // namespace ffc::shapes

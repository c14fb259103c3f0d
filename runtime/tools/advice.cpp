// Advice on lengths, as text or JSON.
#include "advice.hpp"

#include <fmt/format.h>

#include "ffc/generator/error.hpp"
#include "ffc/generator/good_length.hpp"
#include "json.hpp"
#include "sizes.hpp"

namespace ffc::tools {
namespace {

std::string line_of(const LengthAdvice& advice) {
  std::string line = fmt::format("{:>8} {:>10} a pair", advice.length, readable_time(advice.us_per_pair));
  if (advice.good_length == advice.length) return line + "   a good length";
  return line + fmt::format("   {:>8} {:>10} a pair, {:.0f} % less", advice.good_length,
                            readable_time(advice.good_us_per_pair),
                            100 * (1 - advice.good_us_per_pair / advice.us_per_pair));
}

void write(JsonWriter& json, const LengthAdvice& advice) {
  json.begin_object();
  json.field("length", advice.length).field("us_per_pair", advice.us_per_pair);
  json.field("good_length", advice.good_length).field("good_us_per_pair", advice.good_us_per_pair);
  json.end_object();
}

}  // namespace

int run_advice(const std::vector<ConvConfig>& configs, bool json) {
  int status = 0;
  JsonWriter writer;
  writer.begin_array();
  for (const ConvConfig& config : configs) try {
      const LengthAdvice advice =
          advise_length(config.padding == Padding::causal ? config.length : config.fft_length, config);
      if (json)
        write(writer, advice);
      else
        fmt::print("{}\n", line_of(advice));
    } catch (const ConfigError& error) {
      fmt::print(stderr, "ffc-gen: {}\n", error.what());
      status = 1;
    }
  writer.end_array();
  if (json) fmt::print("{}\n", writer.text());
  return status;
}

}  // namespace ffc::tools

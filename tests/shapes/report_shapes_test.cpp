// A share of the listed configs with a report: what their launches say, to the bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "config_text.hpp"
#include "ffc/generator/error.hpp"
#include "host_run.hpp"
#include "report_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr std::int64_t most_samples = 40000;  // of a row: the host is slow

// Every so-manieth: all of them take an hour.
std::size_t every() {
  const char* const text = std::getenv("FFC_REPORT_SHAPES_EVERY");
  return text != nullptr ? std::stoul(text) : 60;
}

std::vector<ConvConfig> listed_configs() {
  std::ifstream file(FFC_SHAPES_MANIFEST);
  std::vector<ConvConfig> configs;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || number++ % every() != 0) continue;
    configs.push_back(shapes::parse_config(line));
    ConvConfig& config = configs.back();
    config.report = Report::magnitudes;
    // Samples of about 1 stay in the range.
    config.input_exponent = std::clamp(config.input_exponent, -4, 4);
    config.gradient_exponent = std::clamp(config.gradient_exponent, -4, 4);
  }
  return configs;
}

// Nothing where no kernel makes a report.
std::shared_ptr<const Kernel> kernel_of(const ConvConfig& config) {
  try {
    return get_kernel(config, machine()->device());
  } catch (const ConfigError&) {
    return nullptr;
  }
}

}  // namespace

TEST_CASE("largest magnitudes of listed configs") {
  std::size_t checked = 0;
  for (const ConvConfig& config : listed_configs()) {
    if (std::max(config.length, config.fft_length) > most_samples) continue;
    const std::int64_t length = config.length == 0 ? config.fft_length : config.length;
    if (config.row_alignment != 0 && 2 * length % config.row_alignment != 0) continue;  // rows with gaps of ours
    CAPTURE(to_string(config));
    const auto kernel = kernel_of(config);
    if (!kernel) continue;
    ++checked;
    CAPTURE(kernel->name());
    ReportRun run(machine(), kernel, gapped(static_cast<int>(1 + checked % 3), 2), static_cast<unsigned>(checked));
    check_report(run);
  }
  MESSAGE(checked);
  CHECK(checked > 5);
}

// The ratios that `ffc-gen --plan` shows are those of the benchmark's tables. FFC_REFRESH_GOLDENS=1 writes them anew.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "../../examples/csv.hpp"
#include "kernel_ratios.hpp"

namespace fs = std::filesystem;
using namespace ffc;

namespace {

const fs::path header = FFC_KERNEL_RATIOS;
const fs::path tables = FFC_MEASURED_TABLES;

// The ratio of each kernel, as a table has it first.
std::map<std::string, std::string> ratios_of_tables() {
  std::map<std::string, std::string> ratios;
  for (const char* const name : {"forward", "causal", "backward", "causal_backward", "bf16", "partial", "other"})
    for (const examples::CsvRow& row : examples::read_csv(tables / fmt::format("{}.csv", name)).rows)
      ratios.emplace(row.text("kernel"), fmt::format("{:.2f}", row.number("ratio")));
  return ratios;
}

// The header with these rows in the place of its own.
std::string with_rows(const std::string& text, const std::map<std::string, std::string>& ratios) {
  const std::string open = "kernel_ratios[] = {\n";
  const std::size_t begin = text.find(open) + open.size(), end = text.find("};\n", begin);
  std::string rows;
  for (const auto& [kernel, ratio] : ratios) rows += fmt::format("    {{\"{}\", {}}},\n", kernel, ratio);
  return text.substr(0, begin) + rows + text.substr(end);
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("ratios that plans are shown with are those that were measured") {
  const std::map<std::string, std::string> ratios = ratios_of_tables();
  CHECK(ratios.size() > 150);
  const std::string text = text_of(header), wanted = with_rows(text, ratios);
  if (std::getenv("FFC_REFRESH_GOLDENS") != nullptr) std::ofstream(header) << wanted;
  CHECK_MESSAGE(text == wanted, "FFC_REFRESH_GOLDENS=1 writes kernel_ratios.hpp anew");
}

TEST_CASE("a kernel is found by its name, and no other is") {
  CHECK(measured::ratio_of("conv_fwd_n4096_16x16x16_f16_sm90a"));
  CHECK_FALSE(measured::ratio_of("conv_fwd_n4096_16x16x16_f16_sm80"));
  CHECK_FALSE(measured::ratio_of(""));
}

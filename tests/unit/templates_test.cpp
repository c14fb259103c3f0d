// The embedded templates are the files on disk, to the byte.
#include "ffc/templates/templates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

TEST_CASE("every device file is embedded, unchanged, and nothing else is") {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::recursive_directory_iterator(FFC_TEMPLATES)) {
    auto name = file.path().filename().string();
    const auto folder = file.path().parent_path();
    // Of the headers, those that are part of programs for the host.
    const bool shared = name == "half.hpp" || name == "host_abi.hpp";
    const bool twin = folder.filename() == "host";
    if (!name.ends_with(".cuh") && !name.ends_with(".cu.in") && !twin && !shared) continue;
    if (shared) name.insert(0, "ffc/templates/");
    CAPTURE(name);
    std::ostringstream text;
    text << std::ifstream(file.path(), std::ios::binary).rdbuf();
    CHECK(ffc::template_text(name) == text.str());
    names.push_back(name);
  }
  std::ranges::sort(names);
  CHECK(names.size() > 5);
  const auto embedded = ffc::template_names();
  CHECK(std::vector<std::string>(embedded.begin(), embedded.end()) == names);
}

TEST_CASE("a template includes nothing from a folder above its own") {
  const std::vector<std::string> order = {
      "arithmetic", "memory",         "butterflies", "products",  "arguments", "report",  "windows", "rows",
      "transforms", "real_transform", "gradient",    "four_step", "columns",   "cluster", "filter",  "kernels"};
  std::map<std::string, std::size_t> place_of;  // of a file's folder in that order
  std::vector<std::filesystem::path> files;
  for (std::size_t place = 0; place < order.size(); ++place)
    for (const auto& file : std::filesystem::directory_iterator(FFC_TEMPLATES "/" + order[place])) {
      CHECK_MESSAGE(place_of.emplace(file.path().filename().string(), place).second, file.path().string());
      files.push_back(file.path());
    }
  CHECK(files.size() > 100);
  for (const std::filesystem::path& file : files) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
      constexpr std::string_view include = "#include \"";
      if (!line.starts_with(include)) continue;
      const std::string name = line.substr(include.size(), line.rfind('"') - include.size());
      CAPTURE(file.string());
      CAPTURE(name);
      if (name == "column_butterfly.cuh") continue;  // always a substitute's place
      REQUIRE(place_of.contains(name));
      CHECK(place_of.at(name) <= place_of.at(file.filename().string()));
    }
  }
}

TEST_CASE("an unknown name is refused with the known ones") {
  CHECK_THROWS_AS((void)ffc::template_text("missing.cuh"), std::out_of_range);
  CHECK_THROWS_WITH((void)ffc::template_text("missing.cuh"), doctest::Contains("missing.cuh"));
  CHECK_THROWS_WITH((void)ffc::template_text("missing.cuh"), doctest::Contains("arguments.cuh"));
}

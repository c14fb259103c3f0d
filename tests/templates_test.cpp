// The embedded templates are the files on disk, to the byte.
#include "ffc/templates/templates.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
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
    if (shared) name = "ffc/templates/" + name;
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

TEST_CASE("an unknown name is refused with the known ones") {
  CHECK_THROWS_AS((void)ffc::template_text("missing.cuh"), std::out_of_range);
  CHECK_THROWS_WITH((void)ffc::template_text("missing.cuh"), doctest::Contains("missing.cuh"));
  CHECK_THROWS_WITH((void)ffc::template_text("missing.cuh"), doctest::Contains("arguments.cuh"));
}

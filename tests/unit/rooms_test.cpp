// The folders of generator/src and runtime/src use each other in one direction: the build holds them to it for their
// own headers, and this test the generator's for public ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path generator = FFC_GENERATOR, runtime = FFC_RUNTIME;

/// A room, and those whose headers it sees.
struct Room {
  std::set<std::string> used;
};

/// The lines `ffc_room(name used...)` of a library's build.
std::map<std::string, Room> rooms_of_build(const fs::path& library) {
  std::map<std::string, Room> rooms;
  std::ifstream file(library / "CMakeLists.txt");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view begin = "ffc_room(";
    if (!line.starts_with(begin)) continue;
    std::istringstream words(line.substr(begin.size(), line.find(')') - begin.size()));
    std::string name;
    words >> name;
    Room& room = rooms[name];
    room.used.insert(name);
    for (std::string used; words >> used;) room.used.insert(rooms.at(used).used.begin(), rooms.at(used).used.end());
  }
  return rooms;
}

/// The room of each public header: that of the source of its name, or of what it only declares.
std::map<std::string, std::string> rooms_of_headers(const std::map<std::string, Room>& rooms) {
  std::map<std::string, std::string> found = {{"error", "config"},   {"kernel_arguments", "config"},
                                              {"packing", "config"}, {"plan_language", "plan"},
                                              {"report", "config"},  {"windows", "config"}};
  for (const auto& [name, room] : rooms)
    for (const auto& file : fs::directory_iterator(generator / "src" / name))
      if (fs::exists(generator / "include/ffc/generator" / (file.path().stem().string() + ".hpp")))
        found.emplace(file.path().stem().string(), name);
  return found;
}

/// Names of the public headers that a file includes.
std::vector<std::string> public_includes(const fs::path& path) {
  constexpr std::string_view include = "#include \"ffc/generator/";
  std::vector<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(include)) names.push_back(line.substr(include.size(), line.find(".hpp") - include.size()));
  return names;
}

}  // namespace

TEST_CASE("no source includes a public header of a room that its own does not use") {
  const std::map<std::string, Room> rooms = rooms_of_build(generator);
  const std::map<std::string, std::string> room_of = rooms_of_headers(rooms);
  REQUIRE(rooms.size() > 10);
  const auto check = [&](const fs::path& file, const std::string& room) {
    for (const std::string& header : public_includes(file)) {
      CAPTURE(file.string());
      CAPTURE(header);
      REQUIRE(room_of.contains(header));
      CHECK(rooms.at(room).used.contains(room_of.at(header)));
    }
  };
  int sources = 0;
  for (const auto& [name, room] : rooms)
    for (const auto& file : fs::directory_iterator(generator / "src" / name)) check(file.path(), name), ++sources;
  CHECK(sources > 100);
  for (const auto& file : fs::directory_iterator(generator / "include/ffc/generator")) {
    REQUIRE(room_of.contains(file.path().stem().string()));
    check(file.path(), room_of.at(file.path().stem().string()));
  }
}

TEST_CASE("no folder has more than 16 files, and none is outside of a room") {
  for (const fs::path& library : {generator, runtime}) {
    const std::map<std::string, Room> rooms = rooms_of_build(library);
    REQUIRE(rooms.size() >= 10);
    for (const auto& file : fs::recursive_directory_iterator(library / "src")) {
      CAPTURE(file.path().string());
      if (file.is_directory())
        CHECK(std::distance(fs::directory_iterator(file.path()), fs::directory_iterator()) <= 16);
      else if (file.path().extension() != ".md")
        CHECK(rooms.contains(fs::relative(file.path().parent_path(), library / "src").generic_string()));
    }
  }
}

TEST_CASE("no text of a kernel is made outside of print/") {
  int writers = 0;
  for (const auto& [name, room] : rooms_of_build(generator))
    for (const auto& file : fs::directory_iterator(generator / "src" / name)) {
      CAPTURE(file.path().string());
      std::ifstream source(file.path());
      const std::string text(std::istreambuf_iterator<char>(source), {});
      const bool writes = text.find("TextWriter") != std::string::npos ||
                          text.find("Blocks blocks") != std::string::npos ||
                          text.find("__device__") != std::string::npos;
      if (name == "assembly") continue;  // puts templates together
      if (name.starts_with("print/"))
        writers += writes ? 1 : 0;
      else
        CHECK_FALSE(writes);
    }
  CHECK(writers > 20);
}

TEST_CASE("measured constants name sections of the log that set them") {
  std::set<std::string> sections;
  std::ifstream log(generator / "src/MEASURED.md");
  for (std::string line; std::getline(log, line);)
    if (line.starts_with("## ")) sections.insert(line.substr(3));
  REQUIRE(sections.size() > 10);
  int files = 0, names = 0;
  for (const auto& file : fs::directory_iterator(generator / "src/measured")) {
    ++files;
    CAPTURE(file.path().string());
    // Comments, whose lines may break within a name.
    std::string comments;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);)
      if (const auto begin = line.find("//"); begin != std::string::npos)
        comments += line.substr(std::min(line.size(), line.find_first_not_of("/<", begin))) + " ";
    for (std::size_t at = 0; (at = comments.find('"', at)) != std::string::npos; ++names) {
      const std::size_t end = comments.find('"', at + 1);
      REQUIRE(end != std::string::npos);
      std::string name = comments.substr(at + 1, end - at - 1);
      if (const auto twice = name.find("  "); twice != std::string::npos) name.erase(twice, 1);
      CHECK_MESSAGE(sections.contains(name), name);
      at = end + 1;
    }
  }
  CHECK(files > 5);
  CHECK(names > 15);
}

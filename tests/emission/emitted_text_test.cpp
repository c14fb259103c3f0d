// Emitted texts of all configs of tests/shapes/manifest.txt: everything in them is used, in order, and says where it is
// from and what step of the plan it carries out. The texts are read here by other rules than the generator's own.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../shapes/config_text.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/real_transform.hpp"
#include "share_out.hpp"

using namespace ffc;

namespace {

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<std::string> lines_of(std::istream&& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string without_comments_and_strings(const std::string& line) {
  std::string code;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!in_string && line.compare(i, 2, "//") == 0) break;
    if (line[i] == '"') in_string = !in_string;
    if (!in_string) code += line[i];
  }
  return code;
}

// Where a name stands: the first call or declaration of a function, and how often.
struct Uses {
  std::size_t first = 0;
  int calls = 0, words = 0;
};

class EmittedText {
 public:
  explicit EmittedText(const std::string& source) : lines_(lines_of(std::istringstream(source))) {
    for (std::size_t i = 0; i < lines_.size(); ++i) read(i, without_comments_and_strings(lines_[i]));
  }

  // What is wrong with it, a line each.
  [[nodiscard]] std::vector<std::string> complaints() const {
    std::vector<std::string> found;
    for (const auto& [name, declared] : functions_) {
      const Uses& uses = uses_.at(name);
      if (uses.calls <= declared.second) found.push_back("nobody calls " + name);
      if (uses.first < declared.first) found.push_back(name + " is called before it is declared");
    }
    for (const std::string& name : types_)
      if (uses_.at(name).words < 2) found.push_back("nobody names " + name);
    add_headings_of_nothing(found);
    add_steps(found);
    add_half_written_arrays(found);
    return found;
  }

 private:
  void read(std::size_t number, const std::string& code) {
    if (code.starts_with("__device__")) {
      const std::size_t end = code.find('(');
      std::size_t begin = end;
      while (begin > 0 && is_of_name(code[begin - 1])) --begin;
      auto& declared = functions_.try_emplace(code.substr(begin, end - begin), number, 0).first->second;
      ++declared.second;
    }
    if (code.starts_with("struct ")) types_.insert(code.substr(7, code.find_first_of(" <", 7) - 7));
    for (std::size_t i = 0; i < code.size();) {
      if (!is_of_name(code[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < code.size() && is_of_name(code[i])) ++i;
      const bool member = begin > 0 && (code[begin - 1] == '.' || code[begin - 1] == '>');
      const bool call = !member && i < code.size() && (code[i] == '(' || code[i] == '<');
      Uses& uses = uses_[code.substr(begin, i - begin)];
      if (call && uses.calls++ == 0) uses.first = number;
      ++uses.words;
    }
  }

  void add_headings_of_nothing(std::vector<std::string>& found) const {
    std::string heading;  // with nothing under it yet
    for (const std::string& line : lines_) {
      if (line.starts_with("// ---- ")) {
        if (!heading.empty()) found.push_back("nothing stands under " + heading);
        heading = line;
      } else if (!line.empty() && !line.starts_with("//") && !line.starts_with("#e") && !line.starts_with("}")) {
        heading.clear();
      }
    }
    if (!heading.empty()) found.push_back("nothing stands under " + heading);
  }

  // Steps of the header's list that no comment names, and names of others.
  void add_steps(std::vector<std::string>& found) const {
    constexpr std::string_view listed = "//   step ";
    std::set<int> in_list, in_body;
    for (const std::string& line : lines_)
      if (line.starts_with(listed))
        in_list.insert(std::stoi(line.substr(listed.size())));
      else
        add_named_steps(line, in_body);
    for (const int step : in_list)
      if (!in_body.contains(step)) found.push_back("no comment names step " + std::to_string(step));
    for (const int step : in_body)
      if (!in_list.contains(step)) found.push_back("no list has step " + std::to_string(step));
  }

  // Of "// step 2: ...", "// steps 2, 4 to 6 and 8".
  static void add_named_steps(const std::string& line, std::set<int>& steps) {
    const std::size_t at = line.find("// step");
    if (at == std::string::npos) return;
    std::istringstream words(line.substr(at + 3, line.find(':', at) - at - 3));
    int last = 0;
    bool range = false;
    for (std::string word; words >> word;) {
      if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
        const int step = std::stoi(word);
        for (int each = range ? last + 1 : step; each <= step; ++each) steps.insert(each);
        last = step;
      }
      range = word == "to";
    }
  }

  // Arrays of chunks in registers that are written in a loop that ends early for some threads, and do not begin with
  // zeros: the compiler keeps them, with nothing in them, through all loops around that one.
  void add_half_written_arrays(std::vector<std::string>& found) const {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& line = lines_[i];
      const std::size_t begin = indentation(line), end = line.find('[');
      if (end == std::string::npos || line.find("] = ", end) == std::string::npos) continue;
      const std::string name = line.substr(begin, end - begin);
      if (!std::all_of(name.begin(), name.end(), is_of_name) || !ends_early(i)) continue;
      if (const std::string declared = declaration(i, name);
          !declared.empty() && declared.find(" = {}") == std::string::npos)
        found.push_back(name + " is written in a loop that ends early, and begins with nothing");
    }
  }

  static std::size_t indentation(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    return begin == std::string::npos ? line.size() : begin;
  }

  // Whether the loop around a line ends ahead of it, on a condition that only a thread knows.
  [[nodiscard]] bool ends_early(std::size_t number) const {
    const std::size_t depth = indentation(lines_[number]);
    for (std::size_t i = number; i-- > 0;) {
      const std::string& line = lines_[i];
      if (line.empty() || line.starts_with("#")) continue;
      if (indentation(line) < depth) return false;
      const bool known = line.find("!= 0 &&") != std::string::npos;
      if (indentation(line) == depth && line.find(" break;") != std::string::npos && !known) return true;
    }
    return false;
  }

  // What an array is declared as: "values[8] = {}". One of bare registers alone, not of a type that begins with zeros.
  [[nodiscard]] std::string declaration(std::size_t number, const std::string& name) const {
    for (std::size_t i = number; i-- > 0;) {
      const std::string& line = lines_[i];
      const std::size_t at = line.find(" " + name + "[");
      if (line.substr(indentation(line)).starts_with("uint4 ") && at != std::string::npos)
        return line.substr(at + 1, line.find_first_of(",;", at) - at - 1);
    }
    return {};
  }

  std::vector<std::string> lines_;
  std::map<std::string, std::pair<std::size_t, int>> functions_;  // the first declaration, and how many there are
  std::set<std::string> types_;
  std::map<std::string, Uses> uses_;
};

std::vector<std::string> complaints_of(const std::string& source) { return EmittedText(source).complaints(); }

}  // namespace

TEST_CASE("functions that nobody calls are seen, and calls ahead of a declaration, empty headings, lost steps") {
  const std::string good =
      "// ---- templates/a.cuh\n\n__device__ int f(int a) { return a; }\n\nvoid entry() { f(2); }  // g(\n";
  CHECK(complaints_of(good).empty());
  CHECK(complaints_of("__device__ int f(int a) { return a; }\nstruct A {};\n") ==
        std::vector<std::string>{"nobody calls f", "nobody names A"});
  CHECK(complaints_of(
            "__device__ int f(int a) { return g(a); }\n__device__ int g(int a) { return a; }\nint h = f(2);\n") ==
        std::vector<std::string>{"g is called before it is declared"});
  CHECK(complaints_of("// ---- templates/a.cuh\n// Of a.\n\n" + good) ==
        std::vector<std::string>{"nothing stands under // ---- templates/a.cuh"});
  const std::string list = "//   step 1: load\n//   step 2: a\n//   step 3: b\n//   step 4: c\n";
  CHECK(complaints_of(list + "// steps 1 to 3: of 5\nint a;  // step 4\n").empty());
  CHECK(complaints_of(list + "// steps 1, 2 and 4\n// a step 5\n") ==
        std::vector<std::string>{"no comment names step 3"});
  CHECK(complaints_of(list + "// steps 1 to 5\n") == std::vector<std::string>{"no list has step 5"});
}

TEST_CASE("arrays that some threads leave unwritten are seen") {
  const auto text = [](std::string_view begin, std::string_view condition) {
    return "  uint4 gates[8]" + std::string(begin) + ";\n#pragma unroll\n  for (int i = 0; i < 8; ++i) {\n    if (" +
           std::string(condition) + ") break;\n    const int row = i;\n    gates[i] = read(row);\n  }\n";
  };
  CHECK(complaints_of(text("", "row >= 61")) ==
        std::vector<std::string>{"gates is written in a loop that ends early, and begins with nothing"});
  CHECK(complaints_of(text(" = {}", "row >= 61")).empty());
  CHECK(complaints_of(text("", "count % threads != 0 && row >= count")).empty());
}

TEST_CASE("of all that the manifest's configs emit, nothing is left over, lost or out of order") {
  const std::vector<std::string> configs = lines_of(std::ifstream(FFC_SHAPES_MANIFEST));
  REQUIRE(configs.size() > 1000);
  std::mutex mutex;
  std::map<std::string, std::string> found;  // what is wrong, and with which kernel, once each
  conv_tests::share_out(static_cast<int>(configs.size()), [&](int i) {
    const std::string& line = configs[static_cast<std::size_t>(i)];
    if (line.empty() || line.starts_with("#")) return;
    ConvConfig config = shapes::parse_config(line);
    config.arch = i % 2 == 0 ? "sm_80" : "sm_90a";
    try {
      const Generated generated = generate(config);
      for (const ProgramView& program : programs(generated))
        for (const std::string& complaint : complaints_of(program.kernel->source)) {
          const std::lock_guard lock(mutex);
          found.emplace(complaint, program.kernel->name);
        }
    } catch (const ConfigError&) {  // of an arch that cannot have it
    }
  });
  for (const auto& each : found) CHECK_MESSAGE(false, each.second << ": " << each.first);
}

TEST_CASE("of transforms between taps and spectra, too") {
  for (const std::int64_t length : {16, 61, 1000, 1009, 2018, 4095, 33275, 65536, 1048576})
    for (const Pass pass : {Pass::forward, Pass::backward})
      for (const std::int64_t taps : {length, length - 1}) {
        const GeneratedRealTransform generated =
            generate_real_transform({.length = length, .taps = taps, .pass = pass, .arch = "sm_90a"});
        for (const std::string& complaint : complaints_of(generated.kernel.source))
          CHECK_MESSAGE(false, generated.kernel.name << ": " << complaint);
      }
}

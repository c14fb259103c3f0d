// The pages: no link points at a file or a heading that is not there, and what a user can name is named on one page.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "ffc_gen_run.hpp"

namespace fs = std::filesystem;
using ffc::gen_tests::read_text;

namespace {

const fs::path root = FFC_SOURCE;

/// All files of the source tree with that ending, without builds and what is hidden.
std::vector<fs::path> files_ending_in(const std::vector<std::string>& endings) {
  std::vector<fs::path> found;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    const std::string name = it->path().filename().string();
    if (it->is_directory() && (name.starts_with('.') || name == "build")) {
      it.disable_recursion_pending();
      continue;
    }
    if (std::ranges::any_of(endings, [&](const std::string& ending) { return name.ends_with(ending); }))
      found.push_back(it->path());
  }
  std::ranges::sort(found);
  return found;
}

/// A page's text without code, in which nothing is a link or a heading.
std::string without_code(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code) result += line + '\n';
  }
  return std::regex_replace(result, std::regex("`[^`\n]*`"), "`");
}

/// What a heading is linked as: lower case, spaces as dashes, letters, digits, dashes and underscores alone.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(letter));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

/// Headings may hold code, which is part of their anchor.
std::set<std::string> anchors_of(const fs::path& page) {
  std::istringstream lines(read_text(page));
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  bool code = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (code || !line.starts_with('#')) continue;
    const std::string anchor = anchor_of(line.substr(std::min(line.find_first_not_of("# "), line.size())));
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

/// Why a link of a page leads nowhere; empty where it does not.
std::string broken(const fs::path& page, const std::string& target) {
  if (target.find("://") != std::string::npos) return {};
  const std::size_t hash = target.find('#');
  const std::string path = target.substr(0, hash);
  const fs::path file = path.empty() ? page : page.parent_path() / path;
  if (!fs::exists(file)) return "no such file";
  if (hash == std::string::npos) return {};
  return anchors_of(file).contains(target.substr(hash + 1)) ? "" : "no such heading";
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), expression); it != std::sregex_iterator(); ++it)
    found.push_back((*it)[1]);
  return found;
}

}  // namespace

TEST_CASE("links lead somewhere") {
  const std::vector<fs::path> pages = files_ending_in({".md"});
  CHECK(pages.size() >= 9);
  int links = 0;
  for (const fs::path& page : pages) {
    CAPTURE(page.string());
    for (const std::string& target : matches(without_code(read_text(page)), R"(\]\(([^)\s]+)\))")) {
      CAPTURE(target);
      CHECK(broken(page, target) == "");
      ++links;
    }
  }
  CHECK(links > 50);
}

TEST_CASE("a link to a file or a heading that is not there is seen") {
  CHECK(broken(root / "README.md", "runtime/README.md#gradients") == "");
  CHECK(broken(root / "README.md", "runtime/NONE.md") == "no such file");
  CHECK(broken(root / "README.md", "runtime/README.md#no-such-part") == "no such heading");
  CHECK(anchor_of("Plain, L = N/2") == "plain-l--n2");
  CHECK(anchor_of("PyTorch's `fft`") == "pytorchs-fft");
}

TEST_CASE("the front page is short") {
  const std::string text = read_text(root / "README.md");
  CHECK(std::ranges::count(text, '\n') <= 150);
}

TEST_CASE("every public header is named on the page of the design") {
  const std::string page = read_text(root / "generator" / "README.md");
  int headers = 0;
  for (const fs::path& file : files_ending_in({".hpp"})) {
    const std::string path = fs::relative(file, root).generic_string();
    const std::size_t folder = path.find("/include/");
    if (folder == std::string::npos || path.starts_with("tests/")) continue;
    const std::string name = path.substr(folder + std::string("/include/").size());
    CAPTURE(name);
    CHECK(page.find('`' + name + '`') != std::string::npos);
    ++headers;
  }
  CHECK(headers > 10);
}

TEST_CASE("every option of ffc-gen is named on the page of the interface") {
  const std::string page = read_text(root / "runtime" / "README.md");
  const ffc::gen_tests::Sandbox sandbox;
  std::set<std::string> options;
  for (const char* help : {"--help", "cache --help"})
    for (const std::string& option : matches(sandbox.run(help).out, R"((--[a-z][a-z-]*))")) options.insert(option);
  CHECK(options.size() > 20);
  for (const std::string& option : options) {
    CAPTURE(option);
    CHECK(page.find('`' + option) != std::string::npos);
  }
}

TEST_CASE("every variable of the environment that is read is in the table of the interface") {
  const std::string page = read_text(root / "runtime" / "README.md");
  std::set<std::string> variables;
  for (const fs::path& file : files_ending_in({".cpp", ".hpp"}))
    for (const char* pattern :
         {R"x((?:getenv|environment)\("([A-Z][A-Z_]+)"\))x", R"x(read_switch\([^"]*"([A-Z][A-Z_]+)")x"})
      for (const std::string& name : matches(read_text(file), pattern)) variables.insert(name);
  for (const fs::path& file : files_ending_in({".sh"}))
    for (const std::string& name : matches(read_text(file), R"(\$\{(FFC_[A-Z_]+):-)")) variables.insert(name);
  for (const fs::path& file : files_ending_in({".py"}))
    for (const std::string& name : matches(read_text(file), R"x(environ\.[a-z]+\("([A-Z][A-Z_]+)")x"))
      variables.insert(name);
  CHECK(variables.size() > 8);
  for (const std::string& name : variables) {
    CAPTURE(name);
    CHECK(page.find('`' + name + '`') != std::string::npos);
  }
}

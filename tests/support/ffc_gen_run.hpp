// Runs ffc-gen as a user does, in a folder of its own or at a terminal. Programs that include this define FFC_GEN, and
// FFC_CMAKE and FFC_TESTS, which take JSON apart.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ffc::gen_tests {

namespace fs = std::filesystem;

/// What a program left: its exit status (-1 where a signal ended it) and what it printed.
struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// How often `part` occurs in `text`, without overlaps.
inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// A folder of its own with an empty cache, removed at the end.
class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (fs::temp_directory_path() / "ffc_gen_test_XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~Sandbox() { fs::remove_all(folder_); }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] Outcome run(const std::string& arguments) const { return shell(quoted(FFC_GEN) + " " + arguments); }

  /// One member of what --json printed; the parser is CMake's.
  [[nodiscard]] std::string json(const std::string& text, const std::string& member) const {
    std::ofstream(path("document.json")) << text;
    const auto outcome = shell(quoted(FFC_CMAKE) + " -DFILE=" + quoted(path("document.json").string()) +
                               " '-DMEMBER=" + member + "' -P " + quoted(FFC_TESTS "/json_get.cmake"));
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    return outcome.out.substr(0, outcome.out.find('\n'));
  }

  [[nodiscard]] Outcome shell(const std::string& command) const {
    const auto out = path("stdout"), err = path("stderr");
    const int status = std::system(("FFC_CACHE_DIR=" + quoted(path("cache").string()) + " " + command + " >" +
                                    quoted(out.string()) + " 2>" + quoted(err.string()))
                                       .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
  }

 private:
  static std::string quoted(const std::string& text) { return "'" + text + "'"; }

  fs::path folder_;
};

/// What a program writes to a terminal on stderr.
inline std::string terminal_output(std::vector<std::string> arguments) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(other_end >= 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(other_end, STDERR_FILENO);
    close(terminal);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (auto& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  close(other_end);
  std::string text;
  char buffer[512];
  for (ssize_t got = 0; (got = read(terminal, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(terminal);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return text;
}

}  // namespace ffc::gen_tests

// Runs the compiler as a process of its own, in a temporary folder that goes away again.
#include "host_compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "compiler.hpp"
#include "ffc/cache/sha256.hpp"
#include "ffc/generator/host_program.hpp"
#include "ffc/runtime/errors.hpp"

extern char** environ;  // NOLINT: some systems declare it themselves

namespace ffc::host {
namespace {

// A new folder below the system's temporary one, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error) {
      const char* const named = std::getenv("TMPDIR");
      throw CompileError(fmt::format("no temporary folder: '{}' ({}); the environment variable TMPDIR names one",
                                     named != nullptr ? named : "/tmp", error.message()));
    }
    std::string name = (parent / "ffc-host-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw CompileError(fmt::format("no temporary folder {}: {}", name, std::strerror(errno)));
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!file) throw CompileError(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
}

// From a pipe, until nobody writes to it.
std::string read_all(int pipe_end) {
  std::string text;
  char bytes[4096];
  for (;;) {
    const ssize_t got = read(pipe_end, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(got));
  }
}

// What became of a command: its exit status, or why it did not run.
struct Outcome {
  int status = 0;
  int error = 0;
  std::string output;
};

// What the command says comes through a pipe: a disk that is full would swallow that it is.
Outcome run(const std::vector<std::string>& words) {
  Outcome outcome;
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    outcome.error = errno;
    return outcome;
  }
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  outcome.error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (outcome.error == 0) outcome.output = read_all(pipe_ends[0]);
  close(pipe_ends[0]);
  if (outcome.error != 0) return outcome;
  while (waitpid(process, &outcome.status, 0) < 0)
    if (errno != EINTR) {
      outcome.error = errno;
      return outcome;
    }
  return outcome;
}

std::string describe(const Outcome& outcome) {
  if (outcome.error != 0) return std::strerror(outcome.error);
  if (WIFSIGNALED(outcome.status)) return fmt::format("ended by signal {}", WTERMSIG(outcome.status));
  return fmt::format("exit status {}", WEXITSTATUS(outcome.status));
}

std::vector<std::string> options_for(std::string_view arch) {
  // Sums of products round where the text says so, as on the device. The kernel reads its rows as words.
  return {"-std=c++20",
          "-Og",
          "-w",
          "-fPIC",
          "-shared",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-DFFC_HOST",
          fmt::format("-D__CUDA_ARCH__={}", parse_arch(arch).number * 10)};
}

cache::Key key_of(const GeneratedKernel& kernel, const std::string& program, std::string_view arch,
                  const CompilerCommand& command) {
  cache::Key key;
  key.partition = "host";
  key.name = kernel.name.substr(0, cache::max_name_length);
  key.text = fmt::format("format={}\ncompiler={}\nversion={}\nentry={}\n", cache::format_version,
                         fmt::join(command.words, " "), command.version, kernel.name);
  for (const std::string& option : options_for(arch)) key.text += fmt::format("option={}\n", option);
  key.text += fmt::format("program[{}]=sha256:{}\n", program.size(), cache::sha256_hex(program));
  return key;
}

// The shared object of a program, and what the compiler said.
Outcome build(const GeneratedKernel& kernel, const std::string& program, std::string_view arch,
              const CompilerCommand& command, std::string& bytes) {
  TemporaryFolder folder;
  const std::string source = folder.file(kernel.name + ".cpp"), object = folder.file("program.so");
  write_file(source, program);
  std::vector<std::string> words = command.words;
  for (std::string& option : options_for(arch)) words.push_back(std::move(option));
  words.insert(words.end(), {source, "-o", object});
  Outcome outcome = run(words);
  if (outcome.error == 0 && outcome.status == 0) bytes = read_file(object);
  if (bytes.empty()) {
    folder.keep();
    throw CompileError(fmt::format("'{}' did not compile kernel {} for the host ({})\noptions: {}\nsource: {}\n{}",
                                   fmt::join(command.words, " "), kernel.name, describe(outcome),
                                   fmt::join(options_for(arch), " "), source, outcome.output),
                       outcome.output, fmt::format("{}", fmt::join(words, " ")), source);
  }
  return outcome;
}

}  // namespace

Program::Program(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("program.so");
  write_file(path, bytes);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) throw CompileError(fmt::format("a program for the host cannot be loaded: {}", dlerror()));
  entry_.enter = reinterpret_cast<decltype(entry_.enter)>(dlsym(handle_, "ffc_host_enter"));
  entry_.run = reinterpret_cast<decltype(entry_.run)>(dlsym(handle_, "ffc_host_run"));
  if (entry_.enter != nullptr && entry_.run != nullptr) return;
  dlclose(handle_);
  throw CompileError("a program for the host has no ffc_host_enter or no ffc_host_run");
}

Program::~Program() { dlclose(handle_); }

CompilerCommand find_compiler() {
  CompilerCommand command;
  const char* const named = std::getenv("CXX");
  std::istringstream words(named != nullptr && *named != '\0' ? named : "c++");
  for (std::string word; words >> word;) command.words.push_back(word);
  if (command.words.empty()) command.words.emplace_back("c++");
  std::vector<std::string> asking = command.words;
  asking.emplace_back("--version");
  const Outcome outcome = run(asking);
  // A shell or a loader that finds nothing to run says 127.
  if (outcome.error != 0 || outcome.status != 0)
    throw CompileError(
        fmt::format("no C++ compiler: '{} --version' failed ({}); running kernels on the host needs one, "
                    "named by the environment variable CXX or installed as c++",
                    fmt::join(command.words, " "), describe(outcome)));
  command.version = outcome.output.substr(0, outcome.output.find('\n'));
  return command;
}

const CompilerCommand& HostCompiler::command() {
  const std::lock_guard lock(mutex_);
  if (!command_) command_ = std::make_unique<const CompilerCommand>(find_compiler());
  return *command_;
}

std::shared_ptr<const Program> HostCompiler::compile(const GeneratedKernel& kernel, std::string_view arch) {
  const CompilerCommand& compiler = command();
  const std::string program = host_program(kernel);
  const cache::Key key = key_of(kernel, program, arch, compiler);
  return flights_
      .run(key.text,
           [&]() -> std::shared_ptr<const Program> {
             if (const std::optional<cache::Loaded> loaded = store_.load(key)) {
               try {
                 return std::make_shared<Program>(loaded->binary);
               } catch (const CompileError&) {
                 // Another machine's, on a cache that both see: this one's takes its place.
               }
             }
             if (!store_.options().may_compile) throw_forbidden(kernel, arch);
             std::string bytes;
             const Outcome outcome = build(kernel, program, arch, compiler, bytes);
             store_.save(key, {.source = program, .binary = bytes, .log = outcome.output});
             return std::make_shared<Program>(bytes);
           })
      .first;
}

}  // namespace ffc::host

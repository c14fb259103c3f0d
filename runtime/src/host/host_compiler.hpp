// Emitted text to a program for the host: through the disk cache, else through the system's C++ compiler.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "block.hpp"
#include "ffc/cache/store.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "single_flight.hpp"

namespace ffc::host {

/// A loaded program. Unloaded with the last handle.
class Program {
 public:
  /// Loads a shared object from its bytes. Throws CompileError where they are none.
  explicit Program(const std::string& bytes);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const Entry& entry() const { return entry_; }

 private:
  void* handle_ = nullptr;
  Entry entry_;
};

/// The system's C++ compiler: the words of $CXX, else c++.
struct CompilerCommand {
  std::vector<std::string> words;
  std::string version;  ///< first line of what it says to --version
};

/// Asks the compiler for its version. Throws CompileError that names the command where there is none.
[[nodiscard]] CompilerCommand find_compiler();

/// Thread-safe. One compile per key however many threads ask at once.
class HostCompiler {
 public:
  explicit HostCompiler(cache::Options options) : store_(std::move(options)) {}

  /// Throws CompileError with the compiler's log and the path of the program's text; nothing is stored then.
  [[nodiscard]] std::shared_ptr<const Program> compile(const GeneratedKernel& kernel, std::string_view arch);

 private:
  const CompilerCommand& command();

  std::mutex mutex_;
  std::unique_ptr<const CompilerCommand> command_;
  cache::Store store_;
  SingleFlight<std::string, std::shared_ptr<const Program>> flights_;
};

}  // namespace ffc::host

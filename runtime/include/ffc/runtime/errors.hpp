// The errors of compiling, loading and launching.
#pragma once

#include <string>
#include <utility>

#include "ffc/generator/error.hpp"

namespace ffc {

/// NVRTC is missing or refused a program. Carries the compiler's log, the options and where the source was written.
class CompileError : public Error {
 public:
  CompileError(const std::string& what, std::string log = {}, std::string options = {}, std::string source_path = {})
      : Error(what), log_(std::move(log)), options_(std::move(options)), source_path_(std::move(source_path)) {}

  [[nodiscard]] const std::string& log() const { return log_; }
  [[nodiscard]] const std::string& options() const { return options_; }
  [[nodiscard]] const std::string& source_path() const { return source_path_; }

 private:
  std::string log_, options_, source_path_;
};

/// The CUDA driver is missing, too old, or returned an error. Carries the driver's return code (0 where none).
class DriverError : public Error {
 public:
  explicit DriverError(const std::string& what, int code = 0) : Error(what), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Arguments of a launch or of prepare_filter that the kernel cannot run with. Thrown before anything is launched.
class LaunchError : public Error {
 public:
  using Error::Error;
};

}  // namespace ffc

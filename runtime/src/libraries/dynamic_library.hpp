// A shared library opened at run time: how NVRTC and the driver are reached without linking them.
#pragma once

#include <string>

namespace ffc {

/// Never closed: what NVRTC and the driver keep running (threads, exit handlers) outlives any owner we could name.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that opens. Empty when none does; `problems` then has a line for each.
  template <typename Names>
  static DynamicLibrary open_first(const Names& names, std::string& problems) {
    for (const std::string& name : names) {
      DynamicLibrary library(name, problems);
      if (library) return library;
    }
    return {};
  }

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Null where there is no such symbol.
  [[nodiscard]] void* symbol(const char* symbol_name) const;

 private:
  DynamicLibrary() = default;
  DynamicLibrary(const std::string& name, std::string& problems);

  void* handle_ = nullptr;
  std::string name_;
};

/// The file that the code at `address` was loaded from; empty where that is unknown.
[[nodiscard]] std::string file_of_address(const void* address);

}  // namespace ffc

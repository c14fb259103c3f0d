// dlopen and dlsym.
#include "dynamic_library.hpp"

#include <dlfcn.h>

namespace ffc {

DynamicLibrary::DynamicLibrary(const std::string& name, std::string& problems)
    : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)), name_(name) {
  if (handle_ != nullptr) return;
  const char* reason = dlerror();
  problems += "\n  " + name + ": " + (reason != nullptr ? reason : "cannot be opened");
}

void* DynamicLibrary::symbol(const char* symbol_name) const { return dlsym(handle_, symbol_name); }

std::string file_of_address(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace ffc

// `bench --startup`: what get_kernel costs compiled, from disk and from memory.
#pragma once

#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "bench_options.hpp"

namespace ffc::examples {

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline ConvConfig startup_config(std::int64_t n) { return make_config(n, "circular", Gating::none, DataType::fp16); }

constexpr std::int64_t startup_lengths[] = {1024, 4096, 32768, 1048576};

/// In a process of its own with a warm cache: what get_kernel costs once driver, NVRTC and cache are open.
inline void startup_child() {
  (void)get_kernel(startup_config(512));
  for (const std::int64_t n : startup_lengths)
    fmt::print("get_kernel N={} from disk: {:.2f} ms\n", n,
               1e3 * seconds_of([&] { (void)get_kernel(startup_config(n)); }));
  constexpr int calls = 100000;
  const ConvConfig config = startup_config(4096);
  const double seconds = seconds_of([&] {
    for (int i = 0; i < calls; ++i) (void)get_kernel(config);
  });
  fmt::print("get_kernel from memory: {:.0f} ns\n", 1e9 * seconds / calls);
}

inline int startup(const char* program) {
  std::string folder = (std::filesystem::temp_directory_path() / "ffc-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder at " + folder);
  setenv("FFC_CACHE_DIR", folder.c_str(), 1);
  (void)get_kernel(startup_config(512));
  for (const std::int64_t n : startup_lengths)
    fmt::print("get_kernel N={} compiled, all its programs: {:.2f} s\n", n,
               seconds_of([&] { (void)get_kernel(startup_config(n)); }));
  std::fflush(stdout);
  const int status = std::system(fmt::format("'{}' --startup-child", program).c_str());
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}

}  // namespace ffc::examples

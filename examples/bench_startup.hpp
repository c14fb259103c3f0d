// `bench --startup`: what get_kernel costs compiled, from disk and from memory.
#pragma once

#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "bench_options.hpp"
#include "machine.hpp"

namespace ffc::examples {

inline double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline ConvConfig startup_config(std::int64_t n) { return make_config(n, "circular", Gating::none, DataType::fp16); }

constexpr std::int64_t startup_lengths[] = {1024, 4096, 32768, 1048576};

/// One cost of get_kernel; `from` names where the kernel comes from, N is 0 where it does not matter.
inline void print_startup(const char* from, std::int64_t fft_length, double milliseconds) {
  fmt::print("{},{},{:.6f}\n", from, fft_length, milliseconds);
  std::fflush(stdout);
}

/// In a process of its own with a warm cache: what get_kernel costs once driver, NVRTC and cache are open.
inline void startup_child(const Device& device) {
  (void)get_kernel(startup_config(512), device);
  for (const std::int64_t n : startup_lengths)
    print_startup("disk", n, 1e3 * seconds_of([&] { (void)get_kernel(startup_config(n), device); }));
  constexpr int calls = 100000;
  const ConvConfig config = startup_config(4096);
  const double seconds = seconds_of([&] {
    for (int i = 0; i < calls; ++i) (void)get_kernel(config, device);
  });
  print_startup("memory", 0, 1e3 * seconds / calls);
}

/// Prints a CSV: what a kernel costs that is compiled, all its programs, into an empty cache; from disk; from memory.
inline int startup(const char* program, const Machine& machine) {
  std::string folder = (std::filesystem::temp_directory_path() / "ffc-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder at " + folder);
  setenv("FFC_CACHE_DIR", folder.c_str(), 1);
  fmt::print("from,fft_length,ms\n");
  (void)get_kernel(startup_config(512), machine.device());
  for (const std::int64_t n : startup_lengths)
    print_startup("compiled", n, 1e3 * seconds_of([&] { (void)get_kernel(startup_config(n), machine.device()); }));
  const char* const name = machine.is_host() ? "host" : "gpu";
  const int status = std::system(fmt::format("'{}' --startup-child --device {}", program, name).c_str());
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}

}  // namespace ffc::examples

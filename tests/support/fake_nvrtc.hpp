// An NVRTC that exists only in memory: what the runtime's tests put in the place of the real one.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <string>
#include <thread>

#include "nvrtc_api.hpp"

namespace ffc::fakes {

/// The fake compiler: its "cubin" is the source. `fails`: it refuses all.
struct FakeNvrtc {
  std::atomic<int> compiles = 0;
  std::chrono::milliseconds time_to_compile{0};
  std::atomic<bool> fails = false;
};
inline FakeNvrtc*& current_nvrtc() {
  static FakeNvrtc* nvrtc = nullptr;
  return nvrtc;
}
struct FakeProgram {
  std::string source;
};
inline FakeProgram& program_of(nvrtcProgram program) { return *reinterpret_cast<FakeProgram*>(program); }

inline NvrtcApi fake_nvrtc_api(int major = 13, int minor = 0) {
  NvrtcApi api;
  api.path = "fake/libnvrtc.so";
  api.major = major;
  api.minor = minor;
  api.get_error_string = [](nvrtcResult) { return "FAKE_NVRTC_ERROR"; };
  api.get_num_supported_archs = [](int* count) { return *count = 2, NVRTC_SUCCESS; };
  api.get_supported_archs = [](int* archs) { return archs[0] = 80, archs[1] = 90, NVRTC_SUCCESS; };
  api.create_program = [](nvrtcProgram* program, const char* source, const char*, int, const char* const*,
                          const char* const*) {
    *program = reinterpret_cast<nvrtcProgram>(new FakeProgram{source});
    return NVRTC_SUCCESS;
  };
  api.compile_program = [](nvrtcProgram, int, const char* const*) {
    ++current_nvrtc()->compiles;
    std::this_thread::sleep_for(current_nvrtc()->time_to_compile);
    return current_nvrtc()->fails ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
  };
  api.destroy_program = [](nvrtcProgram* program) { return delete &program_of(*program), NVRTC_SUCCESS; };
  api.get_cubin_size = [](nvrtcProgram program, std::size_t* size) {
    return *size = program_of(program).source.size(), NVRTC_SUCCESS;
  };
  api.get_cubin = [](nvrtcProgram program, char* cubin) {
    const std::string& source = program_of(program).source;
    std::copy(source.begin(), source.end(), cubin);
    return NVRTC_SUCCESS;
  };
  api.get_log_size = [](nvrtcProgram, std::size_t* size) { return *size = 9, NVRTC_SUCCESS; };
  api.get_log = [](nvrtcProgram, char* log) {
    constexpr char text[] = "fake log";
    return std::copy(std::begin(text), std::end(text), log), NVRTC_SUCCESS;
  };
  return api;
}

}  // namespace ffc::fakes

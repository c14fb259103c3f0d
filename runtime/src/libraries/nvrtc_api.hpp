// The functions of NVRTC that ffc calls, as a table that is filled at run time (or by a test).
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

namespace ffc {

// Every function of the table. The name of the member, the name of the symbol.
#define FFC_NVRTC_FUNCTIONS(FUNCTION)                          \
  FUNCTION(get_version, nvrtcVersion)                          \
  FUNCTION(get_error_string, nvrtcGetErrorString)              \
  FUNCTION(get_num_supported_archs, nvrtcGetNumSupportedArchs) \
  FUNCTION(get_supported_archs, nvrtcGetSupportedArchs)        \
  FUNCTION(create_program, nvrtcCreateProgram)                 \
  FUNCTION(compile_program, nvrtcCompileProgram)               \
  FUNCTION(destroy_program, nvrtcDestroyProgram)               \
  FUNCTION(get_cubin_size, nvrtcGetCUBINSize)                  \
  FUNCTION(get_cubin, nvrtcGetCUBIN)                           \
  FUNCTION(get_log_size, nvrtcGetProgramLogSize)               \
  FUNCTION(get_log, nvrtcGetProgramLog)

struct NvrtcApi {
#define FFC_NVRTC_MEMBER(member, symbol) decltype(&::symbol) member = nullptr;  // NOLINT: a name
  FFC_NVRTC_FUNCTIONS(FFC_NVRTC_MEMBER)
#undef FFC_NVRTC_MEMBER
  std::string path;  ///< where it was loaded from, for messages
  int major = 0;     ///< of its version, which is that of its toolkit
  int minor = 0;
};

/// Libraries that are tried in turn: FFC_NVRTC_LIBRARY alone where it is set, else the one that the build found, then
/// the loader's search path.
[[nodiscard]] std::vector<std::string> nvrtc_candidates();

/// Opens the first candidate that opens. Throws CompileError with what was tried and why each failed.
[[nodiscard]] NvrtcApi load_nvrtc(const std::vector<std::string>& candidates);

}  // namespace ffc

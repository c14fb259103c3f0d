# Finds cuda.h, nvrtc.h and the NVRTC library: in a CUDA toolkit, else in the pip wheels nvidia-cuda-runtime and
# nvidia-cuda-nvrtc of a Python. Nothing is linked: NVRTC and the driver are opened at run time.
#
# Input:  FFC_CUDA_FROM   auto, toolkit or wheel
#         FFC_PYTHON      the Python whose packages are searched, python3 where it is empty
# Output: FFC_CUDA_FOUND, FFC_CUDA_VERSION, FFC_CUDA_PROBLEM (why nothing was found)
#         FFC_CUDA_H_DIR, FFC_NVRTC_H_DIR   include directories
#         FFC_NVRTC_LIBRARY                 the shared library
# Also runs as a script, to ask whether there is a toolkit: cmake -DFFC_CUDA_FROM=toolkit -P find_cuda.cmake

set(ffc_cuda_oldest 12080)  # 12.8, the first that knows every architecture that ffc generates for

if(NOT FFC_CUDA_FROM)
  set(FFC_CUDA_FROM auto)
endif()
if(NOT FFC_CUDA_FROM MATCHES "^(auto|toolkit|wheel)$")
  message(FATAL_ERROR "FFC_CUDA_FROM is '${FFC_CUDA_FROM}'; it takes auto, toolkit or wheel")
endif()

macro(ffc_find_cuda_below)
  set(ffc_include_suffixes include targets/x86_64-linux/include targets/sbsa-linux/include)
  set(ffc_library_suffixes lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib lib/x86_64-linux-gnu
                           lib/aarch64-linux-gnu)
  find_path(FFC_CUDA_H_DIR cuda.h PATHS ${ARGN} PATH_SUFFIXES ${ffc_include_suffixes} NO_DEFAULT_PATH)
  find_path(FFC_NVRTC_H_DIR nvrtc.h PATHS ${ARGN} PATH_SUFFIXES ${ffc_include_suffixes} NO_DEFAULT_PATH)
  # Wheels hold the versioned file only.
  find_file(FFC_NVRTC_LIBRARY NAMES libnvrtc.so libnvrtc.so.13 libnvrtc.so.12 PATHS ${ARGN}
            PATH_SUFFIXES ${ffc_library_suffixes} NO_DEFAULT_PATH)
  if(FFC_CUDA_H_DIR AND FFC_NVRTC_H_DIR)
    file(STRINGS ${FFC_CUDA_H_DIR}/cuda.h FFC_CUDA_VERSION REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+" FFC_CUDA_VERSION "${FFC_CUDA_VERSION}")
    if(FFC_CUDA_VERSION LESS ffc_cuda_oldest)
      string(APPEND FFC_CUDA_PROBLEM " ${FFC_CUDA_H_DIR}/cuda.h is of version ${FFC_CUDA_VERSION}, older than"
                                     " ${ffc_cuda_oldest}.")
      unset(FFC_CUDA_H_DIR CACHE)
      unset(FFC_NVRTC_H_DIR CACHE)
      unset(FFC_NVRTC_LIBRARY CACHE)
    else()
      set(FFC_CUDA_FOUND TRUE)
    endif()
  else()
    string(APPEND FFC_CUDA_PROBLEM " No cuda.h and nvrtc.h below any of: ${ARGN}.")
  endif()
endmacro()

set(FFC_CUDA_FOUND FALSE)
set(FFC_CUDA_PROBLEM "")
if(FFC_CUDA_FROM MATCHES "auto|toolkit")
  file(TO_CMAKE_PATH "$ENV{CUDAToolkit_ROOT};$ENV{CUDA_PATH};$ENV{CUDA_HOME}" ffc_environment_roots)
  ffc_find_cuda_below(${CUDAToolkit_ROOT} ${ffc_environment_roots} /usr/local/cuda /opt/cuda /usr/lib/cuda /usr)
endif()

if(NOT FFC_CUDA_FOUND AND FFC_CUDA_FROM MATCHES "auto|wheel")
  set(ffc_python "${FFC_PYTHON}")
  if(NOT ffc_python)
    set(ffc_python python3)
  endif()
  execute_process(COMMAND ${ffc_python} -c "import nvidia; print(';'.join(nvidia.__path__))"
                  OUTPUT_VARIABLE ffc_wheel_roots OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(ffc_roots)
  foreach(root IN LISTS ffc_wheel_roots)
    list(APPEND ffc_roots ${root}/cu13 ${root}/cuda_runtime ${root}/cuda_nvrtc)  # 13.x has one folder, 12.x two
  endforeach()
  ffc_find_cuda_below(${ffc_roots})
endif()

if(CMAKE_SCRIPT_MODE_FILE AND NOT FFC_CUDA_FOUND)
  message(FATAL_ERROR "FFC_CUDA_FROM=${FFC_CUDA_FROM}:${FFC_CUDA_PROBLEM}")
endif()

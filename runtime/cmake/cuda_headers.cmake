# The target ffc_cuda_headers: include directories of cuda.h and nvrtc.h, and FFC_NVRTC_HINT, a string with the path of
# the NVRTC library that belongs to them (empty where it is left to the loader's search path).
set(FFC_CUDA_FROM auto CACHE STRING "Where the CUDA headers and NVRTC come from: auto, toolkit or wheel")
set(FFC_PYTHON "" CACHE STRING "The Python that has the CUDA wheels (python3 where this is empty)")
set_property(CACHE FFC_CUDA_FROM PROPERTY STRINGS auto toolkit wheel)

# What was found for other settings must not stay.
set(ffc_cuda_settings "${FFC_CUDA_FROM} ${FFC_PYTHON}")
if(DEFINED FFC_CUDA_SETTINGS AND NOT FFC_CUDA_SETTINGS STREQUAL ffc_cuda_settings)
  unset(FFC_CUDA_H_DIR CACHE)
  unset(FFC_NVRTC_H_DIR CACHE)
  unset(FFC_NVRTC_LIBRARY CACHE)
endif()
set(FFC_CUDA_SETTINGS "${ffc_cuda_settings}" CACHE INTERNAL "What the CUDA headers were searched with")

include(${CMAKE_CURRENT_LIST_DIR}/find_cuda.cmake)
if(NOT FFC_CUDA_FOUND)
  message(FATAL_ERROR "ffc: no CUDA headers.${FFC_CUDA_PROBLEM}\n"
                      "Install a CUDA toolkit and name it with -DCUDAToolkit_ROOT=DIR, or pip install nvidia-cuda-nvrtc "
                      "nvidia-cuda-runtime and name that Python with -DFFC_PYTHON=FILE.")
endif()
if(NOT FFC_NVRTC_LIBRARY)
  set(FFC_NVRTC_LIBRARY "")
endif()
if(DEFINED SKBUILD)
  set(ffc_nvrtc_hint "")  # a wheel runs on other machines
else()
  set(ffc_nvrtc_hint "${FFC_NVRTC_LIBRARY}")
endif()
message(STATUS "ffc: CUDA ${FFC_CUDA_VERSION} headers in ${FFC_CUDA_H_DIR}, NVRTC '${ffc_nvrtc_hint}'")

add_library(ffc_cuda_headers INTERFACE)
target_include_directories(ffc_cuda_headers SYSTEM INTERFACE ${FFC_CUDA_H_DIR} ${FFC_NVRTC_H_DIR})
target_compile_definitions(ffc_cuda_headers INTERFACE FFC_NVRTC_HINT="${ffc_nvrtc_hint}")

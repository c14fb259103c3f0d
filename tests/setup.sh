# Sourced by tests/run.sh and examples/quickstart.sh: installs what a build needs and this machine lacks.
#
#   ffc_setup PACKAGE...   installs the compiler, CMake, fmt and the named Debian packages where they are missing, and
#                          the CUDA wheels where there is no CUDA toolkit; sets cmake_options for the configure step.
# FFC_CUDA_FROM=toolkit|wheel in the environment forces where the CUDA headers and NVRTC come from.

ffc_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cmake_options=()

# Installs those of the named Debian packages that are missing. Does nothing on another system: CMake then says what it
# lacks, or fetches it.
ffc_install() {
  local missing=() package as_root=()
  command -v apt-get >/dev/null || return 0
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "missing: ${missing[*]}; install them as root" >&2; return 1; }
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >/dev/null
}

# True where the CUDA headers and NVRTC come from a toolkit of this machine.
ffc_has_toolkit() {
  [ "${FFC_CUDA_FROM:-auto}" != wheel ] &&
    cmake -DFFC_CUDA_FROM=toolkit -P "$ffc_root/runtime/cmake/find_cuda.cmake" >/dev/null 2>&1
}

# Puts the CUDA wheels into a virtual environment under build/.
ffc_install_wheels() {
  local environment=$ffc_root/build/cuda-wheels
  if ! [ -e "$environment/complete" ]; then
    echo "installing the CUDA wheels into build/cuda-wheels"
    python3 -c 'import ensurepip, venv' 2>/dev/null || ffc_install python3 python3-venv
    python3 -m venv --clear "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check \
      'nvidia-cuda-nvrtc==13.*' 'nvidia-cuda-runtime==13.*'
    touch "$environment/complete"
  fi
  cmake_options+=("-DFFC_CUDA_FROM=wheel" "-DFFC_PYTHON=$environment/bin/python")
}

ffc_setup() {
  local packages=(libfmt-dev "$@")
  # A tool that is there already, from wherever, needs no package.
  command -v c++ >/dev/null || packages+=(g++)
  command -v cmake >/dev/null || packages+=(cmake)
  command -v ninja >/dev/null || command -v make >/dev/null || packages+=(ninja-build)
  ffc_install "${packages[@]}"
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
  if ffc_has_toolkit; then
    cmake_options+=("-DFFC_CUDA_FROM=toolkit")
  elif [ "${FFC_CUDA_FROM:-auto}" = toolkit ]; then
    echo "FFC_CUDA_FROM=toolkit, but no CUDA toolkit was found; set CUDAToolkit_ROOT" >&2
    return 1
  else
    ffc_install_wheels
  fi
}

// The table of architectures.
#include "ffc/generator/arch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "ffc/generator/error.hpp"

namespace ffc {
namespace {

constexpr int kib = 1024;

constexpr std::array<Arch, 6> table = {{
    {"sm_80", 8, 0, 163 * kib, 164 * kib, 2048, 32, false},
    {"sm_86", 8, 6, 99 * kib, 100 * kib, 1536, 16, false},
    {"sm_89", 8, 9, 99 * kib, 100 * kib, 1536, 24, false},
    {"sm_90a", 9, 0, 227 * kib, 228 * kib, 2048, 32, true},
    {"sm_100", 10, 0, 227 * kib, 228 * kib, 2048, 32, true},
    {"sm_120", 12, 0, 99 * kib, 100 * kib, 1536, 24, true},
}};

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  names.reserve(table.size());
  for (const Arch& arch : table) names.push_back(arch.name);
  return names;
}

}  // namespace

std::span<const Arch> architectures() { return table; }

const Arch& find_arch(std::string_view name) {
  const auto* found = std::find_if(table.begin(), table.end(), [&](const Arch& arch) { return arch.name == name; });
  if (found == table.end())
    throw ConfigError(fmt::format("arch is \"{}\"; known are {}", name, fmt::join(known_names(), ", ")));
  return *found;
}

const Arch& arch_for_capability(int major, int minor) {
  const Arch* best = nullptr;
  for (const Arch& arch : table) {
    // sm_90a code runs on 9.0 alone; the others on every later minor of their major.
    const bool fits = arch.major == major && (arch.name.back() == 'a' ? arch.minor == minor : arch.minor <= minor);
    if (fits) best = &arch;
  }
  if (best == nullptr)
    throw ConfigError(fmt::format("device has compute capability {}.{}; kernels are generated for {}", major, minor,
                                  fmt::join(known_names(), ", ")));
  return *best;
}

}  // namespace ffc

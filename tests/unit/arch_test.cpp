// The table of architectures, and which one serves which device.
#include "ffc/generator/arch.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "ffc/generator/error.hpp"

using namespace ffc;

TEST_CASE("the architectures and their limits") {
  struct Limits {
    const char* name;
    int shared_per_block_kib, shared_per_sm_kib, threads_per_sm, blocks_per_sm;
    bool has_stmatrix;
  };
  // CUDA C++ programming guide, technical specifications per compute capability.
  const Limits expected[] = {{"sm_80", 163, 164, 2048, 32, false}, {"sm_86", 99, 100, 1536, 16, false},
                             {"sm_89", 99, 100, 1536, 24, false},  {"sm_90a", 227, 228, 2048, 32, true},
                             {"sm_100", 227, 228, 2048, 32, true}, {"sm_120", 99, 100, 1536, 24, true}};
  CHECK(architectures().size() == std::size(expected));
  for (const Limits& limits : expected) {
    CAPTURE(limits.name);
    const Arch& arch = find_arch(limits.name);
    CHECK(arch.name == limits.name);
    CHECK(arch.shared_per_block == limits.shared_per_block_kib * 1024);
    CHECK(arch.shared_per_sm == limits.shared_per_sm_kib * 1024);
    CHECK(arch.threads_per_sm == limits.threads_per_sm);
    CHECK(arch.blocks_per_sm == limits.blocks_per_sm);
    CHECK(arch.has_stmatrix == limits.has_stmatrix);
  }
}

TEST_CASE("an architecture's number is its compute capability") {
  std::set<std::string_view> names;
  for (const Arch& arch : architectures()) {
    CHECK(names.insert(arch.name).second);
    std::string expected = "sm_" + std::to_string(10 * arch.major + arch.minor);
    if (arch.name.back() == 'a') expected += 'a';
    CHECK(arch.name == expected);
    CHECK(&arch_for_capability(arch.major, arch.minor) == &arch);
  }
}

TEST_CASE("a device without an entry of its own runs the latest earlier one of its major version") {
  CHECK(arch_for_capability(8, 7).name == "sm_86");
  CHECK(arch_for_capability(10, 3).name == "sm_100");
  CHECK(arch_for_capability(12, 1).name == "sm_120");
}

TEST_CASE("a device that no cubin runs on is refused by its number") {
  CHECK_THROWS_WITH_AS((void)arch_for_capability(7, 5),
                       "device has compute capability 7.5; kernels are generated for sm_80, sm_86, sm_89, sm_90a, "
                       "sm_100, sm_120",
                       ConfigError);
  CHECK_THROWS_AS((void)arch_for_capability(11, 0), ConfigError);
  CHECK_THROWS_AS((void)arch_for_capability(13, 0), ConfigError);
  // sm_90a code runs on 9.0 alone.
  CHECK_THROWS_AS((void)arch_for_capability(9, 1), ConfigError);
}

TEST_CASE("an unknown name is refused with the known ones") {
  CHECK_THROWS_WITH_AS((void)find_arch("sm_70"),
                       "arch is \"sm_70\"; known are sm_80, sm_86, sm_89, sm_90a, sm_100, sm_120", ConfigError);
  for (const char* name : {"", "sm_90", "SM_80", "sm_80 ", "compute_80", "90a"}) {
    CAPTURE(name);
    CHECK_THROWS_AS((void)find_arch(name), ConfigError);
  }
}

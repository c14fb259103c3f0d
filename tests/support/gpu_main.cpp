// main() of the tests that need a GPU: without one they are skipped, loudly, and ctest says so. FFC_REQUIRE_GPU=1 turns
// the skip into a failure, for machines that are known to have one.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "../../examples/machine.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;  // SKIP_RETURN_CODE in CMakeLists.txt
  std::string why;
  if (ffc::examples::Machine::gpu(0, why) == nullptr) {
    std::cerr << "SKIPPED, NOTHING WAS TESTED: " << why << '\n';
    const char* required = std::getenv("FFC_REQUIRE_GPU");
    return required != nullptr && std::string(required) == "1" ? 1 : skipped;
  }
  return doctest::Context(argc, argv).run();
}

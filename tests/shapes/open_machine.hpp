// The machine that a program's --device names.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "../../examples/machine.hpp"

namespace ffc::shapes {

inline constexpr int skipped = 77;  ///< SKIP_RETURN_CODE of the tests

/// Nothing where a GPU is named and there is none, which is said. Throws std::runtime_error for another name, and where
/// FFC_REQUIRE_GPU=1 for a missing GPU too.
inline std::shared_ptr<examples::Machine> open_machine(const std::string& name) {
  if (name != "gpu") return examples::Machine::named(name);
  std::string why;
  auto machine = examples::Machine::gpu(0, why);
  const char* required = std::getenv("FFC_REQUIRE_GPU");
  if (!machine && required != nullptr && std::string(required) == "1") throw std::runtime_error(why);
  if (!machine) std::cerr << "SKIPPED, NOTHING WAS TESTED: " << why << '\n';
  return machine;
}

}  // namespace ffc::shapes

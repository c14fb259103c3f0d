// How often launches are checked.
#include "checked_before.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "ffc/runtime/errors.hpp"

namespace ffc {

Checks checks_from_environment() {
  const char* const text = std::getenv("FFC_CHECKS");
  const std::string_view named = text != nullptr ? text : "";
  if (named.empty()) return Checks::once;
  if (named == "all") return Checks::each_call;
  throw DriverError(fmt::format("FFC_CHECKS is '{}'; it must be 'all', or unset", named));
}

}  // namespace ffc

// What a launch is, what came of it, and what may.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "../../examples/reference.hpp"
#include "ffc/ffc.hpp"

namespace ffc::shapes {

/// A launch on fresh random data: everything is drawn from the seed.
struct Launch {
  ConvConfig config;
  int batch = 2, channels = 1;
  std::uint64_t seed = 1;
  bool skip = true;  ///< with a skip term

  [[nodiscard]] std::string text() const;  ///< of the options that run it again
};

/// What is compared, in the order of Errors::kinds.
enum class Kind { y, du, dw, dv, dk, dd };
inline constexpr Kind kinds[] = {Kind::y, Kind::du, Kind::dw, Kind::dv, Kind::dk, Kind::dd};
[[nodiscard]] std::string_view to_string(Kind kind);

/// What a launch was compared with.
struct Outcome {
  examples::RelativeError errors[std::size(kinds)];
  std::vector<std::string> faults;  ///< what was written or left that should not have been, or an exception's text

  bool begins_stream = false;  ///< the config has a history, and the launch was given none

  void add(const Outcome& other);
  [[nodiscard]] double error(Kind kind) const { return errors[static_cast<int>(kind)].value(); }
};

/// The error that the README promises of a kernel's results of a kind.
[[nodiscard]] double bound(const Generated& generated, Kind kind);

/// The faults of an outcome and the errors beyond their bounds, one a line; empty where all is well. Of few samples an
/// error is an estimate, which has more room.
[[nodiscard]] std::string failures(const Generated& generated, const Outcome& outcome, const Launch& launch);

}  // namespace ffc::shapes

// The root of every exception that ffc throws, and the two that the generator throws.
#pragma once

#include <stdexcept>

namespace ffc {

/// Base of all errors of the library: the text says what was wrong, the value, and the range that is right.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A field of a ConvConfig, or a combination of fields, that no kernel can be made for.
class ConfigError : public Error {
 public:
  using Error::Error;
};

}  // namespace ffc

// How large the rows of a launch are, as exponents of two.
#pragma once

#include <cstdint>
#include <random>

#include "ffc/generator/conv_config.hpp"

namespace ffc::shapes {

/// Drawn where launches say it, within what results of the type can hold; else what the config's exponents are for.
class RowSizes {
 public:
  RowSizes(const ConvConfig& config, std::uint64_t seed, std::mt19937_64& random)
      : config_(config),
        seed_(seed),
        input_(draw(-config.input_exponent, random)),
        gradient_(draw(-config.gradient_exponent, random)) {}

  [[nodiscard]] int input() const { return input_; }        ///< of u
  [[nodiscard]] int gradient() const { return gradient_; }  ///< of dy

  /// Of a row of u beside that: rows whose power of two the kernel finds are each of another size.
  [[nodiscard]] int of_row(std::int64_t row) const {
    constexpr int least = -90, sizes = 151;
    if (config_.scaling != Scaling::found) return 0;
    return least + static_cast<int>((37 * static_cast<std::uint64_t>(row) + seed_) % sizes);
  }

 private:
  [[nodiscard]] int draw(int fixed, std::mt19937_64& random) const {
    if (config_.scaling != Scaling::given) return fixed;
    const int most = config_.dtype == DataType::bf16 ? 50 : 4;
    return static_cast<int>(random() % static_cast<unsigned>(2 * most + 1)) - most;
  }

  const ConvConfig& config_;
  std::uint64_t seed_;
  int input_, gradient_;
};

}  // namespace ffc::shapes

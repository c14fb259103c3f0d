// How large the rows of a launch are, as exponents of two.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc::shapes {

/// Drawn where launches say it, within what results of the type can hold; where kernels find it, of each row another
/// one, or of each pair of rows, or of each channel; else what the config's exponents are for.
class RowSizes {
 public:
  RowSizes(const Generated& generated, std::uint64_t seed, std::mt19937_64& random)
      : config_(generated.config),
        seed_(seed),
        found_(config_.scaling != Scaling::found ? Found::none
               : generated.magnitudes_of_rows    ? (shares_power(generated) ? Found::of_pair : Found::of_row_ahead)
               : generated.magnitudes            ? Found::of_channel
               : generated.backward              ? Found::of_pair
                                                 : Found::of_row),
        most_of_rows_(generated.backward ? std::min(most(), most_of_pair) : most()),
        input_(draw(-config_.input_exponent, random)),
        gradient_(draw(-config_.gradient_exponent, random)) {}

  [[nodiscard]] int input() const { return input_; }        ///< of u
  [[nodiscard]] int gradient() const { return gradient_; }  ///< of dy

  /// Of rows of u and of dy in a channel, beside that.
  [[nodiscard]] int of_input(std::int64_t b, std::int64_t h, std::int64_t channels) const {
    switch (found_) {
      case Found::none:
        return 0;
      case Found::of_channel:
        return spread(h, 37, most());
      case Found::of_pair:
        return spread(b / 2 * channels + h, 37, most_of_rows_);
      case Found::of_row_ahead:
        return spread(b * channels + h, 37, most_of_rows_);
      case Found::of_row:
        break;
    }
    const bool bf16 = config_.dtype == DataType::bf16;
    const int middle = bf16 ? -15 : -1, either_way = bf16 ? 75 : 7;
    return middle + spread(b * channels + h, 37, either_way);
  }
  [[nodiscard]] int of_gradient(std::int64_t b, std::int64_t h, std::int64_t channels) const {
    if (found_ == Found::of_pair) return spread(b / 2 * channels + h, 23, most_of_rows_);
    if (found_ == Found::of_row_ahead) return spread(b * channels + h, 23, most_of_rows_);
    return found_ == Found::of_channel ? spread(h, 23, most()) : 0;
  }

  /// Each row is so much larger or smaller than its neighbours that one would drown in the other.
  [[nodiscard]] bool differ_by_row() const { return found_ == Found::of_row || found_ == Found::of_row_ahead; }

 private:
  // Of two rows: those of gradients, and of a cluster.
  static bool shares_power(const Generated& generated) {
    return !are_alone(generated.packing) && (generated.backward || generated.conv.cluster > 1);
  }

  enum class Found { none, of_row, of_row_ahead, of_pair, of_channel };

  static constexpr int most_of_pair = 40;  // of u and of dy, whose products float32 must hold

  // From -most to most.
  [[nodiscard]] int spread(std::int64_t number, std::uint64_t step, int most) const {
    return static_cast<int>((step * static_cast<std::uint64_t>(number) + seed_) %
                            static_cast<std::uint64_t>(2 * most + 1)) -
           most;
  }
  [[nodiscard]] int most() const { return config_.dtype == DataType::bf16 ? 50 : 4; }
  [[nodiscard]] int draw(int fixed, std::mt19937_64& random) const {
    if (config_.scaling != Scaling::given) return fixed;
    return static_cast<int>(random() % static_cast<unsigned>(2 * most() + 1)) - most();
  }

  const ConvConfig& config_;
  std::uint64_t seed_;
  Found found_;
  int most_of_rows_;
  int input_, gradient_;
};

}  // namespace ffc::shapes

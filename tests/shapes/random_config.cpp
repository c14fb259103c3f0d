#include "random_config.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "config_text.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"

namespace ffc::shapes {
namespace {

// The standard's distributions differ from library to library.
class Draw {
 public:
  explicit Draw(std::mt19937_64& random) : random_(random) {}

  [[nodiscard]] bool one_in(std::uint64_t n) { return random_() % n == 0; }
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_() %
                                             static_cast<std::uint64_t>(std::max<std::int64_t>(1, most - least + 1)));
  }
  template <class List>
  [[nodiscard]] auto of(const List& list) {
    return *(std::begin(list) + between(0, static_cast<std::int64_t>(std::size(list)) - 1));
  }
  /// As often from 16 to 31 as from 1024 to 2047.
  [[nodiscard]] std::int64_t magnitude(std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power <= std::max(least, most); power *= 2)
      if (2 * power > least) powers.push_back(power);
    const std::int64_t power = of(powers);
    return std::clamp(between(power, 2 * power - 1), least, std::max(least, most));
  }
  template <class Enum>
  [[nodiscard]] Enum any(Enum last) {
    return static_cast<Enum>(between(0, static_cast<int>(last)));
  }

 private:
  std::mt19937_64& random_;
};

// A multiple of what plans like, or any number.
std::int64_t draw_length(Draw& draw, std::int64_t least, std::int64_t most) {
  constexpr std::int64_t multiples[] = {256, 256, 16, 8, 2, 1};
  const std::int64_t multiple = draw.of(multiples), n = draw.magnitude(least, most);
  return std::clamp(std::max<std::int64_t>(1, n / multiple) * multiple, least, most);
}

void draw_rows(Draw& draw, ConvConfig& config, const Limits& limits) {
  config.padding = draw.any(Padding::causal);
  if (config.padding == Padding::causal) {
    config.length = draw_length(draw, 1, limits.length / 2);
    if (draw.one_in(2)) config.filter_length = draw.magnitude(1, config.length);
    if (draw.one_in(8)) config.filter_length = draw.magnitude(1, std::min(2 * config.length, limits.length / 2));
    return;
  }
  config.fft_length = draw_length(draw, 16, limits.length);
  if (config.padding == Padding::circular) return;
  config.length = draw.one_in(2) ? draw.between(1, config.fft_length) : draw.between(1, config.fft_length / 16 + 1) * 8;
  config.filter_length = draw.one_in(2) ? 0 : draw.magnitude(1, config.length);
}

void draw_windows(Draw& draw, ConvConfig& config, const Limits& limits) {
  config.padding = Padding::causal;
  config.fft_length = draw.one_in(3) ? 0 : 256 * draw.between(1, 256);
  config.length = draw_length(draw, 16, std::min<std::int64_t>(limits.length, 1 << 20));
  const std::int64_t most = config.fft_length == 0 ? 32705 : config.fft_length / 2;
  config.filter_length = draw.magnitude(1, std::min(most, limits.length / 2));
  config.history = draw.one_in(2);
}

void draw_columns(Draw& draw, ConvConfig& config, const Limits& limits) {
  constexpr int lengths[] = {2, 4, 8, 16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024};
  config.column_length = draw.of(lengths);
  const std::int64_t most = std::min<std::int64_t>(32768, limits.length / config.column_length);
  config.fft_length = config.column_length * 256 * draw.magnitude(1, std::max<std::int64_t>(1, most / 256));
  if (draw.one_in(2)) {
    config.padding = Padding::padded;
    config.length = draw.one_in(2) ? config.fft_length / 2 : draw.between(1, config.fft_length);
  }
  if (draw.one_in(2)) config.batch = 1;
}

void draw_mask(Draw& draw, ConvConfig& config, const Limits& limits) {
  config.fft_length =
      256 * draw.magnitude(1, std::max<std::int64_t>(1, std::min<std::int64_t>(limits.length, 524288) / 256));
  if (draw.one_in(3)) {
    config.mask = low_pass(static_cast<double>(draw.between(20, 480)) / 1000, config.fft_length);
  } else {
    constexpr std::int64_t radices[] = {2, 4, 8, 16, 32};
    const std::int64_t radix = draw.of(radices), rest = config.fft_length / radix;
    config.mask = keep_counts({draw.between(1, radix), draw.between(rest / 4, rest)}, {radix, rest});
  }
  if (draw.one_in(2)) config.padding = Padding::padded, config.length = draw.between(1, config.fft_length);
}

// Radices of 2 to 64 in any order.
void draw_radices(Draw& draw, ConvConfig& config, const Limits& limits) {
  constexpr int powers[] = {2, 4, 8, 16, 32, 64};
  config.fft_length = 1;
  for (std::int64_t count = draw.between(1, 5); count > 0 || config.fft_length < 16; --count) {
    const int radix = draw.one_in(2) ? draw.of(powers) : static_cast<int>(draw.between(2, 64));
    if (config.fft_length * radix > limits.length) break;
    config.radices.push_back(radix);
    config.fft_length *= radix;
  }
  if (draw.one_in(3)) config.padding = Padding::padded, config.length = draw.between(1, config.fft_length);
}

// Gradients of gates are products of u and of what dy gives: of rows of 2^12 both fp16 has no room for them.
int least_gradient_exponent(const ConvConfig& config) {
  constexpr int least = -6, least_together = -8;
  return config.dtype == DataType::fp16 ? std::max(least, least_together - config.input_exponent) : least;
}

void draw_details(Draw& draw, ConvConfig& config) {
  constexpr int alignments[] = {2, 4, 8, 16};
  config.dtype = draw.any(DataType::bf16);
  config.gating = draw.any(Gating::both);
  if (draw.one_in(4)) config.row_alignment = draw.of(alignments);
  if (draw.one_in(8)) config.accumulation = draw.any(Accumulation::fp32);
  if (draw.one_in(8)) config.input_exponent = static_cast<int>(draw.between(-6, 6));
  if (config.input_exponent == 0 && draw.one_in(4)) config.scaling = Scaling::given;
  if (draw.one_in(6)) config.batch = static_cast<int>(draw.between(1, 5));
  const bool may_find = config.dtype == DataType::bf16 || !config.history;
  if (config.input_exponent == 0 && may_find && draw.one_in(4)) config.scaling = Scaling::found;
  if (config.history || draw.one_in(2)) return;
  config.pass = Pass::backward;
  if (draw.one_in(2)) {
    bool* const wanted[] = {&config.gradients.u, &config.gradients.w, &config.gradients.v, &config.gradients.k,
                            &config.gradients.d};
    for (bool* each : wanted) *each = draw.one_in(2);
  }
  if (config.scaling == Scaling::fixed && draw.one_in(8))
    config.gradient_exponent = static_cast<int>(draw.between(least_gradient_exponent(config), 12));
}

ConvConfig draw_any(Draw& draw, const Limits& limits) {
  ConvConfig config;
  config.arch = default_arch;
  config.scaling = Scaling::fixed;
  const std::int64_t kind = draw.between(0, 9);
  if (draw.one_in(16))
    draw_radices(draw, config, limits);
  else if (kind < 5)
    draw_rows(draw, config, limits);
  else if (kind < 7)
    draw_windows(draw, config, limits);
  else if (kind < 9 || !limits.masks)
    draw_columns(draw, config, limits);
  else
    draw_mask(draw, config, limits);
  draw_details(draw, config);
  return config;
}

}  // namespace

Generated draw_kernel(std::mt19937_64& random, const Limits& limits) {
  Draw draw(random);
  while (true) try {
      Generated generated = generate(draw_any(draw, limits));
      // Short rows may still be folded into long transforms.
      if (generated.transform_length <= limits.length) return generated;
    } catch (const ConfigError&) {
      continue;  // there is no such kernel
    }
}

}  // namespace ffc::shapes

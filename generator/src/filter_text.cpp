// Text and checks that both kinds of filter kernels share.
#include "filter_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

#include "mask_text.hpp"
#include "text.hpp"

namespace ffc {

void check_filter_layout(const SpectrumLayout& layout, std::int64_t length) {
  const auto elements = static_cast<std::int64_t>(layout.order.size());
  if (layout.tile < 1 || elements % layout.tile != 0 || elements % 4 != 0)
    throw std::logic_error(
        fmt::format("a spectrum row has {} elements in tiles of {}; it must be a multiple of 4 and "
                    "of the tile",
                    elements, layout.tile));
  for (const std::int32_t frequency : layout.order)
    if (frequency < -1 || frequency >= length)
      throw std::logic_error(
          fmt::format("a spectrum element has frequency {}; it must lie in [-1, {}]", frequency, length - 1));
}

std::uint64_t order_fingerprint(const std::vector<std::int32_t>& order) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::int32_t frequency : order)
    hash = std::rotl((hash ^ static_cast<std::uint32_t>(frequency)) * 0x9e3779b97f4a7c15u, 29);
  return hash;
}

std::string filter_constants(const SpectrumLayout& layout, std::int64_t length, int threads) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", length, "of the transform");
  constant("int threads", threads);
  constant("int elements", layout.order.size(), "complex, of a spectrum row");
  constant("int tile", layout.tile, "real parts, then as many imaginary parts");
  constant("int head", layout.head, "positions before it hold the taps from 0 on");
  constant("int tail_start", layout.tail_start, "positions from it on hold the taps from tail_tap on");
  constant("int tail_tap", layout.tail_tap);
  constant("double gain", fmt::format("{:.17g}", layout.gain), "of the stored spectrum");
  constant("int output_exponent", layout.output_exponent, "the scale is 2^(e + output_exponent)");
  constant("int least_exponent", layout.fp16_scale ? -14 : -126, "of the scale");
  constant("int most_exponent", layout.fp16_scale ? 15 : 127);
  return text;
}

void put_mask(Blocks& blocks, const FrequencyMask& mask) {
  blocks["kept"] = is_kept_function(mask);
  // The passes are over: what lies in the array is only gathered from now on, by this thread's block or a later launch.
  blocks["dropped"] = mask.empty() ? std::string()
                                   : "    if (!is_kept(i)) {\n"
                                     "      store_global(const_cast<float2*>(frequencies) + i, {0.0f, 0.0f});\n"
                                     "      continue;\n"
                                     "    }\n";
}

}  // namespace ffc

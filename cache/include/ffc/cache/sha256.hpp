// SHA-256 (FIPS 180-4): names cache entries and detects damaged ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ffc::cache {

/// Incremental SHA-256. Feed with update(), read once with finish().
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void update(std::string_view bytes);
  /// Ends the message. The object must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  static constexpr std::size_t block_bytes = 64;

  void compress(const unsigned char* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, block_bytes> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t total_bytes_ = 0;
};

/// The digest of `bytes` as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace ffc::cache

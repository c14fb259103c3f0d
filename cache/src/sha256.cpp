// SHA-256 in portable C++.
#include "ffc/cache/sha256.hpp"

#include <algorithm>
#include <bit>

namespace ffc::cache {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t load_big_endian(const unsigned char* p) {
  return std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | std::uint32_t{p[3]};
}

constexpr std::uint32_t mix(std::uint32_t x, int r1, int r2, int r3) {
  return std::rotr(x, r1) ^ std::rotr(x, r2) ^ std::rotr(x, r3);
}

/// Replaces the last 16 words of the message schedule by the next 16.
void extend_schedule(std::array<std::uint32_t, 16>& w) {
  for (std::size_t t = 0; t < w.size(); ++t) {
    const std::uint32_t near = w[(t + 14) % 16];
    const std::uint32_t far = w[(t + 1) % 16];
    const std::uint32_t high = std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10);
    const std::uint32_t low = std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3);
    w[t] += low + w[(t + 9) % 16] + high;
  }
}

/// One round. Of the eight variables only two change: d becomes the next e, h the next a.
inline void round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d, std::uint32_t e, std::uint32_t f,
                  std::uint32_t g, std::uint32_t& h, std::uint32_t constant_and_word) {
  const std::uint32_t choose = g ^ (e & (f ^ g));
  const std::uint32_t majority = (a & b) | (c & (a | b));
  const std::uint32_t sum = h + mix(e, 6, 11, 25) + choose + constant_and_word;
  d += sum;
  h = sum + mix(a, 2, 13, 22) + majority;
}

}  // namespace

void Sha256::compress(const unsigned char* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += block_bytes) {
    std::array<std::uint32_t, 16> w;  // the last 16 words of the message schedule
    for (std::size_t t = 0; t < w.size(); ++t) w[t] = load_big_endian(blocks + 4 * t);
    std::array<std::uint32_t, 8> s = state_;
    for (std::size_t t = 0; t < 64; t += 16) {
      if (t > 0) extend_schedule(w);
      // Renaming the variables after each round would cost more than the round; after eight rounds they are back.
      for (std::size_t i = 0; i < 16; i += 8) {
        const std::uint32_t* const k = &round_constants[t + i];
        round(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], k[0] + w[i]);
        round(s[7], s[0], s[1], s[2], s[3], s[4], s[5], s[6], k[1] + w[i + 1]);
        round(s[6], s[7], s[0], s[1], s[2], s[3], s[4], s[5], k[2] + w[i + 2]);
        round(s[5], s[6], s[7], s[0], s[1], s[2], s[3], s[4], k[3] + w[i + 3]);
        round(s[4], s[5], s[6], s[7], s[0], s[1], s[2], s[3], k[4] + w[i + 4]);
        round(s[3], s[4], s[5], s[6], s[7], s[0], s[1], s[2], k[5] + w[i + 5]);
        round(s[2], s[3], s[4], s[5], s[6], s[7], s[0], s[1], k[6] + w[i + 6]);
        round(s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[0], k[7] + w[i + 7]);
      }
    }
    for (std::size_t i = 0; i < s.size(); ++i) state_[i] += s[i];
  }
}

void Sha256::update(std::string_view bytes) {
  total_bytes_ += bytes.size();
  if (buffered_ > 0) {
    const std::size_t taken = std::min(bytes.size(), block_bytes - buffered_);
    std::copy_n(bytes.data(), taken, buffer_.data() + buffered_);
    buffered_ += taken;
    bytes.remove_prefix(taken);
    if (buffered_ < block_bytes) return;
    compress(buffer_.data(), 1);
    buffered_ = 0;
  }
  const std::size_t whole = bytes.size() / block_bytes;
  compress(reinterpret_cast<const unsigned char*>(bytes.data()), whole);
  bytes.remove_prefix(whole * block_bytes);
  std::copy_n(bytes.data(), bytes.size(), buffer_.data());
  buffered_ = bytes.size();
}

Sha256::Digest Sha256::finish() {
  // One bit, zeros, and the length in bits fill the last block, or two where the length no longer fits in the first.
  std::array<unsigned char, 2 * block_bytes> tail{};
  std::copy_n(buffer_.data(), buffered_, tail.data());
  tail[buffered_] = 0x80;
  const std::size_t blocks = buffered_ + 9 <= block_bytes ? 1 : 2;
  const std::uint64_t bits = total_bytes_ * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[blocks * block_bytes - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  compress(tail.data(), blocks);

  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (const std::uint8_t byte : hash.finish()) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace ffc::cache

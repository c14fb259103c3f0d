// WAV files as float samples. Our own hundred lines rather than libsndfile: RIFF with PCM or float is all a
// demonstration needs, and the library is seldom installed on GPU machines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace ffc::examples {

/// Audio: `samples[channel][n]`, full scale is 1.
struct Audio {
  int rate = 48000;
  std::vector<std::vector<float>> samples;
  [[nodiscard]] std::size_t length() const { return samples.empty() ? 0 : samples[0].size(); }
};

namespace wav_detail {

constexpr int pcm = 1, ieee_float = 3, extensible = 0xFFFE;

template <class T>
T little_endian(const std::string& bytes, std::size_t at) {
  if (at + sizeof(T) > bytes.size()) throw std::runtime_error("the file ends inside a header");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline float decode_sample(const std::string& bytes, std::size_t at, int format, int bits) {
  if (format == ieee_float) return little_endian<float>(bytes, at);
  // The highest bytes of a 32-bit integer, so that all widths have one scale.
  std::uint32_t raw = 0;
  for (int i = 0; i < bits / 8; ++i)
    raw |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]))
           << (32 - bits + 8 * i);
  return static_cast<float>(static_cast<std::int32_t>(raw) / 2147483648.0);
}

/// The size field of a data chunk has 32 bits, less the 36 bytes of the headers that the outer size counts too.
inline std::uint32_t data_size(std::size_t frames, std::size_t channels, const std::string& path) {
  constexpr std::uint64_t most = 0xFFFFFFFFU - 36;
  if (channels < 1 || channels > 0x7FFF || frames > most / (2 * channels))
    throw std::runtime_error(path + ": " + std::to_string(frames) + " samples in " + std::to_string(channels) +
                             " channels; a WAV file holds 1 to 32767 channels and at most 4 GiB");
  return static_cast<std::uint32_t>(2 * frames * channels);
}

}  // namespace wav_detail

/// Reads PCM of 16, 24 or 32 bits or 32-bit float, any number of channels. Throws std::runtime_error.
[[nodiscard]] inline Audio read_wav(const std::string& path) {
  using namespace wav_detail;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (bytes.size() < 12 || bytes.compare(0, 4, "RIFF") != 0 || bytes.compare(8, 4, "WAVE") != 0)
    throw std::runtime_error(path + ": no RIFF WAVE file");
  Audio audio;
  int format = 0, channels = 0, bits = 0;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::string id = bytes.substr(at, 4);
    const std::size_t size = little_endian<std::uint32_t>(bytes, at + 4), body = at + 8;
    if (id == "fmt ") {
      format = little_endian<std::uint16_t>(bytes, body);
      channels = little_endian<std::uint16_t>(bytes, body + 2);
      audio.rate = static_cast<int>(little_endian<std::uint32_t>(bytes, body + 4));
      bits = little_endian<std::uint16_t>(bytes, body + 14);
      if (format == extensible) format = little_endian<std::uint16_t>(bytes, body + 24);
    } else if (id == "data") {
      const bool known =
          (format == pcm && (bits == 16 || bits == 24 || bits == 32)) || (format == ieee_float && bits == 32);
      if (!known || channels < 1)
        throw std::runtime_error(path + ": format " + std::to_string(format) + " with " + std::to_string(bits) +
                                 " bits; PCM of 16, 24 or 32 bits or 32-bit float is read");
      const std::size_t frame = static_cast<std::size_t>(channels * bits / 8);
      const std::size_t frames = std::min(size, bytes.size() - body) / frame;
      audio.samples.assign(static_cast<std::size_t>(channels), std::vector<float>(frames));
      for (std::size_t n = 0; n < frames; ++n)
        for (std::size_t c = 0; c < audio.samples.size(); ++c) {
          float& sample = audio.samples[c][n];
          sample = decode_sample(bytes, body + n * frame + c * static_cast<std::size_t>(bits / 8), format, bits);
          // One of them would spread over a whole transform.
          if (!std::isfinite(sample))
            throw std::runtime_error(path + ": sample " + std::to_string(n) + " is infinite or not a number");
        }
      return audio;
    }
    at = body + size + size % 2;
  }
  throw std::runtime_error(path + ": no data chunk");
}

/// Throws std::runtime_error where no file can be written at `path`. What is there stays as it is.
inline void check_writable(const std::string& path) {
  const bool exists = std::filesystem::exists(path);
  if (!std::ofstream(path, std::ios::binary | std::ios::app)) throw std::runtime_error(path + ": cannot be written");
  if (!exists) std::filesystem::remove(path);
}

/// Throws std::runtime_error where write_wav cannot write so many samples of so many channels there: to be asked before
/// they are computed.
inline void check_wav(const std::string& path, std::size_t frames, std::size_t channels) {
  (void)wav_detail::data_size(frames, channels, path);
  check_writable(path);
}

/// Writes 16-bit PCM; samples beyond full scale are clipped. Throws std::runtime_error.
inline void write_wav(const std::string& path, const Audio& audio) {
  using namespace wav_detail;
  const std::uint32_t data_bytes = data_size(audio.length(), audio.samples.size(), path);
  const auto channels = static_cast<std::uint16_t>(audio.samples.size());
  const auto rate = static_cast<std::uint32_t>(audio.rate);
  std::string bytes = "RIFF";
  append<std::uint32_t>(bytes, 36 + data_bytes);
  bytes += "WAVEfmt ";
  append<std::uint32_t>(bytes, 16);
  append<std::uint16_t>(bytes, pcm);
  append<std::uint16_t>(bytes, channels);
  append<std::uint32_t>(bytes, rate);
  append<std::uint32_t>(bytes, rate * channels * 2);
  append<std::uint16_t>(bytes, static_cast<std::uint16_t>(channels * 2));
  append<std::uint16_t>(bytes, 16);
  bytes += "data";
  append<std::uint32_t>(bytes, data_bytes);
  for (std::size_t n = 0; n < audio.length(); ++n)
    for (const std::vector<float>& channel : audio.samples)
      append<std::int16_t>(bytes, static_cast<std::int16_t>(std::lrint(std::clamp(channel[n], -1.0f, 1.0f) * 32767)));
  std::ofstream file(path, std::ios::binary);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
    throw std::runtime_error(path + ": cannot be written");
}

}  // namespace ffc::examples

// The WAV files of the reverb example: what is written comes back, every format that is read, and damaged files.
#include "../../examples/wav.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../examples/recording.hpp"

using namespace ffc::examples;

namespace {

// A file that is gone when the test is over.
struct File {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("ffc-wav-test-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".wav");
  File() = default;
  explicit File(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::filesystem::remove(path); }
  [[nodiscard]] std::string name() const { return path.string(); }
};

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::string chunk(const std::string& id, const std::string& body) {
  return id + number(body.size(), 4) + body + std::string(body.size() % 2, '\0');
}

std::string format_chunk(int format, int channels, int bits, bool extensible = false) {
  const auto frame = static_cast<std::uint64_t>(channels * bits / 8);
  std::string body = number(extensible ? 0xFFFE : static_cast<std::uint64_t>(format), 2) +
                     number(static_cast<std::uint64_t>(channels), 2) + number(44100, 4) + number(44100 * frame, 4) +
                     number(frame, 2) + number(static_cast<std::uint64_t>(bits), 2);
  if (extensible)
    body += number(22, 2) + number(static_cast<std::uint64_t>(bits), 2) + number(3, 4) +
            number(static_cast<std::uint64_t>(format), 2) + std::string(14, '\0');
  return chunk("fmt ", body);
}

std::string riff(const std::string& chunks) { return chunk("RIFF", "WAVE" + chunks); }

std::string float_bytes(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return number(bits, 4);
}

}  // namespace

TEST_CASE("what is written comes back, to a step of 16 bits") {
  for (const std::size_t channels : {1U, 2U, 5U}) {
    CAPTURE(channels);
    Audio audio;
    audio.rate = 22050;
    audio.samples.assign(channels, std::vector<float>(777));
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t n = 0; n < 777; ++n)
        audio.samples[c][n] = static_cast<float>(std::sin(0.01 * static_cast<double>((c + 1) * (n + 3))));
    const File file;
    write_wav(file.name(), audio);
    const Audio back = read_wav(file.name());
    CHECK(back.rate == 22050);
    REQUIRE(back.samples.size() == channels);
    REQUIRE(back.length() == 777);
    float worst = 0;
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t n = 0; n < 777; ++n)
        worst = std::max(worst, std::fabs(back.samples[c][n] - audio.samples[c][n]));
    CHECK(worst <= 1.6F / 32768);  // half a step of rounding, one between full scales of 32767 and 32768
  }
}

TEST_CASE("samples beyond full scale are clipped, not wrapped") {
  const File file;
  write_wav(file.name(), {48000, {{2.0F, -3.0F, 1.0F, 0.0F}}});
  const Audio back = read_wav(file.name());
  CHECK(back.samples[0][0] > 0.999F);
  CHECK(back.samples[0][1] < -0.999F);
  CHECK(back.samples[0][3] == 0.0F);
}

TEST_CASE("PCM of 16, 24 and 32 bits and floats mean the same samples") {
  const std::vector<double> samples = {0.5, -0.25, -1.0, 0.75};
  for (const int bits : {16, 24, 32})
    for (const bool extensible : {false, true}) {
      CAPTURE(bits);
      CAPTURE(extensible);
      std::string data;
      for (const double sample : samples)
        data += number(static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ldexp(sample, bits - 1))), bits / 8);
      const File file(riff(format_chunk(1, 2, bits, extensible) + chunk("data", data)));
      const Audio audio = read_wav(file.name());
      CHECK(audio.rate == 44100);
      CHECK(audio.samples == std::vector<std::vector<float>>{{0.5F, -1.0F}, {-0.25F, 0.75F}});
    }
  std::string data;
  for (const double sample : samples) data += float_bytes(static_cast<float>(sample));
  const File file(riff(format_chunk(3, 1, 32) + chunk("data", data)));
  CHECK(read_wav(file.name()).samples == std::vector<std::vector<float>>{{0.5F, -0.25F, -1.0F, 0.75F}});
}

TEST_CASE("chunks of other kinds and of odd length are passed over; a data chunk cut short keeps its whole frames") {
  const std::string data = number(0x4000, 2) + number(0xC000, 2);
  const File odd(riff(chunk("LIST", "abc") + format_chunk(1, 1, 16) + chunk("fact", "x") + chunk("data", data)));
  CHECK(read_wav(odd.name()).samples == std::vector<std::vector<float>>{{0.5F, -0.5F}});
  // As programs that write to a pipe leave it: the size is not known.
  const File piped("RIFF" + number(0xFFFFFFFF, 4) + "WAVE" + format_chunk(1, 1, 16) + "data" + number(0xFFFFFFFF, 4) +
                   data + "\x01");
  CHECK(read_wav(piped.name()).samples == std::vector<std::vector<float>>{{0.5F, -0.5F}});
}

TEST_CASE("samples that are not finite, and more than a WAV file holds, are refused") {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    const File file(riff(format_chunk(3, 1, 32) + chunk("data", float_bytes(1) + float_bytes(bad))));
    CHECK_THROWS_WITH_AS((void)read_wav(file.name()), doctest::Contains("sample 1"), std::runtime_error);
  }
  CHECK(wav_detail::data_size(0x7FFFFFED, 1, "x") == 0xFFFFFFDA);
  CHECK(wav_detail::data_size(0, 2, "x") == 0);
  CHECK_THROWS_AS((void)wav_detail::data_size(0x7FFFFFEE, 1, "x"), std::runtime_error);
  CHECK_THROWS_AS((void)wav_detail::data_size(std::size_t{1} << 31, 2, "x"), std::runtime_error);
  CHECK_THROWS_AS((void)wav_detail::data_size(1, 0, "x"), std::runtime_error);
  CHECK_THROWS_AS((void)wav_detail::data_size(1, 32768, "x"), std::runtime_error);
}

TEST_CASE("what cannot be written is said before it is computed, and leaves no trace") {
  const File file;
  CHECK_NOTHROW(check_wav(file.name(), 1000, 2));
  CHECK_FALSE(std::filesystem::exists(file.path));
  CHECK_THROWS_WITH_AS(check_wav(file.name(), 1, 40000), doctest::Contains("1 samples in 40000 channels"),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(check_wav("no such folder/file.wav", 1, 1), doctest::Contains("cannot be written"),
                       std::runtime_error);
  const File there("what is there");
  CHECK_NOTHROW(check_wav(there.name(), 1000, 2));
  CHECK(std::filesystem::file_size(there.path) == 13);
}

TEST_CASE("two recordings of one length, rate and channel, neither silent") {
  const auto refused = [](const Audio& played, const Audio& recorded, const std::string& text) {
    const File one, other;
    write_wav(one.name(), played);
    write_wav(other.name(), recorded);
    CHECK_THROWS_WITH_AS((void)read_recording(one.name(), other.name()), doctest::Contains(text.c_str()),
                         std::runtime_error);
  };
  const Audio good{16000, {{0.5F, -0.5F, 0.25F}}};
  refused({16000, {{0, 0, 0}}}, good, "silent throughout");
  refused(good, {16000, {{0, 0, 0}}}, "silent throughout");
  refused(good, {16000, {{0.5F, 0.5F}}}, "has 3 samples and");
  refused(good, {48000, {{0.5F, 0.5F, 0.5F}}}, "has 16000 samples a second and");
  refused({16000, {good.samples[0], good.samples[0]}}, good, "2 channels; it must have one");
  refused({16000, {{}}}, good, "no samples; it must have one at least");
  const File one, other;
  write_wav(one.name(), good);
  write_wav(other.name(), good);
  CHECK(read_recording(one.name(), other.name()).recorded.size() == 3);
}

TEST_CASE("what is no WAV file, or one of another kind, is refused") {
  const std::string data = chunk("data", number(0, 8));
  const std::vector<std::string> damaged = {"",
                                            "RIFF",
                                            "not a WAV file at all",
                                            riff(""),
                                            riff(data),
                                            riff(format_chunk(1, 1, 16)),
                                            riff(format_chunk(1, 0, 16) + data),
                                            riff(format_chunk(1, 1, 8) + data),
                                            riff(format_chunk(1, 1, 12) + data),
                                            riff(format_chunk(3, 1, 64) + data),
                                            riff(format_chunk(6, 1, 16) + data),
                                            riff(format_chunk(1, 1, 16)).substr(0, 30)};
  for (std::size_t i = 0; i < damaged.size(); ++i) {
    CAPTURE(i);
    const File file(damaged[i]);
    CHECK_THROWS_AS((void)read_wav(file.name()), std::runtime_error);
  }
  CHECK_THROWS_AS((void)read_wav("no such folder/file.wav"), std::runtime_error);
  CHECK_THROWS_AS(write_wav("no such folder/file.wav", {48000, {{0.0F}}}), std::runtime_error);
}

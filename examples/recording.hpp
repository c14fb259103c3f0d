// What was played into a room and what was recorded meanwhile, checked before anything is made of it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "wav.hpp"

namespace ffc::examples {

/// Samples of both, and, of a demonstration, the response to find.
struct Recording {
  int rate = 16000;
  std::vector<float> played, recorded, response;
};

namespace recording_detail {

/// One channel that is not silent throughout.
inline std::vector<float> samples_of(const Audio& audio, const std::string& path) {
  if (audio.samples.size() != 1)
    throw std::runtime_error(path + ": " + std::to_string(audio.samples.size()) + " channels; it must have one");
  const std::vector<float>& samples = audio.samples[0];
  if (samples.empty()) throw std::runtime_error(path + ": no samples; it must have one at least");
  if (std::all_of(samples.begin(), samples.end(), [](float sample) { return sample == 0; }))
    throw std::runtime_error(path + ": silent throughout; a response cannot be found from silence");
  return samples;
}

}  // namespace recording_detail

/// Two WAV files of one channel, one rate and one length, neither of them silent. Throws std::runtime_error.
[[nodiscard]] inline Recording read_recording(const std::string& played_path, const std::string& recorded_path) {
  const auto must_be_equal = [&](const char* what, std::size_t played, std::size_t recorded) {
    if (played == recorded) return;
    throw std::runtime_error(played_path + " has " + std::to_string(played) + " " + what + " and " + recorded_path +
                             " has " + std::to_string(recorded) + "; they must be equal");
  };
  const Audio played = read_wav(played_path), recorded = read_wav(recorded_path);
  Recording recording;
  recording.rate = played.rate;
  recording.played = recording_detail::samples_of(played, played_path);
  recording.recorded = recording_detail::samples_of(recorded, recorded_path);
  must_be_equal("samples a second", static_cast<std::size_t>(played.rate), static_cast<std::size_t>(recorded.rate));
  must_be_equal("samples", recording.played.size(), recording.recorded.size());
  return recording;
}

}  // namespace ffc::examples

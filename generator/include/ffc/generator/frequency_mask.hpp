// Which frequencies of a filter's spectrum are kept: sets of digits, and what a real filter makes of them.
//
// A frequency k in [0, N) is written in digits, the lowest first: k = k_0 + r_0 k_1 + r_0 r_1 k_2 + ... A mask names a
// set of values for each digit, and their product is what it names of [0, N). These digits need not be those of a
// plan; where they are, whole tiles of its products fall away.
//
// A real filter has as much at -k as at k, so what is kept is closed under k -> -k. The digits of -k: those below the
// lowest that is not zero are zero, that one is r - d, and all above it are r - 1 - d. So a product is closed by itself
// only where either zero is not among the values of k_0, those are closed under negation and those of all other digits
// under d -> r - 1 - d; or where all digits but one are full or {0}. Any other is closed here, in one of two ways, and
// then is no product any more: a union of two, or what two have in common. Therefore a plan looks at the closed set
// itself, frequency by frequency, and leaves out what none of it needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ffc {

/// Values `first` to `end` - 1 of a digit.
struct ValueRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// One digit of the frequency index and the values of it that are kept.
struct MaskDigit {
  std::int64_t radix = 1;
  std::vector<ValueRange> kept;

  /// How many values are kept.
  [[nodiscard]] std::int64_t count() const;

  friend bool operator==(const MaskDigit&, const MaskDigit&) = default;
};

/// What happens to a named frequency whose negative is not named.
enum class Mirrors {
  added,    ///< the negative is kept as well
  required  ///< neither is kept
};

/// A mask over the digits of the frequency index, lowest digit first. Without digits it keeps all.
struct FrequencyMask {
  std::vector<MaskDigit> digits;
  Mirrors mirrors = Mirrors::added;

  [[nodiscard]] bool empty() const { return digits.empty(); }
  /// N: the product of the radices.
  [[nodiscard]] std::int64_t length() const;

  friend bool operator==(const FrequencyMask&, const FrequencyMask&) = default;
};

/// Keeps so many values of each digit, lowest digit first, chosen so that the mask is closed but for a few frequencies
/// where digits carry, which are dropped, and so that whole rows of a plan fall away. In the lowest digit: 0, 1, -1, 2,
/// -2, ... (an even number with radix / 2, of an odd radix without 0). In the highest: 0, r - 1, 1, r - 2, ..., a low
/// pass. In those between: the same in every period of the shortest length that allows it, {0, 3} of every 4 for a
/// half, because the first digits of a plan are low-order parts of these. There, and in the highest, an odd count of an
/// even radix is rounded up. Throws ConfigError for counts outside [1, radix], and for lists of different lengths.
[[nodiscard]] FrequencyMask keep_counts(const std::vector<std::int64_t>& counts,
                                        const std::vector<std::int64_t>& radices);

/// The same for as many digits of `fft_length` as there are counts, as equal as they can be, smaller ones first:
/// 32 x 32 x 32 x 64 for 2097152. Throws ConfigError where fft_length has no so many factors.
[[nodiscard]] FrequencyMask keep_counts(const std::vector<std::int64_t>& counts, std::int64_t fft_length);

/// Keeps these values of each digit and the negatives of all frequencies that they name. Throws ConfigError for values
/// outside [0, radix), empty sets, and lists of different lengths.
[[nodiscard]] FrequencyMask keep_values(const std::vector<std::vector<std::int64_t>>& values,
                                        const std::vector<std::int64_t>& radices);

/// Keeps frequencies below `limit`, in cycles a sample: |f| < limit, f = k / N for k up to N / 2. Throws ConfigError
/// for limits outside (0, 0.5].
[[nodiscard]] FrequencyMask low_pass(double limit, std::int64_t fft_length);

/// Whether each of the frequencies 0 to mask.length() - 1 is kept, closed under negation.
[[nodiscard]] std::vector<std::uint8_t> kept_frequencies(const FrequencyMask& mask);

/// The part of all frequencies that is dropped, 0 to 1: what the closed mask really has.
[[nodiscard]] double sparsity(const FrequencyMask& mask);

/// "32:0-7,16,25-31/32:0-7,24-31" and, where mirrors are required, "/mirrors"; "all" where nothing is dropped.
[[nodiscard]] std::string to_string(const FrequencyMask& mask);

/// Checks every digit, sorts and joins its ranges; a mask that names everything becomes the empty one. Throws
/// ConfigError naming the digit, its value and the right range; also where nothing is kept, and where the digits are
/// not those of `fft_length`.
[[nodiscard]] FrequencyMask normalised(const FrequencyMask& mask, std::int64_t fft_length);

}  // namespace ffc

// Where the cache lies, how large it may grow, and how the environment says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ffc::cache {

/// Receives one line without a newline. May be called from any thread that uses the store.
using WarnCallback = std::function<void(std::string_view line)>;

inline constexpr std::uint64_t default_max_bytes = std::uint64_t{1} << 30;

struct Options {
  std::filesystem::path root;                   ///< made when something is first stored; empty turns the cache off
  std::uint64_t max_bytes = default_max_bytes;  ///< bytes of files that the store keeps; least recently used go first
  bool disabled = false;                        ///< load always misses, save never stores
  WarnCallback warn;                            ///< null: warnings are dropped
  /// Roots of stores that others filled, looked through in turn for what the own one lacks, also where that is off for
  /// want of a root. Nothing is stored or removed there; the time of use is noted where that is permitted.
  std::vector<std::filesystem::path> read_only_roots = {};
  bool may_compile = true;  ///< whoever misses here may compile; the store itself does not ask
};

/// Options from the environment:
/// - FFC_CACHE_DIR: the root; else $XDG_CACHE_HOME/ffc, else $HOME/.cache/ffc, else the cache is disabled with a
///   warning. Relative XDG_CACHE_HOME and HOME count as unset.
/// - FFC_CACHE_PATH: read_only_roots, absolute, with colons between them; relative ones are left out with a warning.
/// - FFC_JIT: 0, false, no or off forbid to compile; 1, true, yes, on or empty do not; anything else is a warning and
///   forbids.
/// - FFC_CACHE_MAX_BYTES: see parse_bytes; anything else, or 0, is a warning and the default.
/// - FFC_CACHE_DISABLE: 1, true, yes or on disable; 0, false, no, off or empty do not; anything else is a warning and
///   disables.
/// `warn` receives the warnings and is kept in the result.
[[nodiscard]] Options options_from_environment(WarnCallback warn = {});

/// A number of bytes: decimal digits and an optional suffix K, M, G or T (powers of 1024, upper or lower case).
/// Empty for anything else, and for what does not fit in 64 bits.
[[nodiscard]] std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace ffc::cache

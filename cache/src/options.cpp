// Reads the cache's options from the environment.
#include "ffc/cache/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace ffc::cache {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

void warn(const Options& options, const std::string& line) {
  if (options.warn) options.warn(line);
}

std::filesystem::path root_from_environment() {
  if (const std::filesystem::path chosen = environment("FFC_CACHE_DIR"); !chosen.empty()) {
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(chosen, error);
    return error ? chosen : absolute;
  }
  if (const std::filesystem::path xdg = environment("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "ffc";
  if (const std::filesystem::path home = environment("HOME"); home.is_absolute()) return home / ".cache" / "ffc";
  return {};
}

void read_max_bytes(Options& options) {
  const std::string_view text = environment("FFC_CACHE_MAX_BYTES");
  if (text.empty()) return;
  const std::optional<std::uint64_t> bytes = parse_bytes(text);
  if (bytes && *bytes > 0) {
    options.max_bytes = *bytes;
    return;
  }
  warn(options, "FFC_CACHE_MAX_BYTES is '" + std::string(text) +
                    "', not a number of bytes from 1 with an optional suffix K, M, G or T; using " +
                    std::to_string(default_max_bytes) + " (FFC_CACHE_DISABLE=1 turns the cache off)");
}

/// What a variable says, `otherwise` where it is empty or, with a warning that ends in `consequence`, no such word.
bool read_switch(const Options& options, const char* name, bool otherwise, bool if_unknown, const char* consequence) {
  const std::string_view text = environment(name);
  if (text.empty()) return otherwise;
  for (const std::string_view no : {"0", "false", "no", "off"}) {
    if (text == no) return false;
  }
  for (const std::string_view yes : {"1", "true", "yes", "on"}) {
    if (text == yes) return true;
  }
  warn(options, std::string(name) + " is '" + std::string(text) +
                    "', not one of 1, true, yes, on, 0, false, no, off; " + consequence);
  return if_unknown;
}

void read_path(Options& options) {
  std::string_view text = environment("FFC_CACHE_PATH");
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::filesystem::path root = text.substr(0, colon);
    text.remove_prefix(std::min(colon + 1, text.size()));
    if (root.is_absolute())
      options.read_only_roots.push_back(root);
    else if (!root.empty())
      warn(options, "FFC_CACHE_PATH names '" + root.string() + "', which is no absolute path; it is left out");
  }
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return std::nullopt;
  if (rest == end) return value;
  if (rest + 1 != end) return std::nullopt;

  constexpr std::string_view suffixes = "KMGTkmgt";
  const std::size_t index = suffixes.find(*rest);
  if (index == std::string_view::npos) return std::nullopt;
  const std::size_t shift = 10 * (index % 4 + 1);
  if (value > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return value << shift;
}

Options options_from_environment(WarnCallback warn_callback) {
  Options options;
  options.warn = std::move(warn_callback);
  options.disabled = read_switch(options, "FFC_CACHE_DISABLE", false, true, "the cache is disabled");
  options.may_compile = read_switch(options, "FFC_JIT", true, false, "nothing is compiled");
  if (!options.disabled) read_path(options);
  read_max_bytes(options);
  options.root = root_from_environment();
  if (options.root.empty() && !options.disabled) {
    options.disabled = true;
    warn(options,
         "no folder for the kernel cache: none of FFC_CACHE_DIR, XDG_CACHE_HOME and HOME is set to an "
         "absolute path; kernels are compiled anew in every process");
  }
  return options;
}

}  // namespace ffc::cache

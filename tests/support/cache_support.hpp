// What the tests of the cache share: a root that vanishes, a store that keeps its warnings, entries to store.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ffc/cache/store.hpp"

namespace ffc::cache::test {

namespace fs = std::filesystem;

/// A fresh folder that vanishes with everything in it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (fs::temp_directory_path() / "ffc-cache-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    for (fs::recursive_directory_iterator it(path_, ignored), end; it != end; it.increment(ignored)) {
      if (it->is_directory(ignored) && !it->is_symlink(ignored)) chmod(it->path().c_str(), 0700);
    }
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// A store on a root of its own that keeps its warnings.
struct Fixture {
  Scratch scratch;
  fs::path root = scratch.path() / "cache";
  std::vector<std::string> warnings;
  std::mutex mutex;

  Options options(std::uint64_t max_bytes = default_max_bytes) {
    const auto keep = [this](std::string_view line) {
      const std::lock_guard lock(mutex);
      warnings.emplace_back(line);
    };
    return {root, max_bytes, false, keep};
  }
  fs::path temporary() const { return root / "v1" / ".tmp"; }
  fs::path bad() const { return root / "v1" / ".bad"; }
};

inline std::size_t count_children(const fs::path& folder) {
  std::error_code error;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder, error), fs::directory_iterator()));
}

inline std::string bytes_of(std::size_t size, unsigned seed) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>((seed = seed * 1664525U + 1013904223U) >> 24);
  return bytes;
}

inline Key key_of(const std::string& text) { return {"sm_90a", "conv_fwd_n4096_16x16x16_f16_sm90", text}; }
inline Entry entry_of(unsigned seed, std::size_t size = 20000) {
  return {"// source " + std::to_string(seed) + "\n", bytes_of(size, seed), "0 bytes spilled\n"};
}

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
inline void flip_bit(const fs::path& path, std::size_t at) {
  std::string bytes = read_file(path);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 4);
  write_file(path, bytes);
}

inline bool holds(Store& store, const Key& key, const Entry& entry) {
  const auto loaded = store.load(key);
  return loaded && loaded->binary == entry.binary && loaded->log == entry.log &&
         loaded->folder == store.entry_folder(key);
}

}  // namespace ffc::cache::test

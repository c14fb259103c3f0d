// A content-addressed store of compiled kernels on disk: <root>/<format>/<partition>/<name>-<hash>/.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/cache/options.hpp"

namespace ffc::cache {
namespace internal {
struct Inspection;
}

/// The version of the folder layout, first component below the root. Entries of another format are never looked at.
inline constexpr std::string_view format_version = "v1";

/// Most characters of Key::partition and Key::name.
inline constexpr std::size_t max_name_length = 150;

/// What an entry is found by. `text` is everything that decides the bytes, readable; its SHA-256 names the folder and
/// the whole of it is compared on load. A long part (the source) may stand in it as its own SHA-256.
/// `partition` and `name`: 1 to max_name_length characters of [A-Za-z0-9_.+-], the first of them no dot.
struct Key {
  std::string partition;  ///< folder of the entry (the arch)
  std::string name;       ///< readable part of the entry's own folder (the kernel's name)
  std::string text;
};

/// What is stored under a key.
struct Entry {
  std::string source;  ///< source.cu, for people: checked by verify, not read by load
  std::string binary;  ///< kernel.cubin
  std::string log;     ///< compile.log
};

/// What load finds. Checked against the length and SHA-256 taken when it was stored.
struct Loaded {
  std::string binary;
  std::string log;
  std::filesystem::path folder;
};

/// One entry as list finds it; its content is not looked at.
struct EntryInfo {
  std::filesystem::path folder;
  std::string partition;
  std::string name;
  std::string hash;         ///< of the key text, as in the folder's name
  std::uint64_t bytes = 0;  ///< of all its files
  std::chrono::system_clock::time_point last_used;
};

struct BadEntry {
  std::filesystem::path folder;  ///< where it was
  std::string reason;
};

struct VerifyReport {
  std::size_t good = 0;
  std::vector<BadEntry> bad;
};

struct RemovalReport {
  std::size_t entries = 0;  ///< entries removed
  std::uint64_t bytes = 0;  ///< bytes of their files
};

/// The store. Every function may be called from any thread and from any number of processes on the same root.
///
/// No disk fault throws or is fatal: load misses, save stores nothing, and the first fault of a Store is reported
/// through Options::warn, later ones are counted alone. A damaged entry is moved to <root>/<format>/.bad (which keeps
/// the last few) with a warning for each. What a killed process left in <root>/<format>/.tmp is removed by the first
/// save of a later one. Only std::invalid_argument for a malformed partition or name, std::bad_alloc, and what the warn
/// callback throws leave this class.
class Store {
 public:
  /// Touches no disk.
  explicit Store(Options options);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] const Options& options() const { return options_; }
  /// False when load and save do nothing.
  [[nodiscard]] bool enabled() const { return !options_.disabled && !options_.root.empty(); }
  /// The folder of that key's entry, whether it exists or not. Throws std::invalid_argument.
  [[nodiscard]] std::filesystem::path entry_folder(const Key& key) const;

  /// The entry, marked as just used, else one of Options::read_only_roots; empty for a miss, a damaged entry (set
  /// aside, where the store is its owner) or a disk fault.
  [[nodiscard]] std::optional<Loaded> load(const Key& key);

  /// Stores an entry and returns its folder; empty when nothing could be stored. Finding the same key stored by
  /// somebody else meanwhile is success. Then removes least recently used entries, never this one, until the store
  /// is within Options::max_bytes.
  std::optional<std::filesystem::path> save(const Key& key, const Entry& entry);

  /// How often the disk refused something so far.
  [[nodiscard]] std::size_t faults() const { return faults_; }

  // The functions below work on a disabled store too, as long as it has a root.

  /// All entries, least recently used first.
  [[nodiscard]] std::vector<EntryInfo> list();
  /// Checks every file of every entry and sets the damaged ones aside.
  VerifyReport verify();
  /// Removes everything set aside, leftovers, and least recently used entries until at most `max_bytes` are left.
  RemovalReport prune(std::uint64_t max_bytes);
  /// Removes all entries, everything set aside, and leftovers. Files that are not the cache's own stay.
  RemovalReport clear();

 private:
  static std::filesystem::path entry_folder(const std::filesystem::path& root, const Key& key);
  std::optional<Loaded> load_own(const Key& key);
  std::filesystem::path format_folder() const;
  void report_fault(const std::string& what, int error_number);
  void set_aside(const std::filesystem::path& folder, const internal::Inspection& found);
  void trim_set_aside(std::size_t kept);
  bool publish(const std::filesystem::path& staged, const std::filesystem::path& folder, const Key& key);
  void sweep_leftovers();
  RemovalReport evict(std::uint64_t max_bytes, const std::filesystem::path& keep);
  bool remove_entry(const std::filesystem::path& folder);

  Options options_;
  std::atomic<std::size_t> faults_ = 0;
  std::atomic<bool> swept_ = false;
};

}  // namespace ffc::cache

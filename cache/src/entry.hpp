// The inside of one entry's folder: its files, and the manifest that says what they must be.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ffc/cache/store.hpp"
#include "files.hpp"

namespace ffc::cache::internal {

/// Holds a line `<name> <bytes> <SHA-256>` for each of entry_files. Written last; its time stamp is the last use.
inline constexpr const char* manifest_file = "manifest.txt";
inline constexpr std::array<const char*, 4> entry_files{"source.cu", "kernel.cubin", "key.txt", "compile.log"};

/// A failed operation on a named thing. `error_number` 0 is success.
struct Fault {
  int error_number = 0;
  std::string what;
  explicit operator bool() const { return error_number != 0; }
};

/// Writes all files of an entry into an empty folder and flushes them.
[[nodiscard]] Fault write_entry(const std::filesystem::path& folder, std::string_view key_text, const Entry& entry);

enum class Condition {
  good,
  absent,      ///< nobody has stored it, or somebody is replacing it just now
  damaged,     ///< it can never be used
  unreadable,  ///< the disk refuses: no reason to think that the entry itself is bad
};

/// What a look at an entry found. `device` and `inode` tell the folder looked at from one that took its place since;
/// they do as long as `directory` holds the folder open, for a file system gives a freed inode to the next folder.
struct Inspection {
  Condition condition = Condition::absent;
  std::string reason;    ///< unless good
  int error_number = 0;  ///< when unreadable
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  FileDescriptor directory;
  Loaded loaded;  ///< when good
};

/// Reads an entry for use: compares the key, checks binary and log, and that every other file has its length.
/// Marks the entry as used.
[[nodiscard]] Inspection read_entry(const std::filesystem::path& folder, std::string_view key_text);

/// Checks the content of every file, and that the key text is the one which the folder is named after.
[[nodiscard]] Inspection verify_entry(const std::filesystem::path& folder);

/// A folder's name without its parent: `<name>-<first digits of the key text's SHA-256>`.
inline constexpr std::size_t folder_hash_digits = 32;
[[nodiscard]] std::string folder_hash(std::string_view key_text);
/// Splits a folder's name. False when it is not one of an entry.
[[nodiscard]] bool split_folder_name(std::string_view folder_name, std::string& name, std::string& hash);

}  // namespace ffc::cache::internal

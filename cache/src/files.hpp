// The POSIX file operations that the store needs. Faults come back as errno values; 0 is success.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace ffc::cache::internal {

/// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// Network and quota file systems report a failed write only here.
  [[nodiscard]] int close();

 private:
  int fd_;
};

/// A private new directory (mode 0700), named `<host>.<pid>.<random>`, removed with all it holds where it was not
/// renamed to somewhere else.
class TemporaryDirectory {
 public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  /// Creates it below `parent`, which is made where it is missing.
  [[nodiscard]] int create(const std::filesystem::path& parent);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Removes it now. What stays is removed as a leftover by a later process.
  [[nodiscard]] int remove();

 private:
  std::filesystem::path path_;
};

/// Makes `folder` and its missing parents with mode 0700.
[[nodiscard]] int make_directories(const std::filesystem::path& folder);

/// Makes `<prefix>XXXXXX`, the last six random, with mode 0700.
[[nodiscard]] int make_unique_directory(const std::filesystem::path& prefix, std::filesystem::path& made);

[[nodiscard]] int open_directory(const std::filesystem::path& folder, FileDescriptor& directory);

/// Opens a regular file for reading. EINVAL when it is something else: a pipe in its place must not block a reader.
[[nodiscard]] int open_file(int directory, const char* name, FileDescriptor& file, struct stat& status);

/// Reads `size` bytes; fewer when the file ends before.
[[nodiscard]] int read_bytes(int file, std::uint64_t size, std::string& bytes);

/// Creates a file that does not exist yet, writes it and flushes it to the disk.
[[nodiscard]] int write_new_file(int directory, const char* name, std::string_view bytes);

/// Marks a file as used now, to the nanosecond where the file system can: the kernel's own clock for this ticks in
/// milliseconds, too coarse to order uses.
[[nodiscard]] int mark_used(int file);

/// Flushes a directory, so that what was renamed into it survives a crash.
[[nodiscard]] int sync_directory(const std::filesystem::path& folder);

[[nodiscard]] int rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// True when a directory made by TemporaryDirectory has lost its owner: the process is dead (known only for processes
/// of this host), or an hour has passed.
[[nodiscard]] bool is_abandoned(const std::filesystem::path& temporary);

/// Removes a file or a whole folder, following no links.
[[nodiscard]] int remove_tree(const std::filesystem::path& path);

/// Sum of the sizes of all files below.
[[nodiscard]] std::uint64_t bytes_below(const std::filesystem::path& folder);

/// ", and <path> is a symbolic link to <target>, which is not there", of `path` or the nearest folder above it that is
/// such a link; empty where none is.
[[nodiscard]] std::string broken_link_above(const std::filesystem::path& path);

/// "<text of the error> (errno <number>)".
[[nodiscard]] std::string describe(int error_number);

}  // namespace ffc::cache::internal

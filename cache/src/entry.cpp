// Writing and checking the files of one entry.
#include "entry.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "ffc/cache/sha256.hpp"
#include "files.hpp"

namespace ffc::cache::internal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view manifest_title = "ffc cache entry 1\n";
constexpr std::uint64_t manifest_limit = 4096;  // bytes; a real one has about 350
enum FileIndex : std::size_t { source_index, binary_index, key_index, log_index };

struct Record {
  std::uint64_t bytes = 0;
  std::string sha256;
};
using Manifest = std::array<Record, entry_files.size()>;

std::string render(const Manifest& manifest) {
  std::string text(manifest_title);
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    text += std::string(entry_files[i]) + ' ' + std::to_string(manifest[i].bytes) + ' ' + manifest[i].sha256 + '\n';
  }
  return text;
}

std::optional<Manifest> parse(const std::string& text) {
  if (!text.starts_with(manifest_title)) return std::nullopt;
  Manifest manifest;
  std::size_t line = manifest_title.size();
  for (Record& record : manifest) {
    const std::size_t end = text.find('\n', line);
    const std::size_t number = text.find(' ', line) + 1;
    if (end == std::string::npos || number == 0 || number > end) return std::nullopt;
    const auto [rest, error] = std::from_chars(text.data() + number, text.data() + end, record.bytes);
    if (error != std::errc{} || rest == text.data() + end) return std::nullopt;
    record.sha256.assign(rest + 1, text.data() + end);
    line = end + 1;
  }
  // Every other way of being malformed shows in not being what would have been written.
  if (render(manifest) != text) return std::nullopt;
  return manifest;
}

/// A look at one entry in progress. A check that fails settles the result.
class Inspector {
 public:
  explicit Inspector(const fs::path& folder) {
    result_.loaded.folder = folder;
    if (const int error = open_directory(folder, directory_)) {
      inspect_unopened(folder, error);
      return;
    }
    struct stat status {};
    if (::fstat(directory_.get(), &status) != 0) {
      settle(Condition::unreadable, "cannot be looked at", errno);
      return;
    }
    identify(status);
    read_manifest();
  }

  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] const FileDescriptor& manifest_descriptor() const { return manifest_descriptor_; }

  /// The file's length is right.
  void check_length(FileIndex index) {
    FileDescriptor file;
    struct stat status {};
    if (!settled_) static_cast<void>(open_checked(index, file, status));
  }

  /// The file's length is right; reads it.
  std::string read(FileIndex index) {
    std::string bytes;
    FileDescriptor file;
    struct stat status {};
    if (settled_ || !open_checked(index, file, status)) return bytes;
    if (const int error = read_bytes(file.get(), manifest_[index].bytes, bytes)) {
      settle_error(entry_files[index], error);
    } else if (bytes.size() != manifest_[index].bytes) {
      settle(Condition::damaged, std::string(entry_files[index]) + " ends too early");
    }
    return bytes;
  }

  /// The file's length and SHA-256 are right; reads it.
  std::string read_checked(FileIndex index) {
    std::string bytes = read(index);
    if (!settled_ && sha256_hex(bytes) != manifest_[index].sha256) {
      settle(Condition::damaged,
             "the SHA-256 of " + std::string(entry_files[index]) + " is not the one it was stored with");
    }
    return bytes;
  }

  void settle(Condition condition, std::string reason, int error_number = 0) {
    result_.condition = condition;
    result_.reason = std::move(reason);
    result_.error_number = error_number;
    settled_ = true;
  }

  Inspection finish(std::string binary = {}, std::string log = {}) {
    if (!settled_) {
      result_.condition = Condition::good;
      result_.loaded.binary = std::move(binary);
      result_.loaded.log = std::move(log);
    }
    result_.directory = std::move(directory_);
    return std::move(result_);
  }

 private:
  void identify(const struct stat& status) {
    result_.device = static_cast<std::uint64_t>(status.st_dev);
    result_.inode = static_cast<std::uint64_t>(status.st_ino);
  }

  /// Why a folder cannot be opened: it is not there, something else is in its place, or the disk refuses.
  void inspect_unopened(const fs::path& folder, int open_error) {
    // Judged by the first answer: a second look may find what another process has stored meanwhile.
    if (open_error == ENOENT || open_error == ESTALE) return settle(Condition::absent, "is not there", open_error);
    struct stat status {};
    const bool is_there = ::lstat(folder.c_str(), &status) == 0;
    if (is_there) identify(status);
    if (is_there && !S_ISDIR(status.st_mode)) return settle(Condition::damaged, "is not a folder");
    settle(Condition::unreadable, "cannot be opened", open_error);
  }

  void settle_error(const char* name, int error) {
    if (error == ENOENT) return settle(Condition::damaged, std::string(name) + " is missing");
    if (error == EINVAL || error == ELOOP) return settle(Condition::damaged, std::string(name) + " is no plain file");
    if (error == ESTALE) return settle(Condition::absent, "was removed", error);
    settle(Condition::unreadable, std::string(name) + " cannot be read", error);
  }

  void read_manifest() {
    struct stat status {};
    std::string text;
    int error = open_file(directory_.get(), manifest_file, manifest_descriptor_, status);
    if (error == 0) error = read_bytes(manifest_descriptor_.get(), manifest_limit, text);
    if (error != 0) return settle_error(manifest_file, error);
    std::optional<Manifest> manifest = parse(text);
    if (!manifest) return settle(Condition::damaged, std::string(manifest_file) + " is malformed");
    manifest_ = std::move(*manifest);
  }

  bool open_checked(FileIndex index, FileDescriptor& file, struct stat& status) {
    const char* const name = entry_files[index];
    if (const int error = open_file(directory_.get(), name, file, status)) {
      settle_error(name, error);
      return false;
    }
    // Compared before anything is allocated, so that a damaged length costs nothing.
    const auto actual = static_cast<std::uint64_t>(status.st_size);
    if (actual == manifest_[index].bytes) return true;
    settle(Condition::damaged, std::string(name) + " has " + std::to_string(actual) + " bytes instead of " +
                                   std::to_string(manifest_[index].bytes));
    return false;
  }

  FileDescriptor directory_;
  FileDescriptor manifest_descriptor_;
  Manifest manifest_;
  Inspection result_;
  bool settled_ = false;
};

}  // namespace

Fault write_entry(const fs::path& folder, std::string_view key_text, const Entry& entry) {
  const std::array<std::string_view, entry_files.size()> contents{entry.source, entry.binary, key_text, entry.log};
  FileDescriptor directory;
  if (const int error = open_directory(folder, directory)) return {error, "cannot open " + folder.string()};

  const auto write = [&](const char* name, std::string_view bytes) -> Fault {
    const int error = write_new_file(directory.get(), name, bytes);
    return {error, error == 0 ? std::string{} : "cannot write " + (folder / name).string()};
  };
  Manifest manifest;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    manifest[i] = {contents[i].size(), sha256_hex(contents[i])};
    if (Fault fault = write(entry_files[i], contents[i])) return fault;
  }
  if (Fault fault = write(manifest_file, render(manifest))) return fault;
  const int error = sync_directory(folder);
  return {error, error == 0 ? std::string{} : "cannot flush " + folder.string()};
}

Inspection read_entry(const fs::path& folder, std::string_view key_text) {
  Inspector inspector(folder);
  const std::string stored_key = inspector.read(key_index);
  if (!inspector.settled() && stored_key != key_text) {
    inspector.settle(Condition::damaged, std::string(entry_files[key_index]) + " holds another key");
  }
  std::string binary = inspector.read_checked(binary_index);
  std::string log = inspector.read_checked(log_index);
  inspector.check_length(source_index);
  // On a read-only disk nothing is evicted either, so a stamp that cannot be set does no harm.
  if (!inspector.settled()) static_cast<void>(mark_used(inspector.manifest_descriptor().get()));
  return inspector.finish(std::move(binary), std::move(log));
}

Inspection verify_entry(const fs::path& folder) {
  Inspector inspector(folder);
  const std::string key_text = inspector.read_checked(key_index);
  std::string name, hash;
  if (!inspector.settled() &&
      (!split_folder_name(folder.filename().string(), name, hash) || folder_hash(key_text) != hash)) {
    inspector.settle(Condition::damaged, std::string(entry_files[key_index]) + " holds another key");
  }
  for (const FileIndex index : {binary_index, log_index, source_index}) {
    static_cast<void>(inspector.read_checked(index));
  }
  return inspector.finish();
}

std::string folder_hash(std::string_view key_text) { return sha256_hex(key_text).substr(0, folder_hash_digits); }

bool split_folder_name(std::string_view folder_name, std::string& name, std::string& hash) {
  if (folder_name.size() < folder_hash_digits + 2 || folder_name.front() == '.') return false;
  const std::size_t dash = folder_name.size() - folder_hash_digits - 1;
  name = folder_name.substr(0, dash);
  hash = folder_name.substr(dash + 1);
  return folder_name[dash] == '-' && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace ffc::cache::internal

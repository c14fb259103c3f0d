// The POSIX file operations that the store needs.
#include "files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <system_error>

namespace ffc::cache::internal {
namespace {

namespace fs = std::filesystem;

constexpr mode_t private_directory = 0700;
constexpr mode_t private_file = 0600;
constexpr std::time_t leftover_seconds = 3600;

/// This host's name as a file name component without dots.
std::string host_name() {
  std::array<char, 256> buffer{};
  if (gethostname(buffer.data(), buffer.size() - 1) != 0 || buffer[0] == '\0') return "host";
  std::string name = std::string(buffer.data()).substr(0, 64);
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  for (char& c : name) c = is_plain(c) ? c : '_';
  return name;
}

int write_bytes(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  // Whoever cares about the result has called close() before.
  if (fd_ >= 0) static_cast<void>(close());
}

int FileDescriptor::close() { return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

TemporaryDirectory::~TemporaryDirectory() { static_cast<void>(remove()); }

int TemporaryDirectory::remove() {
  const fs::path path = std::exchange(path_, fs::path());
  return path.empty() ? 0 : remove_tree(path);
}

int TemporaryDirectory::create(const fs::path& parent) {
  if (const int error = make_directories(parent)) return error;
  return make_unique_directory(parent / (host_name() + "." + std::to_string(getpid()) + "."), path_);
}

int make_directories(const fs::path& folder) {
  if (::mkdir(folder.c_str(), private_directory) == 0) return 0;
  int error = errno;
  if (error == ENOENT && folder.has_relative_path()) {
    if (const int parent_error = make_directories(folder.parent_path())) return parent_error;
    if (::mkdir(folder.c_str(), private_directory) == 0) return 0;
    error = errno;
  }
  // A read-only file system may answer EROFS for a directory that is there.
  struct stat status {};
  const bool found = ::stat(folder.c_str(), &status) == 0;
  if (found && S_ISDIR(status.st_mode)) return 0;
  // What exists is a file, or a link that leads nowhere.
  return error != EEXIST ? error : found ? ENOTDIR : errno;
}

int make_unique_directory(const fs::path& prefix, fs::path& made) {
  std::string pattern = prefix.string() + "XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return errno;
  made = pattern;
  return 0;
}

int open_directory(const fs::path& folder, FileDescriptor& directory) {
  directory = FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return directory.is_open() ? 0 : errno;
}

int open_file(int directory, const char* name, FileDescriptor& file, struct stat& status) {
  file = FileDescriptor(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open()) return errno;
  if (::fstat(file.get(), &status) != 0) return errno;
  return S_ISREG(status.st_mode) ? 0 : EINVAL;
}

int read_bytes(int file, std::uint64_t size, std::string& bytes) {
  bytes.resize(size);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return 0;
}

int write_new_file(int directory, const char* name, std::string_view bytes) {
  FileDescriptor file(::openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, private_file));
  if (!file.is_open()) return errno;
  if (const int error = write_bytes(file.get(), bytes)) return error;
  // Without a stamp the entry is only a little older than it should be.
  static_cast<void>(mark_used(file.get()));
  if (::fsync(file.get()) != 0) return errno;
  return file.close();
}

int mark_used(int file) {
  std::array<timespec, 2> now{};
  if (clock_gettime(CLOCK_REALTIME, &now[0]) != 0) return errno;
  now[1] = now[0];
  return ::futimens(file, now.data()) == 0 ? 0 : errno;
}

int sync_directory(const fs::path& folder) {
  FileDescriptor directory;
  if (const int error = open_directory(folder, directory)) return error;
  if (::fsync(directory.get()) != 0) return errno;
  return directory.close();
}

int rename_path(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool is_abandoned(const fs::path& temporary) {
  const std::string name = temporary.filename().string();
  const std::string own_prefix = host_name() + ".";
  if (name.starts_with(own_prefix)) {
    const char* const end = name.data() + name.size();
    pid_t pid = 0;
    const auto [rest, error] = std::from_chars(name.data() + own_prefix.size(), end, pid);
    if (error == std::errc{} && rest != end && *rest == '.' && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) {
      return true;
    }
  }
  struct stat status {};
  if (::lstat(temporary.c_str(), &status) != 0) return false;
  return status.st_mtime + leftover_seconds < std::time(nullptr);
}

int remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error.value();
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t total = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    struct stat status {};
    if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      total += static_cast<std::uint64_t>(status.st_size);
    }
  }
  return total;
}

std::string broken_link_above(const fs::path& path) {
  std::error_code ignored;
  for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
    if (!fs::is_symlink(fs::symlink_status(at, ignored)) || fs::exists(at, ignored)) continue;
    return ", and " + at.string() + " is a symbolic link to " + fs::read_symlink(at, ignored).string() +
           ", which is not there";
  }
  return {};
}

std::string describe(int error_number) {
  return std::generic_category().message(error_number) + " (errno " + std::to_string(error_number) + ")";
}

}  // namespace ffc::cache::internal

// The store: looks entries up, publishes new ones, sets damaged ones aside, and keeps the size bound.
#include "ffc/cache/store.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "entry.hpp"
#include "ffc/cache/sha256.hpp"
#include "files.hpp"

namespace ffc::cache {
namespace {

namespace fs = std::filesystem;
using internal::Condition;
using internal::Inspection;

// Names that no partition can have, as those do not begin with a dot.
constexpr const char* temporary_folder = ".tmp";
constexpr const char* bad_folder = ".bad";
constexpr std::size_t bad_entries_kept = 4;
constexpr int publish_attempts = 8;  // others may publish and evict the same key meanwhile

void check_component(const char* what, const std::string& value) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
  if (!value.empty() && value.size() <= max_name_length && value.front() != '.' &&
      value.find_first_not_of(allowed) == std::string::npos) {
    return;
  }
  throw std::invalid_argument(std::string("cache key: ") + what + " is '" + value + "', must be 1 to " +
                              std::to_string(max_name_length) +
                              " characters of [A-Za-z0-9_.+-] and not begin with a dot");
}

/// Names in a folder, sorted; none when it is missing or cannot be read.
std::vector<fs::path> children(const fs::path& folder, int& error_number) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    found.push_back(it->path());
  }
  error_number = error == std::errc::no_such_file_or_directory ? 0 : error.value();
  std::sort(found.begin(), found.end());
  return found;
}

/// Size and stamp of one entry. False when it is gone.
bool measure(EntryInfo& info) {
  struct stat status {};
  if (::lstat(info.folder.c_str(), &status) != 0) return false;
  timespec stamp = status.st_mtim;
  const auto add = [&](const char* name) {
    if (::lstat((info.folder / name).c_str(), &status) != 0) return false;
    info.bytes += static_cast<std::uint64_t>(status.st_size);
    return true;
  };
  for (const char* name : internal::entry_files) add(name);
  if (add(internal::manifest_file)) stamp = status.st_mtim;
  info.last_used =
      std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::seconds(stamp.tv_sec) + std::chrono::nanoseconds(stamp.tv_nsec)));
  return true;
}

/// The path still names what was looked at.
bool is_found(const fs::path& path, const Inspection& found) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && static_cast<std::uint64_t>(status.st_dev) == found.device &&
         static_cast<std::uint64_t>(status.st_ino) == found.inode;
}

}  // namespace

Store::Store(Options options) : options_(std::move(options)) {}

fs::path Store::format_folder() const { return options_.root / format_version; }

fs::path Store::entry_folder(const Key& key) const { return entry_folder(options_.root, key); }

fs::path Store::entry_folder(const fs::path& root, const Key& key) {
  check_component("partition", key.partition);
  check_component("name", key.name);
  return root / format_version / key.partition / (key.name + "-" + internal::folder_hash(key.text));
}

std::optional<Loaded> Store::load(const Key& key) {
  if (std::optional<Loaded> own = load_own(key)) return own;
  for (const fs::path& root : options_.read_only_roots) {
    const fs::path folder = entry_folder(root, key);
    Inspection found = internal::read_entry(folder, key.text);
    if (found.condition == Condition::good) return std::move(found.loaded);
    if (found.condition != Condition::absent) report_fault(folder.string() + " " + found.reason, found.error_number);
  }
  return std::nullopt;
}

std::optional<Loaded> Store::load_own(const Key& key) {
  const fs::path folder = entry_folder(key);
  if (!enabled()) return std::nullopt;
  Inspection found = internal::read_entry(folder, key.text);
  switch (found.condition) {
    case Condition::good:
      return std::move(found.loaded);
    case Condition::damaged:
      set_aside(folder, found);
      break;
    case Condition::unreadable:
      report_fault(folder.string() + " " + found.reason, found.error_number);
      break;
    case Condition::absent:
      break;
  }
  return std::nullopt;
}

std::optional<fs::path> Store::save(const Key& key, const Entry& entry) {
  fs::path folder = entry_folder(key);
  if (!enabled()) return std::nullopt;
  if (!swept_.exchange(true)) sweep_leftovers();

  const fs::path temporary = format_folder() / temporary_folder;
  internal::TemporaryDirectory staged;
  if (const int error = staged.create(temporary)) {
    report_fault("cannot create a folder in " + temporary.string(), error);
    return std::nullopt;
  }
  if (const internal::Fault fault = internal::write_entry(staged.path(), key.text, entry)) {
    report_fault(fault.what, fault.error_number);
    return std::nullopt;
  }
  if (const int error = internal::make_directories(folder.parent_path())) {
    report_fault("cannot create " + folder.parent_path().string(), error);
    return std::nullopt;
  }
  if (!publish(staged.path(), folder, key)) return std::nullopt;
  // The entry is complete whether this succeeds or not; it is only not certain to survive a crash.
  if (const int error = internal::sync_directory(folder.parent_path())) {
    report_fault("cannot flush " + folder.parent_path().string(), error);
  }
  evict(options_.max_bytes, folder);
  return folder;
}

/// Renames a staged entry to where it belongs. True when a good entry is there afterwards, whoever made it.
bool Store::publish(const fs::path& staged, const fs::path& folder, const Key& key) {
  int error = 0;
  for (int attempt = 0; attempt < publish_attempts; ++attempt) {
    error = internal::rename_path(staged, folder);
    if (error == 0) return true;
    // Somebody was first, or a network file system repeated a rename that had succeeded.
    const Inspection found = internal::read_entry(folder, key.text);
    if (found.condition == Condition::good) return true;
    // Compiling again has shown that this one is of no use to us, so even an unreadable one makes way.
    if (found.condition != Condition::absent) set_aside(folder, found);
  }
  report_fault("cannot rename " + staged.string() + " to " + folder.string(), error);
  return false;
}

/// Tells of the first fault only: a disk that is full or read-only stays so, and each kernel would repeat it.
void Store::report_fault(const std::string& what, int error_number) {
  if (faults_++ > 0 || !options_.warn) return;
  options_.warn("kernel cache: " + what + ": " + internal::describe(error_number) +
                internal::broken_link_above(format_folder()) +
                "; going on without what the disk does not give, further faults are not reported");
}

void Store::set_aside(const fs::path& folder, const Inspection& found) {
  // Somebody may have replaced or evicted the folder that was looked at.
  if (!is_found(folder, found)) return;
  const fs::path bad = format_folder() / bad_folder;
  std::error_code ignored;
  const bool is_directory = fs::is_directory(fs::symlink_status(folder, ignored));
  fs::path place;
  int error = internal::make_directories(bad);
  if (error == 0) error = internal::make_unique_directory(bad / (folder.filename().string() + "."), place);
  const fs::path moved = is_directory ? place : place / "entry";
  if (error == 0) {
    // A folder can be moved to another parent only by who may write to it.
    if (is_directory) static_cast<void>(::chmod(folder.c_str(), S_IRWXU));
    error = internal::rename_path(folder, moved);
    if (error != 0) static_cast<void>(internal::remove_tree(place));
  }
  if (error != 0) {
    const std::string what = "damaged entry " + folder.string() + " (" + found.reason + ") cannot be set aside";
    if (error != ENOENT) report_fault(what, error);
    return;
  }
  if (!is_found(moved, found)) {
    // It was replaced between the look and the move: put the new one back, or drop it where there is yet another.
    static_cast<void>(internal::rename_path(moved, folder));
    static_cast<void>(internal::remove_tree(place));
    return;
  }
  // The newest are kept, counted from now.
  internal::FileDescriptor kept;
  if (internal::open_directory(place, kept) == 0) static_cast<void>(internal::mark_used(kept.get()));
  if (options_.warn) {
    options_.warn("kernel cache: set aside damaged entry " + folder.string() + ": " + found.reason);
  }
  trim_set_aside(bad_entries_kept);
}

/// Removes all but the newest entries that were set aside.
void Store::trim_set_aside(std::size_t kept) {
  int error = 0;
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  for (const fs::path& path : children(format_folder() / bad_folder, error)) {
    std::error_code ignored;
    found.emplace_back(fs::last_write_time(path, ignored), path);
  }
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i + kept < found.size(); ++i) {
    error = internal::remove_tree(found[i].second);
    if (error != 0) report_fault("cannot remove " + found[i].second.string(), error);
  }
}

void Store::sweep_leftovers() {
  int error = 0;
  for (const fs::path& path : children(format_folder() / temporary_folder, error)) {
    // Another process may be removing the same leftover, so a failure here tells nothing.
    if (internal::is_abandoned(path)) static_cast<void>(internal::remove_tree(path));
  }
}

std::vector<EntryInfo> Store::list() {
  std::vector<EntryInfo> entries;
  if (options_.root.empty()) return entries;
  int error = 0;
  const std::vector<fs::path> partitions = children(format_folder(), error);
  if (error != 0) report_fault("cannot list " + format_folder().string(), error);
  for (const fs::path& partition : partitions) {
    const std::string partition_name = partition.filename().string();
    if (partition_name.front() == '.') continue;
    const std::vector<fs::path> folders = children(partition, error);
    if (error != 0) report_fault("cannot list " + partition.string(), error);
    for (const fs::path& folder : folders) {
      EntryInfo info;
      info.folder = folder;
      info.partition = partition_name;
      if (!internal::split_folder_name(folder.filename().string(), info.name, info.hash)) continue;
      if (measure(info)) entries.push_back(std::move(info));
    }
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const EntryInfo& a, const EntryInfo& b) { return a.last_used < b.last_used; });
  return entries;
}

VerifyReport Store::verify() {
  VerifyReport report;
  for (const EntryInfo& info : list()) {
    const Inspection found = internal::verify_entry(info.folder);
    if (found.condition == Condition::good) ++report.good;
    if (found.condition == Condition::damaged) {
      report.bad.push_back({info.folder, found.reason});
      set_aside(info.folder, found);
    }
    if (found.condition == Condition::unreadable) {
      report.bad.push_back({info.folder, found.reason + ": " + internal::describe(found.error_number)});
      report_fault(info.folder.string() + " " + found.reason, found.error_number);
    }
  }
  return report;
}

RemovalReport Store::prune(std::uint64_t max_bytes) {
  if (options_.root.empty()) return {};
  sweep_leftovers();
  trim_set_aside(0);
  return evict(max_bytes, {});
}

RemovalReport Store::clear() { return prune(0); }

RemovalReport Store::evict(std::uint64_t max_bytes, const fs::path& keep) {
  RemovalReport report;
  const std::vector<EntryInfo> entries = list();
  std::uint64_t total = 0;
  for (const EntryInfo& info : entries) total += info.bytes;
  if (total + internal::bytes_below(format_folder() / bad_folder) > max_bytes) trim_set_aside(0);
  for (const EntryInfo& info : entries) {
    // Empty folders and the like have no bytes; clearing removes them all the same.
    if (total <= max_bytes && max_bytes > 0) break;
    if (info.folder == keep) continue;
    if (!remove_entry(info.folder)) continue;
    total -= info.bytes;
    report.bytes += info.bytes;
    ++report.entries;
  }
  return report;
}

/// Takes an entry out of sight in one step before its files go, so that no reader finds half of it.
bool Store::remove_entry(const fs::path& folder) {
  internal::TemporaryDirectory grave;
  int error = grave.create(format_folder() / temporary_folder);
  if (error == 0) error = internal::rename_path(folder, grave.path());
  if (error == 0)
    if (const int left = grave.remove()) report_fault("cannot remove " + folder.string(), left);
  if (error == 0 || error == ENOENT) return true;
  // A full disk may have no room for another folder, and a stray file cannot be renamed to one.
  error = internal::remove_tree(folder);
  if (error != 0) report_fault("cannot remove " + folder.string(), error);
  return error == 0;
}

}  // namespace ffc::cache

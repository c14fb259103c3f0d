// The cache store under every disk fault: damaged entries, closed folders, read-only roots, full disks.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cache_support.hpp"
#include "ffc/cache/store.hpp"

using namespace ffc::cache;
using namespace ffc::cache::test;

namespace {

constexpr uid_t nobody = 65534;

/// Gives up root's right to ignore permissions, for a scope: the calling thread acts as an ordinary user.
class Unprivileged {
 public:
  explicit Unprivileged(const fs::path& owned) : was_root_(geteuid() == 0) {
    if (!was_root_) return;
    REQUIRE(chown(owned.c_str(), nobody, nobody) == 0);
    REQUIRE(seteuid(nobody) == 0);
  }
  ~Unprivileged() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

/// A tiny file system in memory, where this process may mount one.
class Mount {
 public:
  explicit Mount(const fs::path& at) : at_(at) {
    fs::create_directories(at);
    mounted_ = mount("tmpfs", at.c_str(), "tmpfs", 0, "size=256k") == 0;
    if (!mounted_) MESSAGE("SKIPPED on a file system of its own: mount is not permitted here");
  }
  ~Mount() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  void make_read_only() const { REQUIRE(mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "") == 0); }

 private:
  fs::path at_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("a damaged entry is set aside, reported, and can be stored again") {
  using Damage = std::function<void(const fs::path&)>;
  const auto remove = [](const char* name) -> Damage { return [=](const fs::path& e) { fs::remove(e / name); }; };
  const auto put = [](const char* name, const std::string& bytes) -> Damage {
    return [=](const fs::path& e) { write_file(e / name, bytes); };
  };
  const auto resize = [](const char* name, std::uintmax_t size) -> Damage {
    return [=](const fs::path& e) { fs::resize_file(e / name, size); };
  };
  const auto flip = [](const char* name, std::size_t at) -> Damage {
    return [=](const fs::path& e) { flip_bit(e / name, at); };
  };
  const auto become_pipe = [](const fs::path& e) {
    fs::remove(e / "kernel.cubin");
    REQUIRE(mkfifo((e / "kernel.cubin").c_str(), 0600) == 0);
  };
  const auto become_link = [](const fs::path& e) {
    fs::rename(e / "kernel.cubin", e / "elsewhere");
    fs::create_symlink("elsewhere", e / "kernel.cubin");
  };
  const auto become_file = [](const fs::path& e) {
    fs::remove_all(e);
    write_file(e, "a file");
  };
  const auto become_empty = [](const fs::path& e) {
    fs::remove_all(e);
    fs::create_directory(e);
  };
  const std::vector<std::pair<std::string, Damage>> damages{
      {"kernel.cubin has 19999", resize("kernel.cubin", 19999)},
      {"kernel.cubin has 20001", resize("kernel.cubin", 20001)},
      {"kernel.cubin has 0", resize("kernel.cubin", 0)},
      {"SHA-256 of kernel.cubin", flip("kernel.cubin", 0)},
      {"SHA-256 of kernel.cubin", flip("kernel.cubin", 19999)},
      {"SHA-256 of compile.log", flip("compile.log", 3)},
      {"another key", flip("key.txt", 2)},
      {"key.txt has 7", put("key.txt", "the key")},
      {"source.cu has 1", put("source.cu", "x")},
      {"manifest.txt is malformed", put("manifest.txt", "")},
      {"manifest.txt is malformed", put("manifest.txt", bytes_of(10000, 3))},
      {"manifest.txt is malformed", flip("manifest.txt", 0)},
      {"source.cu is missing", remove("source.cu")},
      {"kernel.cubin is missing", remove("kernel.cubin")},
      {"key.txt is missing", remove("key.txt")},
      {"compile.log is missing", remove("compile.log")},
      {"manifest.txt is missing", remove("manifest.txt")},
      {"kernel.cubin is no plain file", become_pipe},
      {"kernel.cubin is no plain file", become_link},
      {"is not a folder", become_file},
      {"manifest.txt is missing", become_empty},
  };

  Fixture f;
  Store store(f.options());
  const Key key = key_of("a key");
  const Key neighbour = key_of("another key");
  REQUIRE(store.save(neighbour, entry_of(8)));
  for (const auto& item : damages) {
    const std::string& reason = item.first;
    CAPTURE(reason);
    REQUIRE(store.save(key, entry_of(7)));
    REQUIRE(holds(store, key, entry_of(7)));
    item.second(store.entry_folder(key));
    f.warnings.clear();

    CHECK_FALSE(store.load(key));
    REQUIRE(f.warnings.size() == 1);
    CHECK(f.warnings[0].find(reason) != std::string::npos);
    CHECK(f.warnings[0].find(store.entry_folder(key).string()) != std::string::npos);
    CHECK_FALSE(fs::exists(fs::symlink_status(store.entry_folder(key))));
    CHECK_FALSE(store.load(key));
    CHECK(f.warnings.size() == 1);
    CHECK(count_children(f.temporary()) == 0);
    CHECK(count_children(f.bad()) >= 1);
    CHECK(count_children(f.bad()) <= 4);
  }
  CHECK(store.save(key, entry_of(7)));
  CHECK(holds(store, key, entry_of(7)));
  CHECK(holds(store, neighbour, entry_of(8)));
}

TEST_CASE("no part of an entry can change unnoticed") {
  Fixture f;
  const Key key = key_of("a key");
  const Entry entry = entry_of(7, 40);
  Store store(f.options());
  for (const char* name : {"manifest.txt", "kernel.cubin", "key.txt", "compile.log", "source.cu"}) {
    for (std::size_t at = 0;; at += 3) {
      CAPTURE(name);
      CAPTURE(at);
      REQUIRE(store.save(key, entry));
      if (at >= fs::file_size(store.entry_folder(key) / name)) break;
      flip_bit(store.entry_folder(key) / name, at);
      // What load has no use for, it leaves to verify.
      const auto loaded = store.load(key);
      if (loaded) CHECK((loaded->binary == entry.binary && loaded->log == entry.log));
      CHECK(store.verify().bad.size() == (loaded ? 1 : 0));
      CHECK_FALSE(store.load(key));
    }
  }
}

TEST_CASE("an intact entry of another key is not taken for this one's") {
  Fixture f;
  Store store(f.options());
  const Key mine = key_of("mine"), theirs = key_of("them");
  REQUIRE(store.save(theirs, entry_of(1)));
  fs::rename(store.entry_folder(theirs), store.entry_folder(mine));
  CHECK_FALSE(store.load(mine));
  REQUIRE(f.warnings.size() == 1);
  CHECK(f.warnings[0].find("another key") != std::string::npos);
  REQUIRE(store.save(mine, entry_of(2)));
  CHECK(holds(store, mine, entry_of(2)));
}

TEST_CASE("saving over a damaged entry replaces it, saving over a good one keeps it") {
  Fixture f;
  Store store(f.options());
  const Key key = key_of("a key");
  REQUIRE(store.save(key, entry_of(1)));
  flip_bit(store.entry_folder(key) / "kernel.cubin", 100);
  CHECK(store.save(key, entry_of(2)));
  CHECK(f.warnings.size() == 1);
  CHECK(holds(store, key, entry_of(2)));
  CHECK(store.save(key, entry_of(3)));
  CHECK(holds(store, key, entry_of(2)));
  CHECK(f.warnings.size() == 1);
  CHECK(count_children(f.temporary()) == 0);
}

TEST_CASE("an unreadable folder is a miss with one warning, and saving repairs what it can") {
  Fixture f;
  const Unprivileged guard(f.scratch.path());
  const Key key = key_of("a key"), second = key_of("second");
  Store writer(f.options());
  REQUIRE(writer.save(key, entry_of(1)));
  const fs::path entry = writer.entry_folder(key);

  SUBCASE("the entry's") {
    REQUIRE(chmod(entry.c_str(), 0) == 0);
    Store store(f.options());
    CHECK_FALSE(store.load(key));
    CHECK_FALSE(store.load(key));
    REQUIRE(f.warnings.size() == 1);
    CHECK(f.warnings[0].find("Permission denied") != std::string::npos);
    CHECK(store.save(key, entry_of(2)));
    CHECK(holds(store, key, entry_of(2)));
  }
  SUBCASE("a file in it") {
    REQUIRE(chmod((entry / "kernel.cubin").c_str(), 0) == 0);
    Store store(f.options());
    CHECK_FALSE(store.load(key));
    CHECK(f.warnings.size() == 1);
    CHECK(fs::exists(entry));
    CHECK(store.save(key, entry_of(2)));
    CHECK(holds(store, key, entry_of(2)));
  }
  SUBCASE("the root, the format's or the arch's") {
    for (const fs::path& closed : {f.root, f.root / "v1", f.root / "v1" / "sm_90a"}) {
      CAPTURE(closed);
      f.warnings.clear();
      Store store(f.options());
      REQUIRE(chmod(closed.c_str(), 0) == 0);
      CHECK_FALSE(store.load(key));
      CHECK_FALSE(store.save(key, entry_of(2)));
      CHECK_FALSE(store.save(second, entry_of(2)));
      CHECK(store.list().empty());
      CHECK(f.warnings.size() == 1);
      REQUIRE(chmod(closed.c_str(), 0700) == 0);
      CHECK(holds(store, key, entry_of(1)));
      CHECK(f.warnings.size() == 1);
    }
  }
  CHECK(count_children(f.temporary()) == 0);
}

TEST_CASE("under a read-only root entries are found and saving fails with one warning") {
  Fixture f;
  const Key key = key_of("a key"), second = key_of("second");
  const auto check_read_only = [&](std::size_t found) {
    Store store(f.options());
    CHECK(holds(store, key, entry_of(1)) == (found == 1));
    CHECK_FALSE(store.save(second, entry_of(2)));
    CHECK_FALSE(store.save(second, entry_of(2)));
    CHECK(f.warnings.size() == 1);
    CHECK_FALSE(store.load(second));
    CHECK(store.list().size() == found);
    const std::size_t faults = store.faults();
    CHECK(store.clear().entries == 0);
    CHECK(store.faults() > (found == 1 ? faults : 0));
    CHECK(f.warnings.size() == 1);
    CHECK(count_children(f.temporary()) == 0);
  };
  SUBCASE("by its permissions") {
    const Unprivileged guard(f.scratch.path());
    REQUIRE(Store(f.options()).save(key, entry_of(1)));
    const auto set_mode = [&](mode_t mode) {
      for (const fs::path& folder :
           {f.root, f.root / "v1", f.temporary(), f.root / "v1" / "sm_90a", Store(f.options()).entry_folder(key)}) {
        REQUIRE(chmod(folder.c_str(), mode) == 0);
      }
    };
    set_mode(0500);
    check_read_only(1);
    set_mode(0700);
  }
  SUBCASE("because the file system is") {
    const Mount mount(f.root);
    if (mount.mounted()) {
      REQUIRE(Store(f.options()).save(key, entry_of(1)));
      mount.make_read_only();
      check_read_only(1);
    }
  }
  SUBCASE("because its folder is a link that leads nowhere") {
    fs::create_directory_symlink(f.scratch.path() / "nowhere", f.root);
    Store store(f.options());
    CHECK_FALSE(store.save(key, entry_of(1)));
    CHECK(store.faults() == 1);
    REQUIRE(f.warnings.size() == 1);
    CHECK(f.warnings[0].find("No such file or directory") != std::string::npos);
    CHECK(f.warnings[0].find(f.root.string() + " is a symbolic link to " + (f.scratch.path() / "nowhere").string() +
                             ", which is not there") != std::string::npos);
  }
  SUBCASE("because it lies below a file") {
    write_file(f.scratch.path() / "file", "");
    f.root = f.scratch.path() / "file" / "cache";
    Store store(f.options());
    CHECK_FALSE(store.load(key));
    CHECK_FALSE(store.save(key, entry_of(1)));
    CHECK(store.list().empty());
    CHECK(store.prune(0).entries == 0);
    CHECK(f.warnings.size() == 1);
    CHECK(f.warnings[0].find("Not a directory") != std::string::npos);
    CHECK(store.faults() >= 3);
  }
}

TEST_CASE("on a full disk saving fails with one warning and loses nothing") {
  Fixture f;
  const Key small = key_of("small"), large = key_of("large");
  SUBCASE("no space is left") {
    const Mount mount(f.root);
    if (!mount.mounted()) return;
    Store store(f.options());
    REQUIRE(store.save(small, entry_of(1)));
    CHECK_FALSE(store.save(large, entry_of(2, 400000)));
    CHECK_FALSE(store.save(large, entry_of(2, 400000)));
    CHECK(f.warnings.size() == 1);
    CHECK(f.warnings[0].find("No space left") != std::string::npos);
    CHECK(count_children(f.temporary()) == 0);
    CHECK_FALSE(store.load(large));
    CHECK(holds(store, small, entry_of(1)));
    CHECK(store.save(large, entry_of(2, 50000)));
    CHECK(f.warnings.size() == 1);
  }
  SUBCASE("a file may not grow") {
    Store store(f.options());
    REQUIRE(store.save(small, entry_of(1)));
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const rlimit limited{100000, before.rlim_max};
    const auto handler = signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limited) == 0);
    const bool saved = store.save(large, entry_of(2, 200000)).has_value();
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, handler);
    CHECK_FALSE(saved);
    CHECK(f.warnings.size() == 1);
    CHECK(count_children(f.temporary()) == 0);
    CHECK_FALSE(store.load(large));
    CHECK(holds(store, small, entry_of(1)));
    CHECK(store.save(large, entry_of(2, 200000)));
  }
}

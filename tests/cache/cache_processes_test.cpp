// The cache store shared by processes: races on one key, eviction under others' feet, processes killed while writing.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cache_support.hpp"
#include "ffc/cache/store.hpp"

using namespace ffc::cache;
using namespace ffc::cache::test;

namespace {

/// Runs in a child process and returns its wait status. The child's result is its exit code.
pid_t start_child(const std::function<int()>& body) {
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) _exit(body());
  return pid;
}
int wait_for(pid_t pid) {
  int status = -1;
  REQUIRE(waitpid(pid, &status, 0) == pid);
  return status;
}

/// The result of a child that must not have been warned.
int report(const Fixture& fixture) {
  for (const std::string& warning : fixture.warnings) std::cerr << warning << std::endl;
  return fixture.warnings.empty() ? 0 : 3;
}

}  // namespace

TEST_CASE("processes that race on one key all succeed and leave one entry") {
  Fixture f;
  constexpr int processes = 4, rounds = 40;
  std::array<int, 2> gate{};
  REQUIRE(pipe(gate.data()) == 0);
  std::vector<pid_t> children;
  children.reserve(processes);
  for (int child = 0; child < processes; ++child) {
    children.push_back(start_child([&] {
      close(gate[1]);
      char byte = 0;
      if (read(gate[0], &byte, 1) != 0) return 3;  // end of file: all of them go at once
      Store store(f.options());
      for (int round = 0; round < rounds; ++round) {
        const Key key = key_of(std::to_string(round));
        const Entry entry = entry_of(static_cast<unsigned>(round), 5000);
        if (!store.save(key, entry)) return 1;
        if (!holds(store, key, entry)) return 2;
      }
      return f.warnings.empty() ? 0 : 4;
    }));
  }
  close(gate[0]);
  close(gate[1]);
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
  Store store(f.options());
  CHECK(store.list().size() == rounds);
  CHECK(store.verify().good == rounds);
  CHECK(count_children(f.temporary()) == 0);
  CHECK(count_children(f.bad()) == 0);
}

TEST_CASE("threads and processes that evict each other's entries never see a wrong or damaged one") {
  Fixture f;
  const auto work = [&f](unsigned seed) {
    // Room for about three of eight entries, so that most saves evict what others are loading.
    Store store(f.options(20000));
    for (unsigned step = 0; step < 150; ++step) {
      const unsigned which = (seed = seed * 1664525U + 1013904223U) >> 29;
      const Key key = key_of(std::to_string(which));
      const Entry entry = entry_of(which, 5000);
      if (const auto loaded = store.load(key)) {
        if (loaded->binary != entry.binary) return 1;
      } else if (!store.save(key, entry)) {
        return 2;
      }
    }
    return 0;
  };
  const auto work_silently = [&] {
    const int result = work(static_cast<unsigned>(getpid()));
    return result != 0 ? result : report(f);
  };
  const pid_t first = start_child(work_silently), second = start_child(work_silently);
  std::array<int, 2> results{-1, -1};
  std::thread one([&] { results[0] = work(1); }), two([&] { results[1] = work(2); });
  one.join();
  two.join();
  CHECK(wait_for(first) == 0);
  CHECK(wait_for(second) == 0);
  CHECK(results == std::array<int, 2>{0, 0});
  for (const std::string& warning : f.warnings) FAIL_CHECK(warning);
  CHECK(count_children(f.temporary()) == 0);
}

TEST_CASE("an entry that is removed and stored again while it is read is not taken for damaged") {
  Fixture f;
  const Key key = key_of("a key");
  const Entry entry = entry_of(1, 300);
  const auto replace = [&] {
    Store store(f.options());
    for (int i = 0; i < 150; ++i) {
      if (!store.save(key, entry)) return 1;
      store.clear();
    }
    return report(f);
  };
  const auto read = [&] {
    Store store(f.options());
    for (int i = 0; i < 30000; ++i) {
      const auto loaded = store.load(key);
      if (loaded && loaded->binary != entry.binary) return 1;
    }
    return report(f);
  };
  const std::vector<pid_t> children{start_child(replace), start_child(replace), start_child(read), start_child(read)};
  for (const pid_t child : children) CHECK(wait_for(child) == 0);
}

TEST_CASE("a good entry that has taken a damaged one's place is not condemned for it") {
  Fixture f;
  const Key key = key_of("a key");
  Store store(f.options());
  // Large, so that the reader is still at it when the entry is replaced.
  REQUIRE(store.save(key, entry_of(1, 40 << 20)));
  const fs::path folder = store.entry_folder(key), large = f.scratch.path() / "large";
  flip_bit(folder / "kernel.cubin", 0);
  fs::rename(folder, large);
  bool in_time = false;
  for (int attempt = 0; attempt < 10 && !in_time; ++attempt) {
    store.clear();
    fs::copy(large, folder);
    std::atomic<bool> finished = false;
    f.warnings.clear();
    std::thread reader([&] {
      CHECK_FALSE(store.load(key));
      finished = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    fs::remove_all(folder);
    Store(f.options()).save(key, entry_of(2));
    in_time = !finished;
    reader.join();
  }
  REQUIRE(in_time);
  CHECK(f.warnings.empty());
  CHECK(holds(store, key, entry_of(2)));
}

TEST_CASE("what a killed process leaves is removed by a later one, and nothing else") {
  Fixture f;
  const Key key = key_of("a key");
  const Entry entry = entry_of(1, 200000);

  SUBCASE("killed in the middle of a write") {
    const int status = wait_for(start_child([&] {
      const rlimit limited{100000, 100000};  // the signal for exceeding it ends the process
      if (setrlimit(RLIMIT_FSIZE, &limited) != 0) return 1;
      signal(SIGXFSZ, SIG_DFL);
      return Store(f.options()).save(key, entry) ? 2 : 3;
    }));
    REQUIRE(WIFSIGNALED(status));
    CHECK(count_children(f.temporary()) == 1);
    Store store(f.options());
    CHECK_FALSE(store.load(key));
    CHECK(store.save(key, entry));
    CHECK(holds(store, key, entry));
    CHECK(count_children(f.temporary()) == 0);
    CHECK(f.warnings.empty());
  }
  SUBCASE("killed at any moment") {
    for (int round = 0; round < 25; ++round) {
      const pid_t child = start_child([&]() -> int {
        for (unsigned i = 0;; ++i) Store(f.options(600000)).save(key_of(std::to_string(i)), entry_of(i, 100000));
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10 + 3 * round));
      kill(child, SIGKILL);
      wait_for(child);
      Store store(f.options());
      CHECK(store.save(key, entry));
      CHECK(holds(store, key, entry));
      CHECK(count_children(f.temporary()) == 0);
      CHECK(store.verify().bad.empty());
    }
    CHECK(f.warnings.empty());
  }
  SUBCASE("leftovers whose owner may still be alive stay for an hour") {
    std::array<char, 256> host{};
    Store store(f.options());
    REQUIRE(store.save(key, entry));
    REQUIRE(gethostname(host.data(), host.size() - 1) == 0);
    std::string host_part(host.data());
    for (char& c : host_part) c = std::isalnum(static_cast<unsigned char>(c)) || c == '-' ? c : '_';
    const pid_t dead = start_child([] { return 0; });
    wait_for(dead);
    const auto plant = [&](const std::string& name, int hours_ago) {
      const fs::path path = f.temporary() / name;
      fs::create_directories(path);
      write_file(path / "kernel.cubin", "half");
      fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
    };
    plant(host_part + "." + std::to_string(dead) + ".aaaaaa", 0);
    plant(host_part + "." + std::to_string(getppid()) + ".bbbbbb", 0);
    plant(host_part + "." + std::to_string(getppid()) + ".cccccc", 2);
    plant("elsewhere.1.dddddd", 0);
    plant("elsewhere.1.eeeeee", 2);
    REQUIRE(Store(f.options()).save(key_of("second"), entry));
    std::set<std::string> left;
    for (const auto& item : fs::directory_iterator(f.temporary())) left.insert(item.path().filename().string());
    CHECK(left == std::set<std::string>{host_part + "." + std::to_string(getppid()) + ".bbbbbb", "elsewhere.1.dddddd"});
  }
}

// The cache store on a healthy disk: round trips, keys, eviction, upkeep, and its environment variables.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cache_support.hpp"
#include "ffc/cache/store.hpp"

using namespace ffc::cache;
using namespace ffc::cache::test;

TEST_CASE("an entry comes back as it was stored, also in another store") {
  Fixture f;
  Store store(f.options());
  const Key key = key_of("source=1\noptions=-O3\n");
  const Entry entry{"__global__ void k() {}\n",
                    std::string("\0\x7f"
                                "ELF\n\0\xff",
                                8) +
                        bytes_of(100000, 1),
                    ""};
  CHECK_FALSE(fs::exists(f.root));
  CHECK_FALSE(store.load(key));
  CHECK_FALSE(fs::exists(f.root));
  CHECK(store.save(key, entry) == store.entry_folder(key));
  CHECK(holds(store, key, entry));
  Store other(f.options());
  CHECK(holds(other, key, entry));
  CHECK(f.warnings.empty());

  const fs::path folder = store.entry_folder(key);
  CHECK(folder.parent_path() == f.root / "v1" / "sm_90a");
  CHECK(folder.filename().string().starts_with("conv_fwd_n4096_16x16x16_f16_sm90-"));
  CHECK(read_file(folder / "source.cu") == entry.source);
  CHECK(read_file(folder / "kernel.cubin") == entry.binary);
  CHECK(read_file(folder / "key.txt") == key.text);
  CHECK(read_file(folder / "compile.log") == entry.log);
  CHECK(count_children(folder) == 5);
  CHECK(count_children(f.temporary()) == 0);
  for (const fs::path& made : {f.root, f.root / "v1", folder.parent_path(), folder}) {
    CHECK((fs::status(made).permissions() & fs::perms::mask) == fs::perms::owner_all);
  }
}

TEST_CASE("keys that differ in any part have entries of their own") {
  Fixture f;
  Store store(f.options());
  const Key key{"sm_90a", "a", "text"};
  REQUIRE(store.save(key, entry_of(1)));
  for (const Key& other : {Key{"sm_80", "a", "text"}, Key{"sm_90a", "b", "text"}, Key{"sm_90a", "a", "texu"},
                           Key{"sm_90a", "a", ""}, Key{"sm_90a", "a", std::string("text\0", 5)}}) {
    CHECK(store.entry_folder(other) != store.entry_folder(key));
    CHECK_FALSE(store.load(other));
    REQUIRE(store.save(other, entry_of(2)));
    CHECK(holds(store, other, entry_of(2)));
    CHECK(holds(store, key, entry_of(1)));
  }
  CHECK(f.warnings.empty());
}

TEST_CASE("names that are no file names are refused") {
  Fixture f;
  Store store(f.options());
  for (const std::string& name : {std::string(), std::string(".."), std::string(".bad"), std::string("a/b"),
                                  std::string("a b"), std::string("a\0b", 3), std::string(max_name_length + 1, 'x')}) {
    CHECK_THROWS_AS(static_cast<void>(store.load({"sm_90a", name, ""})), std::invalid_argument);
    CHECK_THROWS_AS(store.save({name, "a", ""}, {}), std::invalid_argument);
  }
  CHECK_FALSE(fs::exists(f.root));
  const std::string longest(max_name_length, 'x');
  CHECK(store.save({longest, longest, ""}, entry_of(1)));
  flip_bit(store.entry_folder({longest, longest, ""}) / "kernel.cubin", 5);
  CHECK_FALSE(store.load({longest, longest, ""}));
  CHECK(count_children(f.bad()) == 1);
}

TEST_CASE("the least recently used entries go first, never the one just stored") {
  Fixture f;
  const auto key = [](int i) { return key_of(std::to_string(i)); };
  const auto present = [&](Store& store) {
    std::string found;
    for (int i = 0; i < 6; ++i) found += fs::exists(store.entry_folder(key(i))) ? std::to_string(i) : "";
    return found;
  };
  Store store(f.options(45000));  // four entries of somewhat more than 10000 bytes
  for (int i = 0; i < 4; ++i) REQUIRE(store.save(key(i), entry_of(static_cast<unsigned>(i), 10000)));
  CHECK(present(store) == "0123");
  CHECK(store.load(key(0)));
  CHECK(store.load(key(2)));
  REQUIRE(store.save(key(4), entry_of(4, 10000)));
  CHECK(present(store) == "0234");
  REQUIRE(store.save(key(5), entry_of(5, 25000)));
  CHECK(present(store) == "45");
  REQUIRE(store.save(key(1), entry_of(1, 90000)));
  CHECK(present(store) == "1");
  CHECK(store.load(key(1)));
  REQUIRE(store.save(key(3), entry_of(3, 10000)));
  CHECK(present(store) == "3");
  CHECK(f.warnings.empty());
  CHECK(count_children(f.temporary()) == 0);
}

TEST_CASE("what was set aside counts, and goes before any good entry") {
  Fixture f;
  Store store(f.options(45000));
  for (unsigned i = 0; i < 4; ++i) REQUIRE(store.save(key_of(std::to_string(i)), entry_of(i, 10000)));
  flip_bit(store.entry_folder(key_of("0")) / "kernel.cubin", 0);
  CHECK_FALSE(store.load(key_of("0")));
  CHECK(count_children(f.bad()) == 1);
  REQUIRE(store.save(key_of("0"), entry_of(0, 10000)));
  CHECK(count_children(f.bad()) == 0);
  CHECK(store.list().size() == 4);
}

TEST_CASE("list, verify, prune and clear") {
  Fixture f;
  Store store(f.options());
  CHECK(store.list().empty());
  CHECK(store.verify().good == 0);
  CHECK(store.clear().entries == 0);
  CHECK_FALSE(fs::exists(f.root));
  const Key a{"sm_80", "a", "1"}, b{"sm_90a", "b-c", "2"}, c{"sm_90a", "d", "3"};
  for (const Key& key : {a, b, c}) REQUIRE(store.save(key, entry_of(1, 10000)));
  REQUIRE(store.load(a));
  fs::create_directories(f.root / "v1" / "sm_90a" / "not an entry");
  write_file(f.root / "mine.txt", "stays");

  const std::vector<EntryInfo> entries = store.list();
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].folder == store.entry_folder(b));
  CHECK(entries[1].folder == store.entry_folder(c));
  CHECK(entries[2].folder == store.entry_folder(a));
  CHECK(entries[0].partition == "sm_90a");
  CHECK(entries[0].name == "b-c");
  CHECK(entries[0].folder.filename().string() == "b-c-" + entries[0].hash);
  std::uint64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(entries[0].folder)) bytes += file.file_size();
  CHECK(entries[0].bytes == bytes);
  CHECK(std::chrono::abs(std::chrono::system_clock::now() - entries[2].last_used) < std::chrono::minutes(1));

  // Found by verify alone: load does not read the source.
  flip_bit(store.entry_folder(b) / "source.cu", 3);
  CHECK(store.load(b));
  const VerifyReport report = store.verify();
  CHECK(report.good == 2);
  REQUIRE(report.bad.size() == 1);
  CHECK(report.bad[0].folder == store.entry_folder(b));
  CHECK(report.bad[0].reason.find("source.cu") != std::string::npos);
  CHECK(f.warnings.size() == 1);
  CHECK_FALSE(store.load(b));
  CHECK(store.verify().bad.empty());
  // An intact entry under the wrong hash is one that no key can find.
  fs::rename(store.entry_folder(c), store.entry_folder(b));
  CHECK(store.verify().bad.size() == 1);
  REQUIRE(store.save(b, entry_of(1, 10000)));

  const RemovalReport pruned = store.prune(15000);
  CHECK(pruned.entries == 1);
  CHECK(pruned.bytes == bytes);
  CHECK(count_children(f.bad()) == 0);
  CHECK(holds(store, b, entry_of(1, 10000)));
  CHECK(store.prune(15000).entries == 0);
  // A store that is off can be looked after all the same.
  Options off = f.options();
  off.disabled = true;
  Store disabled(off);
  CHECK_FALSE(disabled.load(b));
  CHECK_FALSE(disabled.save(a, entry_of(1)));
  CHECK(disabled.list().size() == 1);
  CHECK(disabled.clear().entries == 1);
  CHECK(store.list().empty());
  CHECK(read_file(f.root / "mine.txt") == "stays");
  CHECK(fs::exists(f.root / "v1" / "sm_90a" / "not an entry"));
}

TEST_CASE("a store without a root or a callback is silent") {
  Store none(Options{});
  CHECK_FALSE(none.enabled());
  CHECK_FALSE(none.load(key_of("a key")));
  CHECK_FALSE(none.save(key_of("a key"), entry_of(1)));
  CHECK(none.list().empty());
  CHECK(none.clear().entries == 0);
  Fixture f;
  write_file(f.scratch.path() / "file", "");
  Store mute(Options{f.scratch.path() / "file" / "cache", default_max_bytes, false, {}});
  CHECK_FALSE(mute.save(key_of("a key"), entry_of(1)));
}

TEST_CASE("what the own store lacks is read from stores of others, and nothing is written there") {
  Fixture system, own;
  Store(system.options()).save(key_of("shared"), entry_of(1));
  Options options = own.options();
  options.read_only_roots = {own.scratch.path() / "nothing", system.root};
  Store store(options);
  REQUIRE(store.load(key_of("shared")));
  CHECK(store.load(key_of("shared"))->binary == entry_of(1).binary);
  CHECK(store.list().empty());
  CHECK_FALSE(store.load(key_of("other")));
  store.save(key_of("shared"), entry_of(2));
  CHECK(store.load(key_of("shared"))->binary == entry_of(2).binary);
  store.save(key_of("new"), entry_of(3));
  CHECK(Store(system.options()).list().size() == 1);

  // One that is damaged is reported, and stays where it is.
  const fs::path folder = Store(system.options()).entry_folder(key_of("shared"));
  std::ofstream(folder / "kernel.cubin") << "x";
  Options without_own = options;
  without_own.root.clear();
  CHECK_FALSE(Store(without_own).load(key_of("shared")));
  CHECK(own.warnings.size() == 1);
  CHECK(fs::exists(folder));
}

TEST_CASE("a number of bytes") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("3K") == 3072);
  CHECK(parse_bytes("5m") == 5 * 1048576);
  CHECK(parse_bytes("2G") == std::uint64_t{2} << 30);
  CHECK(parse_bytes("1T") == std::uint64_t{1} << 40);
  CHECK(parse_bytes("18446744073709551615") == ~std::uint64_t{0});
  CHECK(parse_bytes("16777215T") == std::uint64_t{16777215} << 40);
  for (const char* bad :
       {"", "K", "-1", "+1", " 1", "1 ", "1.5G", "1KB", "1KK", "ten", "18446744073709551616", "16777216T", "0x10"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_bytes(bad));
  }
}

TEST_CASE("options from the environment") {
  constexpr std::array names{
      "FFC_CACHE_DIR", "FFC_CACHE_MAX_BYTES", "FFC_CACHE_DISABLE", "XDG_CACHE_HOME", "HOME", "FFC_CACHE_PATH",
      "FFC_JIT"};
  std::map<std::string, std::string> before;
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) before[name] = value;
  }
  std::vector<std::string> warnings;
  const auto read = [&](const std::map<std::string, std::string>& values) {
    for (const char* name : names) unsetenv(name);
    for (const auto& [name, value] : values) setenv(name.c_str(), value.c_str(), 1);
    warnings.clear();
    return options_from_environment([&](std::string_view line) { warnings.emplace_back(line); });
  };

  Options options = read({{"HOME", "/h"}});
  CHECK(options.root == "/h/.cache/ffc");
  CHECK(options.max_bytes == std::uint64_t{1} << 30);
  CHECK_FALSE(options.disabled);
  CHECK(options.warn);
  CHECK(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).root == "/x/ffc");
  CHECK(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "relative"}}).root == "/h/.cache/ffc");
  CHECK(read({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"FFC_CACHE_DIR", "/d"}}).root == "/d");
  CHECK(read({{"FFC_CACHE_DIR", "relative"}}).root == fs::current_path() / "relative");
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_MAX_BYTES", "20M"}}).max_bytes == 20 * 1048576);
  for (const char* no : {"", "0", "false", "no", "off"}) {
    CHECK_FALSE(read({{"HOME", "/h"}, {"FFC_CACHE_DISABLE", no}}).disabled);
  }
  for (const char* yes : {"1", "true", "yes", "on"}) {
    CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_DISABLE", yes}}).disabled);
  }
  CHECK(read({{"FFC_CACHE_DISABLE", "1"}}).disabled);
  CHECK(options.read_only_roots.empty());
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_PATH", "/a:/b"}}).read_only_roots == std::vector<fs::path>{"/a", "/b"});
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_PATH", ":/a::"}}).read_only_roots == std::vector<fs::path>{"/a"});
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_PATH", "/a"}, {"FFC_CACHE_DISABLE", "1"}}).read_only_roots.empty());
  CHECK(options.may_compile);
  CHECK(read({{"HOME", "/h"}, {"FFC_JIT", "1"}}).may_compile);
  for (const char* no : {"0", "false", "no", "off"}) CHECK_FALSE(read({{"HOME", "/h"}, {"FFC_JIT", no}}).may_compile);
  CHECK(warnings.empty());
  CHECK_FALSE(read({{"HOME", "/h"}, {"FFC_JIT", "never"}}).may_compile);
  CHECK(warnings.size() == 1);
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_PATH", "a:/b"}}).read_only_roots == std::vector<fs::path>{"/b"});
  CHECK(warnings.size() == 1);

  for (const char* bad : {"lots", "0", "-5"}) {
    CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_MAX_BYTES", bad}}).max_bytes == default_max_bytes);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find(std::string("'") + bad + "'") != std::string::npos);
  }
  CHECK(read({{"HOME", "/h"}, {"FFC_CACHE_DISABLE", "maybe"}}).disabled);
  CHECK(warnings.size() == 1);
  options = read({});
  CHECK(options.disabled);
  CHECK(options.root.empty());
  CHECK(warnings.size() == 1);

  for (const char* name : names) unsetenv(name);
  for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
}

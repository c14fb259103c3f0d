// Looks after the kernel cache.
#include "cache_command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "ffc/cache/store.hpp"
#include "json.hpp"
#include "sizes.hpp"

namespace ffc::tools {
namespace {

std::string timestamp(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

void list_json(const cache::Store& store, const std::vector<cache::EntryInfo>& entries) {
  JsonWriter json;
  json.begin_object().field("root", store.options().root.string()).key("entries").begin_array();
  for (const auto& entry : entries) {
    json.begin_object();
    json.field("name", entry.name);
    json.field("arch", entry.partition);
    json.field("hash", entry.hash);
    json.field("bytes", entry.bytes);
    json.field("last_used", timestamp(entry.last_used));
    json.field("path", entry.folder.string());
    json.end_object();
  }
  json.end_array().end_object();
  fmt::print("{}\n", json.text());
}

int list(cache::Store& store, bool as_json) {
  const auto entries = store.list();
  if (as_json) {
    list_json(store, entries);
    return 0;
  }
  std::uint64_t bytes = 0;
  for (const auto& entry : entries) {
    fmt::print("{} {:>10} {:<8} {}-{:.12}\n", timestamp(entry.last_used), readable_bytes(entry.bytes), entry.partition,
               entry.name, entry.hash);
    bytes += entry.bytes;
  }
  fmt::print("{} entries, {} in {}\n", entries.size(), readable_bytes(bytes), store.options().root.string());
  return 0;
}

int verify(cache::Store& store, bool as_json) {
  const auto report = store.verify();
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("root", store.options().root.string()).field("good", report.good);
    json.key("damaged").begin_array();
    for (const auto& bad : report.bad) {
      json.begin_object().field("path", bad.folder.string()).field("reason", bad.reason).end_object();
    }
    json.end_array().end_object();
    fmt::print("{}\n", json.text());
  } else {
    for (const auto& bad : report.bad) fmt::print("damaged   {}: {}\n", bad.folder.string(), bad.reason);
    fmt::print("{} good, {} damaged and set aside\n", report.good, report.bad.size());
  }
  return report.bad.empty() ? 0 : 1;
}

int print_removal(const cache::Store& store, const cache::RemovalReport& report, bool as_json) {
  if (as_json) {
    JsonWriter json;
    json.begin_object().field("root", store.options().root.string());
    json.field("removed_entries", report.entries).field("removed_bytes", report.bytes).end_object();
    fmt::print("{}\n", json.text());
  } else {
    fmt::print("removed {} entries, {}\n", report.entries, readable_bytes(report.bytes));
  }
  return 0;
}

int run_action(cache::Store& store, const CacheCommand& command) {
  const auto max_bytes = command.max_bytes > 0 ? command.max_bytes : store.options().max_bytes;
  switch (command.action) {
    case CacheAction::list:
      return list(store, command.json);
    case CacheAction::verify:
      return verify(store, command.json);
    case CacheAction::prune:
      return print_removal(store, store.prune(max_bytes), command.json);
    case CacheAction::clear:
      return print_removal(store, store.clear(), command.json);
  }
  return 1;
}

}  // namespace

int run_cache(const CacheCommand& command) {
  const auto warn = [](std::string_view line) { fmt::print(stderr, "ffc-gen: {}\n", line); };
  cache::Store store(cache::options_from_environment(warn));
  if (store.options().root.empty()) {
    fmt::print(stderr, "ffc-gen: there is no cache; name its folder with --cache-dir or FFC_CACHE_DIR\n");
    return 1;
  }
  const int status = run_action(store, command);
  // Of what the disk refused the first has been said, in a warning.
  return store.faults() > 0 ? 1 : status;
}

}  // namespace ffc::tools

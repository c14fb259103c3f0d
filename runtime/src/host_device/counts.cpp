// Wavefronts by the rules of 32 banks of 4 bytes: a wavefront serves one word of each bank.
#include "counts.hpp"

#include <algorithm>

namespace ffc::host {
namespace {

// Wavefronts of the lanes [first, first + count): the most different words that one bank must serve.
int wavefronts_of_phase(const std::array<std::uint32_t, 32>& addresses, int first, int count, int bytes) {
  std::array<std::array<std::uint32_t, 32>, 32> words;  // different ones, by bank
  std::array<int, 32> counts{};
  int most = 0;
  for (int lane = first; lane < first + count; ++lane) {
    const std::uint32_t address = addresses[static_cast<std::size_t>(lane)];
    if (address == no_address) continue;
    for (std::uint32_t word = address / 4; word <= (address + static_cast<std::uint32_t>(bytes) - 1) / 4; ++word) {
      auto& bank = words[word % 32];
      int& held = counts[word % 32];
      if (std::find(bank.begin(), bank.begin() + held, word) != bank.begin() + held) continue;
      bank[static_cast<std::size_t>(held++)] = word;
      most = std::max(most, held);
    }
  }
  return most;
}

std::string_view line_of(std::string_view text, int line) {
  for (int i = 1; i < line && !text.empty(); ++i) {
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

Wavefronts wavefronts_of(const std::array<std::uint32_t, 32>& addresses, int bytes) {
  // Accesses of more than 4 bytes go half a warp or a quarter of one at a time.
  const int lanes = 32 / std::max(bytes / 4, 1);
  Wavefronts result;
  for (int first = 0; first < 32; first += lanes) {
    const int taken = wavefronts_of_phase(addresses, first, lanes, bytes);
    result.taken += taken;
    result.least += taken > 0 ? 1 : 0;
  }
  return result;
}

Wavefronts wavefronts_of_blocks(const std::array<std::uint32_t, 32>& addresses) { return wavefronts_of(addresses, 16); }

void Counter::add_shared(const Site& site, const Wavefronts& wavefronts) {
  HostSite& entry = sites_[site];
  ++entry.accesses;
  entry.wavefronts += wavefronts.taken;
  entry.conflicts += wavefronts.taken - wavefronts.least;
}

void Counter::add(const Counter& other) {
  totals.matrix_products += other.totals.matrix_products;
  totals.bytes_read += other.totals.bytes_read;
  totals.bytes_written += other.totals.bytes_written;
  totals.block_barriers += other.totals.block_barriers;
  totals.warp_barriers += other.totals.warp_barriers;
  for (const auto& [site, entry] : other.sites_) {
    HostSite& own = sites_[site];
    own.accesses += entry.accesses;
    own.wavefronts += entry.wavefronts;
    own.conflicts += entry.conflicts;
  }
}

HostCounts Counter::finish(const GeneratedKernel& kernel) const {
  HostCounts result = totals;
  for (const auto& [site, entry] : sites_) {
    result.wavefronts += entry.wavefronts;
    result.conflicts += entry.conflicts;
    HostSite named = entry;
    named.line = site.line;
    named.kernel = kernel.name;
    named.text = line_of(kernel.source, site.line);
    result.sites.push_back(std::move(named));
  }
  return result;
}

void Gatherer::add(const Site& site, int lane, std::uint32_t address, int bytes) {
  const auto entry = gathered_.try_emplace(site).first;
  Gathered& at = entry->second;
  if (at.groups.empty()) touched_.push_back(&*entry);
  const auto index = static_cast<std::size_t>(lane);
  const std::uint32_t group = at.seen[index]++;
  if (group >= at.groups.size()) {
    at.groups.push_back({bytes, {}});
    at.groups.back().addresses.fill(no_address);
  }
  at.groups[group].addresses[index] = address;
}

void Gatherer::flush(Counter& counter) {
  for (auto* const entry : touched_) {
    auto& [site, at] = *entry;
    for (const Group& group : at.groups) counter.add_shared(site, wavefronts_of(group.addresses, group.bytes));
    at.groups.clear();
    at.seen.fill(0);
  }
  touched_.clear();
}

}  // namespace ffc::host

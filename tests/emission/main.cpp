// Compares all that the generator makes of the configs of tests/shapes/manifest.txt with what is checked in, by hashes;
// and shows the first difference from what another build made. tests/emission/README.md
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../shapes/config_text.hpp"
#include "../shapes/shape.hpp"
#include "everything.hpp"
#include "share_out.hpp"

using namespace ffc;

namespace {

constexpr std::array<std::string_view, 4> archs = {"sm_80", "sm_86", "sm_90a", "sm_100"};
constexpr std::string_view twins_name = "host twins";
constexpr int most_shown = 10;

struct Options {
  std::string configs = FFC_SHAPES_MANIFEST, manifest = FFC_EMISSION_MANIFEST, write, compare, only;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool refresh = false;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened", path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  return lines;
}

std::string hash_text(std::string_view text) { return fmt::format("{:016x}", shapes::hash_of(text)); }

std::string text_of(const std::string& config_text, std::string_view arch) {
  ConvConfig config = shapes::parse_config(config_text);
  config.arch = arch;
  return emission::everything_of(config);
}

// Hashes by the hash of the config's text, so that a list of configs may change its order.
using Hashes = std::map<std::string, std::array<std::string, archs.size()>>;

Hashes hashes_of(const std::vector<std::string>& configs, int jobs) {
  std::vector<std::array<std::string, archs.size()>> found(configs.size());
  const int count = static_cast<int>(configs.size() * archs.size());
  conv_tests::share_out(count, jobs, [&](int i) {
    const auto config = static_cast<std::size_t>(i) / archs.size(), arch = static_cast<std::size_t>(i) % archs.size();
    found[config][arch] = hash_text(text_of(configs[config], archs[arch]));
  });
  Hashes hashes;
  for (std::size_t i = 0; i < configs.size(); ++i) hashes[hash_text(configs[i])] = found[i];
  return hashes;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", path.string()));
}

int refresh(const Options& options, const std::vector<std::string>& configs) {
  std::string text = fmt::format(
      "# Hashes of all that the generator makes of each config of tests/shapes/manifest.txt: of the config's text, "
      "then\n"
      "# for {}. Made by `emission_manifest --refresh`.\n{}: {}\n",
      fmt::join(archs, ", "), twins_name, hash_text(emission::host_twins()));
  for (const auto& [config, hashes] : hashes_of(configs, options.jobs))
    fmt::format_to(std::back_inserter(text), "{} {}\n", config, fmt::join(hashes, " "));
  write_file(options.manifest, text);
  return 0;
}

Hashes read_manifest(const std::string& path, std::string& twins) {
  Hashes hashes;
  for (const std::string& line : lines_of(path)) {
    if (line.starts_with(twins_name)) {
      twins = line.substr(twins_name.size() + 2);
      continue;
    }
    std::istringstream words(line);
    std::string config;
    words >> config;
    for (std::string& hash : hashes[config]) words >> hash;
  }
  return hashes;
}

int check(const Options& options, const std::vector<std::string>& configs) {
  std::string twins;
  const Hashes listed = read_manifest(options.manifest, twins), made = hashes_of(configs, options.jobs);
  int wrong = 0;
  const auto complain = [&](std::string_view what, std::string_view name, std::string_view config) {
    if (++wrong <= most_shown) fmt::print("{}: {} {}\n", what, name, config);
  };
  if (hash_text(emission::host_twins()) != twins) complain("changed", twins_name, "");
  for (const std::string& config : configs) {
    const std::string name = hash_text(config);
    const auto at = listed.find(name);
    if (at == listed.end()) {
      complain("not in the manifest", name, config);
      continue;
    }
    for (std::size_t i = 0; i < archs.size(); ++i)
      if (made.at(name)[i] != at->second[i]) complain("changed", name, fmt::format("{} arch={}", config, archs[i]));
  }
  for (const auto& [name, hashes] : listed)
    if (!made.contains(name)) complain("in the manifest alone", name, "");
  fmt::print("{} configs for {} archs, {} of these or their entries are wrong\n", configs.size(), archs.size(), wrong);
  return wrong == 0 ? 0 : 1;
}

bool is_wanted(const Options& options, const std::string& config) {
  return options.only.empty() || hash_text(config) == options.only || config.find(options.only) != config.npos;
}

std::string file_name(const std::string& config, std::string_view arch) {
  return fmt::format("{}-{}.txt", hash_text(config), arch);
}

int write(const Options& options, const std::vector<std::string>& configs) {
  std::filesystem::create_directories(options.write);
  conv_tests::share_out(static_cast<int>(configs.size()), options.jobs, [&](int i) {
    const std::string& config = configs[static_cast<std::size_t>(i)];
    if (!is_wanted(options, config)) return;
    for (const std::string_view arch : archs)
      write_file(std::filesystem::path(options.write) / file_name(config, arch), text_of(config, arch));
  });
  return 0;
}

// The first line in which two texts differ, with those above it.
void show_difference(const std::string& before, const std::string& after) {
  std::istringstream old_text(before), new_text(after);
  std::string old_line, new_line;
  std::vector<std::string> above;
  for (;;) {
    const bool old_left = static_cast<bool>(std::getline(old_text, old_line));
    const bool new_left = static_cast<bool>(std::getline(new_text, new_line));
    if (!old_left && !new_left) return;
    if (old_left && new_left && old_line == new_line) {
      above.push_back(old_line);
      continue;
    }
    constexpr std::size_t shown = 5;
    for (std::size_t i = above.size() > shown ? above.size() - shown : 0; i < above.size(); ++i)
      fmt::print("  {}\n", above[i]);
    fmt::print("- {}\n+ {}\n", old_left ? old_line : "(ends)", new_left ? new_line : "(ends)");
    return;
  }
}

int compare(const Options& options, const std::vector<std::string>& configs) {
  int differ = 0;
  for (const std::string& config : configs) {
    if (!is_wanted(options, config)) continue;
    for (const std::string_view arch : archs) {
      std::ifstream file(std::filesystem::path(options.compare) / file_name(config, arch), std::ios::binary);
      if (!file) continue;
      const std::string before(std::istreambuf_iterator<char>(file), {}), after = text_of(config, arch);
      if (before == after || ++differ > 1) continue;
      fmt::print("{} arch={}, line {}\n", config, arch,
                 1 + std::count(before.begin(),
                                std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first, '\n'));
      show_difference(before, after);
    }
  }
  fmt::print("{} differ\n", differ);
  return differ == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Compares all that the generator makes of a list of configs with the checked-in hashes of it.");
  app.add_flag("--refresh", options.refresh, "write the hashes instead");
  app.add_option("--write", options.write, "write the texts to this folder, a file for each config and arch");
  app.add_option("--compare", options.compare, "show the first difference from such a folder, of another build");
  app.add_option("--only", options.only, "of those two: the config with this hash, or those with this text in theirs");
  app.add_option("--configs", options.configs, "the list of configs")->capture_default_str();
  app.add_option("--manifest", options.manifest, "the list of hashes")->capture_default_str();
  app.add_option("--jobs", options.jobs, "threads")->capture_default_str()->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  const std::vector<std::string> configs = lines_of(options.configs);
  if (options.refresh) return refresh(options, configs);
  if (!options.write.empty()) return write(options, configs);
  if (!options.compare.empty()) return compare(options, configs);
  return check(options, configs);
} catch (const std::exception& error) {
  std::cerr << "emission_manifest: " << error.what() << '\n';
  return 2;
}

// Launches drawn at random against float64; what fails is made small and printed with the line that runs it again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "config_text.hpp"
#include "open_machine.hpp"
#include "random_config.hpp"
#include "share_out.hpp"
#include "shrink.hpp"

using namespace ffc;
using namespace ffc::shapes;

namespace {

struct Options {
  std::string device = "host", config;
  std::uint64_t seed = 1;
  int count = 30, batch = 2, channels = 1, most_channels = 4;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  bool no_skip = false, no_masks = false, keep_large = false;
  std::int64_t most_length = 32768;
};

std::string failures_of(const std::shared_ptr<examples::Machine>& machine, const Launch& launch) {
  machine->make_current();
  return failures(generate(launch.config), run(machine, launch), launch);
}

int run_one(const Options& options, const std::shared_ptr<examples::Machine>& machine) {
  const Launch launch{normalised(parse_config(options.config)), options.batch, options.channels, options.seed,
                      !options.no_skip};
  const Generated generated = generate(launch.config);
  const Outcome outcome = run(machine, launch);
  fmt::print("{}\n", generated.name);
  for (const Kind kind : kinds)
    if (outcome.error(kind) > 0) fmt::print("{}: error {:.3e}\n", to_string(kind), outcome.error(kind));
  const std::string failed = failures(generated, outcome, launch);
  fmt::print("{}", failed.empty() ? "all is right\n" : "FAILED " + failed);
  return failed.empty() ? 0 : 1;
}

// At most, of launches that a reference in float64 does not take long for.
std::int64_t channels_of(const Options& options, const Launch& launch) {
  constexpr std::int64_t few = 4, most_samples = 1 << 24;
  const std::int64_t row = std::max(launch.config.length, launch.config.fft_length);
  return std::max(std::min<std::int64_t>(few, options.most_channels),
                  std::min<std::int64_t>(options.most_channels, most_samples / (row * launch.batch)));
}

// Everything about launch `index` follows from its own seed, so that the order of threads does not matter.
Launch draw_launch(const Options& options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Limits limits;
  limits.length = options.most_length;
  limits.masks = !options.no_masks;
  Launch launch;
  launch.config = draw_config(random, limits);
  launch.batch = 1 + static_cast<int>(random() % (launch.config.length > 100000 ? 3 : 6));
  launch.channels = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(channels_of(options, launch)));
  launch.seed = random() % 1000000;
  launch.skip = random() % 4 != 0;
  return launch;
}

int run_many(const Options& options, const std::shared_ptr<examples::Machine>& machine) {
  fmt::print("{} launches from seed {} on {}\n", options.count, options.seed, machine->name());
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::atomic<int> failed = 0;
  conv_tests::share_out(options.count, options.jobs, [&](std::size_t i) {
    const Launch launch = draw_launch(options, options.seed * 1000003 + i);
    const std::string text = failures_of(machine, launch);
    if (text.empty()) return;
    ++failed;
    const auto report = [&](std::string_view what, const Launch& each, const std::string& why) {
      const std::lock_guard lock(mutex);
      fmt::print("FAILED {}: random_launches --device {} {}\n{}", what, options.device, each.text(), why);
      std::fflush(stdout);
    };
    report("as drawn", launch, text);
    if (options.keep_large) return;
    const Launch small = shrunk(launch, [&](const Launch& each) { return !failures_of(machine, each).empty(); });
    report("made small", small, failures_of(machine, small));
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{} launches, {} failures, {:.0f} seconds on {} threads\n", options.count, failed.load(), seconds,
             options.jobs);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Draws launches and compares them with float64.");
  app.add_option("--device", options.device, "gpu or host")->capture_default_str();
  app.add_option("--seed", options.seed, "what launches are drawn from")->capture_default_str();
  app.add_option("--count", options.count, "how many")->capture_default_str();
  app.add_option("--most-length", options.most_length, "of rows and transforms")->capture_default_str();
  app.add_option("--most-channels", options.most_channels, "of what is drawn, where rows are short")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", options.jobs, "threads")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_flag("--no-masks", options.no_masks, "draw no masks");
  app.add_flag("--keep-large", options.keep_large, "do not look for smaller launches that fail");
  app.add_option("--config", options.config, "run this one, with data from the seed");
  app.add_option("--batch", options.batch, "of the one")->capture_default_str();
  app.add_option("--channels", options.channels, "of the one")->capture_default_str();
  app.add_flag("--no-skip", options.no_skip, "of the one: without a skip term");
  CLI11_PARSE(app, argc, argv);
  const auto machine = open_machine(options.device);
  if (!machine) return skipped;
  return options.config.empty() ? run_many(options, machine) : run_one(options, machine);
} catch (const std::exception& error) {
  std::cerr << "random_launches: " << error.what() << '\n';
  return 2;
}

// Times convolutions against copies of the same bytes: one line per length, padding, gating and type.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench_options.hpp"
#include "bench_startup.hpp"
#include "bench_tables.hpp"

namespace {

using namespace ffc::examples;

// A table other than that of convolutions; two of them in one command line are refused.
void add_tables(CLI::App& app, BenchOptions& options) {
  CLI::Option_group* const tables = app.add_option_group("tables");
  tables->require_option(0, 1);
  const auto add = [&](const std::string& name, BenchTable table, const std::string& description) {
    tables->add_flag_callback(
        name, [&options, table] { options.table = table; }, description);
  };
  add("--backward", BenchTable::gradients, "gradients: du and dk, with gates dw and dv, too");
  add("--step", BenchTable::steps, "whole training steps of causal rows: filter, forward, backward, and as a graph");
  add("--widths", BenchTable::widths, "such steps of other numbers of rows and channels, plain");
  add("--small", BenchTable::small, "batches of 1, 2, 4 and 8 of 64, 512 and 4096 channels");
  add("--lone", BenchTable::lone, "2 H channels of batch 1 against H channels of batch 2, and the ratio");
  add("--sparse", BenchTable::sparse, "masks that drop 50 to 91 % of the frequencies, and the speedups");
  add("--digits", BenchTable::digits, "the cheapest plans of 2, 3 and 4 digits: predicted and measured");
  add("--overhead", BenchTable::overhead, "the CPU's time in a call beside a launch of an empty kernel");
  add("--startup", BenchTable::startup, "what get_kernel costs: compiled, from disk, from memory");
  app.add_flag_callback("--startup-child", [&options] { options.table = BenchTable::startup_child; })->group("");
}

void add_options(CLI::App& app, BenchOptions& options) {
  app.add_option("--lengths", options.lengths, "N, or a range 256..4194304 of powers of two")->delimiter(',');
  app.add_option("--scaling", options.scaling,
                 "of rows: automatic, fixed, given, found; default: fixed, of steps automatic");
  app.add_flag("--report", options.report, "launches report the largest magnitudes of each channel");
  app.add_option("--dtype", options.dtypes, "fp16, bf16")->delimiter(',');
  app.add_option("--padding", options.paddings, "circular, half (L = N/2), causal (the lengths are L)")
      ->delimiter(',')
      ->check(CLI::IsMember({"circular", "half", "causal"}));
  app.add_flag("--plain", options.plain, "without gates (the default)");
  app.add_flag("--gated", options.gated, "with both gates");
  app.add_option("--batch", options.batch, "B")->check(CLI::PositiveNumber);
  app.add_option("--channels", options.channels, "H; fewer are taken where --gigabytes do not hold them")
      ->check(CLI::PositiveNumber);
  app.add_option("--gigabytes", options.gigabytes, "of tensors, filters and spectra at a time, at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--filter-lengths", options.filter_lengths,
                 "Lk: causal rows of --lengths in windows, B H L = --samples")
      ->delimiter(',');
  app.add_option("--fft-length", options.fft_length, "N of the windows; default: chosen")->check(CLI::PositiveNumber);
  app.add_option("--samples", options.samples, "B H L of the partial table")->check(CLI::PositiveNumber);
  app.add_option("--accumulation", options.accumulation, "automatic, fp16 or fp32")
      ->check(CLI::IsMember({"automatic", "fp16", "fp32"}));
  app.add_option("--radices", options.radices, "forced factorisation")->delimiter(',');
  app.add_option("--columns", options.columns, "R: forces N = R x M as columns and rows, 2, 4 and 8 in a cluster")
      ->check(CLI::PositiveNumber);
  app.add_option("--runners-up", options.runners_up,
                 "of convolutions and gradients: as many plans behind the first one too")
      ->check(CLI::PositiveNumber);
  app.add_flag("--all", options.all, "all lengths, paddings, gates and types of examples/BENCHMARKS.md");
  auto* keep = app.add_option("--keep", options.keep, "values kept of each digit of the frequency, lowest first")
                   ->delimiter(',');
  app.add_option("--lowpass", options.low_pass, "keeps frequencies below so many cycles a sample")->excludes(keep);
  app.add_flag("--csv", options.csv, "comma-separated values");
  app.add_option("--device", options.device, "gpu, or host: checks results there, one launch a line")
      ->check(CLI::IsMember({"gpu", "host"}));
}

std::shared_ptr<Machine> open_device(const std::string& name) {
  if (name == "host") return Machine::host();
  std::string why;
  auto device = Machine::gpu(0, why);
  if (!device) throw std::runtime_error("nothing to time: " + why);
  return device;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Times convolutions against device-to-device copies of the same bytes");
  BenchOptions options;
  add_options(app, options);
  add_tables(app, options);
  CLI11_PARSE(app, argc, argv);
  // What is wrong with options needs no GPU to tell.
  const std::vector<ffc::ConvConfig> configs =
      options.filter_lengths.empty() ? make_configs(options) : partial_configs(options);
  const auto device = open_device(options.device);
  if (options.table == BenchTable::startup_child) return startup_child(device->device()), 0;
  print_machine(*device);
  if (options.table == BenchTable::startup) return startup(argv[0], *device);
  return Bench(options, device, configs).run(configs) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench: {}\n", error.what());
  return 1;
}

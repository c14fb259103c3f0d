// Times convolutions against copies of the same bytes: one line per length, padding, gating and type.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench_case.hpp"
#include "bench_compile.hpp"
#include "bench_digits.hpp"
#include "bench_gradient_table.hpp"
#include "bench_gradients.hpp"
#include "bench_options.hpp"
#include "bench_overhead.hpp"
#include "bench_partial.hpp"
#include "bench_small.hpp"
#include "bench_sparse.hpp"
#include "bench_startup.hpp"
#include "bench_step.hpp"
#include "bench_table.hpp"

namespace {

using namespace ffc::examples;
using ffc::ConvConfig, ffc::DataType, ffc::Gating;

/// Runs configs on one device, with patterns that are made once.
class Bench {
 public:
  Bench(const BenchOptions& options, std::shared_ptr<Machine> device, const std::vector<ConvConfig>& configs)
      : options_(options), device_(std::move(device)) {
    for (const ConvConfig& config : configs) longest_ = std::max(longest_, ffc::normalised(config).length);
    if (!configs.empty()) ceilings_ = measure_ceilings(device_, arch(configs.front()));
    print_ceilings();
  }

  /// A line for each config; how much memory a launch takes at a million where that is one of them.
  bool table(const std::vector<ConvConfig>& configs) {
    compile_all(configs, device_->device());
    print_heading(options_.csv);
    bool all_pass = true, has_million = false;
    for (const ConvConfig& config : configs) {
      const auto kernel = ffc::get_kernel(config, device_->device());
      const BenchResult result =
          make(kernel, options_.batch, fitting(*kernel, options_.batch, options_.channels)).run();
      print_result(options_.csv, config, result, ceilings_);
      all_pass = passes(config, result) && all_pass;
      has_million |= config.fft_length == million;
    }
    return (!has_million || device_->is_host() || memory_of_million()) && all_pass;
  }

  /// Short filters: a line for each config, with the time of the plan that takes whole rows beside that of the one that
  /// is chosen; what filters of the paper's length take.
  bool partial(const std::vector<ConvConfig>& configs) {
    compile_all(with_whole_rows(configs), device_->device());
    print_partial_heading(options_.csv);
    bool all_pass = true, has_paper_length = false;
    for (const ConvConfig& config : configs) {
      const auto kernel = ffc::get_kernel(config, device_->device());
      const int channels = fitting(*kernel, options_.batch, channels_of(options_, config.length));
      const BenchResult result = make(kernel, options_.batch, channels).run();
      double whole = kernel->generated().windows ? 0 : result.milliseconds;
      if (const auto whole_config = whole_rows(config); whole_config && kernel->generated().windows)
        whole = make(ffc::get_kernel(*whole_config, device_->device()), options_.batch, channels).run().milliseconds;
      print_partial(options_.csv, *kernel, result, whole);
      all_pass = passes(config, result) && all_pass;
      has_paper_length |= config.length == paper_length;
    }
    if (has_paper_length) print_filter_memory(options_, arch(configs.front()), paper_length);
    return all_pass;
  }

  /// Gradients of each config: a line for each, and of windows how much of the time of whole rows they take.
  bool gradients(const std::vector<ConvConfig>& configs) {
    compile_all(options_.csv ? configs : with_whole_rows(configs), device_->device());
    print_gradient_heading(options_.csv);
    bool all_pass = true;
    for (const ConvConfig& config : configs) {
      const auto kernel = ffc::get_kernel(config, device_->device());
      const bool partial = !options_.filter_lengths.empty();
      // The gradients take as much as the tensors that a forward launch has.
      const int channels =
          fitting(*kernel, 2 * options_.batch, partial ? channels_of(options_, config.length) : options_.channels);
      const GradientResult result = gradients_of(kernel, channels).run();
      print_gradient_result(options_.csv, *kernel, options_.batch, channels, result, ceilings_);
      all_pass = passes(*kernel, result) && all_pass;
      const auto whole_config = whole_rows(config);
      if (options_.csv || !kernel->generated().windows || !whole_config) continue;
      const auto whole = ffc::get_kernel(*whole_config, device_->device());
      fmt::print("#   {:.2f} of the time of {}\n", result.milliseconds / gradients_of(whole, channels).time(),
                 whole->name());
    }
    return all_pass;
  }

  /// Training steps: a line for each shape, gates and type. `configs` name the lengths that are wanted.
  bool steps(const std::vector<ConvConfig>& configs) {
    print_step_heading(options_.csv);
    bool all_pass = true;
    for (const std::string& dtype : options_.dtypes)
      for (const StepShape& shape : step_shapes()) {
        if (std::none_of(configs.begin(), configs.end(),
                         [&](const ConvConfig& config) { return config.length == shape.length; }))
          continue;
        for (const Gating gating : {Gating::none, Gating::both}) {
          const DataType type = ffc::parse_dtype(dtype);
          const StepShape run = device_->is_host() ? StepShape{shape.length, 3, 2} : shape;
          const ffc::Scaling scaling = ffc::parse_scaling(options_.scaling);
          const StepResult result = StepCase(device_, pattern_of(type), run, gating, type, scaling).run();
          print_step(options_.csv, run, gating, type, result);
          all_pass = passes(run, type, result) && all_pass;
        }
      }
    return all_pass;
  }

  /// Batches of 1, 2, 4 and 8 of few and many channels, for each config.
  bool small(const std::vector<ConvConfig>& configs) {
    print_small_heading(options_.csv);
    bool all_pass = true;
    for (ConvConfig config : configs)
      for (const int channels : device_->is_host() ? std::vector{2} : std::vector{64, 512, 4096})
        for (const int batch : {1, 2, 4, 8}) {
          config.batch = batch;
          const auto kernel = ffc::get_kernel(config, device_->device());
          if (fitting(*kernel, batch, channels) < channels) continue;
          const BenchResult result = make(kernel, batch, channels).run();
          print_small(options_.csv, *kernel, result, ceilings_, device_->multiprocessors());
          all_pass = passes(config, result) && all_pass;
        }
    return all_pass;
  }

  /// What calls cost the CPU, for each config's length.
  bool overhead(const std::vector<ConvConfig>& configs) {
    OverheadTable table(device_, options_.csv);
    for (const ConvConfig& config : configs)
      for (const Gating gating : {Gating::none, Gating::both}) table.lines(ffc::normalised(config).length, gating);
    return true;
  }

  /// Rows without a partner against as many in pairs, for each config.
  bool lone(const std::vector<ConvConfig>& configs) {
    fmt::print("{}", options_.csv
                         ? "fft_length,length,padding,gating,dtype,lone_rows,lone_ms,pairs,pairs_ms,lone_ratio\n"
                         : fmt::format("{:>8} {:>8} {:8} {:5} {:5} {:>5} {:>9} {:>9} {:>6}\n", "N", "L", "padding",
                                       "gates", "dtype", "rows", "B=1 ms", "B=2 ms", "ratio"));
    bool all_pass = true;
    for (const ConvConfig& config : configs) {
      const auto kernel = ffc::get_kernel(config, device_->device());
      ConvConfig lone_config = config;
      lone_config.batch = 1;
      const auto lone_kernel = ffc::get_kernel(lone_config, device_->device());
      const int pairs = std::max(1, fitting(*kernel, 1, 2 * options_.channels) / 2);
      const BenchResult alone = make(lone_kernel, 1, 2 * pairs).run(), paired = make(kernel, 2, pairs).run();
      print_lone(config, alone, paired);
      all_pass = passes(config, alone) && passes(config, paired) && all_pass;
    }
    return all_pass;
  }

  /// Masks of several sparsities against none, for each config.
  bool sparse(const std::vector<ConvConfig>& configs) {
    std::vector<ConvConfig> all = configs;
    for (const ConvConfig& config : configs) std::ranges::move(sparse_configs(config), std::back_inserter(all));
    compile_all(all, device_->device());
    print_sparse_heading(options_.csv);
    bool all_pass = true;
    for (const ConvConfig& config : configs) {
      const int channels = fitting(*ffc::get_kernel(config, device_->device()), options_.batch, options_.channels);
      all_pass = sparse_table(options_.csv, config,
                              [&](const ConvConfig& masked) {
                                return make(ffc::get_kernel(masked, device_->device()), options_.batch, channels).run();
                              }) &&
                 all_pass;
    }
    return all_pass;
  }

  /// The cheapest plan of each number of digits, for each config.
  bool digits(const std::vector<ConvConfig>& configs) {
    std::vector<ConvConfig> all;
    for (const ConvConfig& config : configs)
      for (const int count : {2, 3, 4})
        if (const auto forced = cheapest_of_digits(config, count, arch(config))) all.push_back(*forced);
    compile_all(all, device_->device());
    print_digits_heading(options_.csv);
    bool all_pass = true;
    for (const ConvConfig& forced : all) {
      const auto kernel = ffc::get_kernel(forced, device_->device());
      const BenchResult result =
          make(kernel, options_.batch, fitting(*kernel, options_.batch, options_.channels)).run();
      print_digits(options_.csv, forced, result);
      all_pass = passes(forced, result) && all_pass;
    }
    return all_pass;
  }

 private:
  static constexpr std::int64_t million = 1048576, paper_length = 8192;

  [[nodiscard]] std::string arch(const ConvConfig& config) const {
    return ffc::get_kernel(config, device_->device())->config().arch;
  }

  BenchCase make(const std::shared_ptr<const ffc::Kernel>& kernel, int batch, int channels) {
    return {device_, pattern_of(kernel->config().dtype), kernel, batch, channels};
  }

  GradientCase gradients_of(const std::shared_ptr<const ffc::Kernel>& kernel, int channels) {
    return {device_, pattern_of(kernel->config().dtype), kernel, options_.batch, channels};
  }

  const Pattern& pattern_of(DataType dtype) {
    std::unique_ptr<Pattern>& pattern = patterns_[dtype];
    if (!pattern) pattern = std::make_unique<Pattern>(device_, dtype, static_cast<std::size_t>(longest_));
    return *pattern;
  }

  // As many of the channels as memory holds; says where it is fewer.
  int fitting(const ffc::Kernel& kernel, int batch, int channels) {
    const int fit = channels_that_fit(kernel, batch, channels, 1e9 * options_.gigabytes);
    if (fit < channels)
      fmt::print("# {}: {} of {} channels, whose tensors, filter and spectrum take less than {:.0f} GB\n",
                 kernel.name(), fit, channels, options_.gigabytes);
    return fit;
  }

  // A launch must not take memory that grows with what it is given.
  bool memory_of_million() {
    const ConvConfig config = make_config(million, "circular", Gating::none, DataType::fp16);
    const auto kernel = ffc::get_kernel(config, device_->device());
    const BenchResult result = make(kernel, 8, 768).check();
    constexpr double bound = 64;
    const double taken = megabytes(result.launch_bytes);
    fmt::print(
        "# N = {}, batch 8, channels 768: a launch takes {:.1f} MB beside tensors and spectrum ({:.0f} MB), {} "
        "{:.0f} MB\n",
        million, taken, megabytes(result.spectrum_bytes), taken < bound ? "less than" : "NOT less than", bound);
    return passes(config, result) && taken < bound;
  }

  void print_lone(const ConvConfig& config, const BenchResult& alone, const BenchResult& paired) const {
    const ConvConfig c = ffc::normalised(config);
    const double ratio = alone.milliseconds / paired.milliseconds;
    if (options_.csv)
      fmt::print("{},{},{},{},{},{},{:.5f},{},{:.5f},{:.3f}\n", alone.fft_length, c.length, to_string(c.padding),
                 to_string(c.gating), to_string(c.dtype), alone.channels, alone.milliseconds, paired.channels,
                 paired.milliseconds, ratio);
    else
      fmt::print("{:>8} {:>8} {:8} {:5} {:5} {:>5} {:>9.4f} {:>9.4f} {:>6.3f}\n", alone.fft_length, c.length,
                 to_string(c.padding), to_string(c.gating), to_string(c.dtype), alone.channels, alone.milliseconds,
                 paired.milliseconds, ratio);
    std::fflush(stdout);
  }

  void print_ceilings() const {
    if (ceilings_.matrix_products > 0)
      fmt::print("# a copy of 1 GB reads and writes {:.2f} TB/s, products of fp16 come to {:.0f} TFLOP/s\n",
                 ceilings_.copy_bytes * 1e-9, ceilings_.matrix_products * 4096 * 1e-9);
  }

  const BenchOptions& options_;
  std::shared_ptr<Machine> device_;
  Ceilings ceilings_;
  std::int64_t longest_ = 0;
  std::map<DataType, std::unique_ptr<Pattern>> patterns_;
};

void add_options(CLI::App& app, BenchOptions& options) {
  app.add_option("--lengths", options.lengths, "N, or a range 256..4194304 of powers of two")->delimiter(',');
  app.add_option("--scaling", options.scaling, "of rows: fixed, given, found");
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
  app.add_flag("--all", options.all, "all lengths, paddings, gates and types of examples/BENCHMARKS.md");
  app.add_flag("--lone", options.lone, "2 H channels of batch 1 against H channels of batch 2, and the ratio");
  app.add_flag("--sparse", options.sparse, "masks that drop 50 to 91 % of the frequencies, and the speedups");
  auto* keep = app.add_option("--keep", options.keep, "values kept of each digit of the frequency, lowest first")
                   ->delimiter(',');
  app.add_option("--lowpass", options.low_pass, "keeps frequencies below so many cycles a sample")->excludes(keep);
  app.add_flag("--backward", options.backward, "gradients: du and dk, with gates dw and dv, too");
  app.add_flag("--digits", options.digits, "the cheapest plans of 2, 3 and 4 digits: predicted and measured");
  app.add_flag("--step", options.step,
               "whole training steps of causal rows: filter, forward, backward, and as a graph");
  app.add_flag("--small", options.small, "batches of 1, 2, 4 and 8 of 64, 512 and 4096 channels");
  app.add_flag("--overhead", options.overhead, "the CPU's time in a call beside a launch of an empty kernel");
  app.add_flag("--csv", options.csv, "comma-separated values");
  app.add_flag("--startup", options.startup, "what get_kernel costs: compiled, from disk, from memory");
  app.add_option("--device", options.device, "gpu, or host: checks results there, one launch a line")
      ->check(CLI::IsMember({"gpu", "host"}));
  app.add_flag("--startup-child", options.startup_child, "internal to --startup")->group("");
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
  CLI11_PARSE(app, argc, argv);
  const bool partial = !options.filter_lengths.empty();
  const std::vector<ConvConfig> configs =
      partial ? partial_configs(options) : make_configs(options);  // what is wrong with options needs no GPU to tell
  const auto device = open_device(options.device);
  if (options.startup_child) return startup_child(device->device()), 0;
  print_machine(*device);
  if (options.startup) return startup(argv[0], *device);
  Bench bench(options, device, configs);
  if (options.step) return bench.steps(configs) ? 0 : 1;
  if (options.small) return bench.small(configs) ? 0 : 1;
  if (options.overhead) return bench.overhead(configs) ? 0 : 1;
  if (options.backward) return bench.gradients(configs) ? 0 : 1;
  if (partial) return bench.partial(configs) ? 0 : 1;
  if (options.digits) return bench.digits(configs) ? 0 : 1;
  return (options.lone ? bench.lone(configs) : options.sparse ? bench.sparse(configs) : bench.table(configs)) ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench: {}\n", error.what());
  return 1;
}

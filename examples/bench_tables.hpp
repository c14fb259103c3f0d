// The tables of `bench`.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench_case.hpp"
#include "bench_compile.hpp"
#include "bench_digits.hpp"
#include "bench_gradient_table.hpp"
#include "bench_gradients.hpp"
#include "bench_options.hpp"
#include "bench_overhead.hpp"
#include "bench_partial.hpp"
#include "bench_runners_up.hpp"
#include "bench_small.hpp"
#include "bench_sparse.hpp"
#include "bench_step.hpp"
#include "bench_table.hpp"

namespace ffc::examples {

/// Runs configs on one device, with patterns that are made once.
class Bench {
 public:
  Bench(const BenchOptions& options, std::shared_ptr<Machine> device, const std::vector<ConvConfig>& configs)
      : options_(options), device_(std::move(device)) {
    for (const ConvConfig& config : configs) longest_ = std::max(longest_, ffc::normalised(config).length);
    if (!configs.empty()) ceilings_ = measure_ceilings(device_, arch(configs.front()));
    print_ceilings();
  }

  /// What the options ask for, of these configs. Whether all results are accurate.
  bool run(const std::vector<ConvConfig>& configs) {
    switch (options_.table) {
      case BenchTable::convolutions:
        return options_.filter_lengths.empty() ? convolutions(configs) : partial(configs);
      case BenchTable::gradients:
        return gradients(configs);
      case BenchTable::steps:
        return steps(configs, step_shapes(), {Gating::none, Gating::both});
      case BenchTable::widths:
        return steps(configs, width_shapes(), {Gating::none});
      case BenchTable::small:
        return small(configs);
      case BenchTable::lone:
        return lone(configs);
      case BenchTable::sparse:
        return sparse(configs);
      case BenchTable::digits:
        return digits(configs);
      case BenchTable::overhead:
        return overhead(configs);
      case BenchTable::startup:
      case BenchTable::startup_child:
        break;
    }
    throw std::logic_error("startup has a process for each line");
  }

 private:
  static constexpr std::int64_t million = 1048576, paper_length = 8192;

  // A line for each config; how much memory a launch takes at a million where that is one of them.
  bool convolutions(const std::vector<ConvConfig>& given) {
    const std::vector<ConvConfig> configs = with_plans_behind(given);
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

  // Short filters: a line for each config, with the time of the plan that takes whole rows beside that of the one that
  // is chosen; what filters of the paper's length take.
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

  // Gradients of each config: a line for each, and of windows how much of the time of whole rows they take.
  bool gradients(const std::vector<ConvConfig>& given) {
    const std::vector<ConvConfig> configs = with_plans_behind(given);
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

  // Training steps: a line for each shape, gates and type. `configs` name the lengths that are wanted.
  bool steps(const std::vector<ConvConfig>& configs, const std::vector<StepShape>& shapes,
             const std::vector<Gating>& gatings) {
    print_step_heading(options_.csv);
    bool all_pass = true;
    for (const std::string& dtype : options_.dtypes)
      for (const StepShape& shape : shapes) {
        if (std::none_of(configs.begin(), configs.end(),
                         [&](const ConvConfig& config) { return config.length == shape.length; }))
          continue;
        for (const Gating gating : gatings) {
          const DataType type = ffc::parse_dtype(dtype);
          const StepShape run = device_->is_host() ? StepShape{shape.length, 33, 2} : shape;
          const ffc::Scaling scaling = scaling_of(options_, ffc::Scaling::automatic);
          const StepResult result = StepCase(device_, pattern_of(type), run, gating, type, scaling).run();
          print_step(options_.csv, run, gating, type, result);
          all_pass = passes(run, type, result) && all_pass;
        }
      }
    return all_pass;
  }

  // Batches of 1, 2, 4 and 8 of few and many channels, for each config.
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

  // What calls cost the CPU, for each config's length.
  bool overhead(const std::vector<ConvConfig>& configs) {
    OverheadTable table(device_, options_.csv);
    for (const ConvConfig& config : configs)
      for (const Gating gating : {Gating::none, Gating::both}) table.lines(ffc::normalised(config).length, gating);
    return true;
  }

  // Rows without a partner against as many in pairs, for each config.
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

  // Masks of several sparsities against none, for each config.
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

  // The cheapest plan of each number of digits, for each config.
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

  // Each config, and with as many plans behind its first one as are wanted.
  [[nodiscard]] std::vector<ConvConfig> with_plans_behind(const std::vector<ConvConfig>& configs) const {
    return options_.runners_up == 0 ? configs : with_runners_up(configs, options_.runners_up, arch(configs.front()));
  }

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

}  // namespace ffc::examples

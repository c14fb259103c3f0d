// A DNA sequence through a long causal convolution: one row of up to millions of bases in every channel of a model.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <complex>
#include <ffc/ffc.hpp>
#include <fstream>
#include <numbers>
#include <random>
#include <span>

#include "fasta.hpp"
#include "levels.hpp"
#include "machine.hpp"
#include "reference.hpp"
#include "sixteen_bit.hpp"
#include "svg.hpp"

namespace {

using namespace ffc::examples;

constexpr std::size_t group_bytes = std::size_t{1} << 30;  // of machine memory, about: channels go in groups
constexpr std::size_t checked_channels = 4, checked_samples = 100, plotted_windows = 200;

struct Options {
  std::string file, record, dtype = "fp16", device, svg;
  std::size_t channels = 4, taps = 0, demo = 0;
  unsigned seed = 1;
  bool check = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const Clock::time_point program_start = Clock::now();

// One line for each step, with the seconds since the program began.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print("[{:7.2f} s] {}\n", seconds_since(program_start),
             fmt::format(format, std::forward<Arguments>(arguments)...));
  std::fflush(stdout);
}

std::string megabytes(std::size_t bytes) { return fmt::format("{:.2f} MB", static_cast<double>(bytes) * 1e-6); }

// Two records with what real ones have: soft-masked stretches in lower case, repeats, and runs of N.
void write_demo(const std::string& path, std::size_t count, unsigned seed) {
  constexpr std::string_view mark = ">ffc_demo";
  std::string begin(mark.size(), '\0');
  if (std::ifstream old(path, std::ios::binary); old && (old.read(begin.data(), mark.size()), begin != mark))
    throw std::runtime_error(path + ": exists and is no file of --demo; name another");
  std::mt19937 random(seed);
  std::string bases;
  while (bases.size() < count) {
    const std::size_t stretch = 20 + random() % 200, kind = random() % 8;
    const std::size_t from = bases.empty() ? 0 : random() % bases.size();
    for (std::size_t i = 0; i < stretch; ++i) {
      const char base = "ACGTAT"[random() % 6];
      if (kind == 0)
        bases += 'N';
      else if (kind == 1)
        bases += static_cast<char>(base - 'A' + 'a');
      else if (kind == 2 && !bases.empty())
        bases += bases[from + i < bases.size() ? from + i : from];
      else
        bases += base;
    }
  }
  bases.resize(count);
  std::ofstream file(path, std::ios::binary);
  for (std::size_t at = 0; at < count; at += 60) {
    if (at == 0) file << mark << "_1 generated\n";
    if (at == (count / 120 + 1) * 60) file << mark << "_2 generated\n";
    file << std::string_view(bases).substr(at, 60) << '\n';
  }
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

// What each Base becomes in a channel: one-hot in 4 channels, else normal values from the seed. Unknown is 0.
std::array<float, 5> embedding(std::size_t channel, const Options& options) {
  std::array<float, 5> values{};
  if (options.channels == 4) {
    values.at(channel) = 1;
    return values;
  }
  std::seed_seq seeds{options.seed, static_cast<unsigned>(channel), 1U};
  std::mt19937 random(seeds);
  std::normal_distribution<float> normal(0, 0.5F);
  for (std::size_t base = 0; base < unknown_base; ++base) values.at(base) = normal(random);
  return values;
}

// Four decaying oscillations of equal energy that forget after few, more, many and very many bases.
void make_filter(std::span<float> k, std::size_t channel, unsigned seed) {
  std::seed_seq seeds{seed, static_cast<unsigned>(channel), 2U};
  std::mt19937 random(seeds);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto taps = static_cast<double>(k.size());
  for (int i = 0; i < 4; ++i) {
    const double decay = 4 * std::pow(std::max(1.0, taps / 16), (i + uniform(random)) / 4);
    const std::complex<double> step = std::polar(std::exp(-1 / decay), std::numbers::pi * uniform(random));
    std::complex<double> value = std::polar(0.5 / std::sqrt(decay / 4), 2 * std::numbers::pi * uniform(random));
    for (std::size_t n = 0; n < k.size() && std::norm(value) > 1e-30; ++n, value *= step)
      k[n] += static_cast<float>(value.real());
  }
}

// All channels of a group, on the host.
struct Group {
  std::size_t first = 0, count = 0;
  std::vector<std::uint16_t> u, y;
  std::vector<float> k;
};

class DnaConvolution {
 public:
  DnaConvolution(std::shared_ptr<Machine> machine, std::span<const std::uint8_t> bases, const Options& options)
      : machine_(std::move(machine)),
        bases_(bases),
        options_(options),
        taps_(std::min(options.taps == 0 ? bases.size() : options.taps, bases.size())),
        row_((bases.size() + 7) / 8 * 8) {
    ffc::ConvConfig config;
    config.length = static_cast<std::int64_t>(row_);  // whole 16 bytes: the fast way to memory
    config.filter_length = static_cast<std::int64_t>(taps_);
    config.padding = ffc::Padding::causal;  // the FFT length is chosen
    config.batch = 1;
    config.dtype = ffc::parse_dtype(options.dtype);
    const Clock::time_point start = Clock::now();
    try {
      kernel_ = ffc::get_kernel(config, machine_->device());
    } catch (const ffc::ConfigError& error) {
      throw std::runtime_error(fmt::format("{} bases with {} taps: {}; --record takes one record, --taps fewer taps",
                                           bases.size(), taps_, error.what()));
    }
    say("kernel {} of FFT length {} in {:.2f} s", kernel_->name(), kernel_->generated().transform_length,
        seconds_since(start));
  }

  // Returns whether all results are finite and, where --check asks for it, right.
  bool run() {
    const std::size_t each = 4 * row_ + 4 * taps_ + kernel_->spectrum_bytes(1) + kernel_->filter_workspace_bytes(1);
    const std::size_t most = std::clamp<std::size_t>(group_bytes / each, 1, options_.channels);
    for (Group group; group.first < options_.channels; group.first += most) {
      group.count = std::min(most, options_.channels - group.first);
      embed(group);
      make_filters(group);
      convolve(group);
      look_at(group);
    }
    return report();
  }

 private:
  void embed(Group& group) const {
    say("embedding {} bases in channels {} to {} of {}", bases_.size(), group.first, group.first + group.count - 1,
        options_.channels);
    group.u.assign(group.count * row_, 0);
    for (std::size_t h = 0; h < group.count; ++h) {
      std::array<std::uint16_t, 5> words{};
      const std::array<float, 5> values = embedding(group.first + h, options_);
      for (std::size_t base = 0; base < words.size(); ++base)
        words.at(base) = ffc::examples::encode(kernel_->config().dtype, values.at(base));
      for (std::size_t n = 0; n < bases_.size(); ++n) group.u[h * row_ + n] = words.at(bases_[n]);
    }
  }

  void make_filters(Group& group) const {
    say("making filters of {} taps", taps_);
    group.k.assign(group.count * taps_, 0);
    for (std::size_t h = 0; h < group.count; ++h)
      make_filter(std::span(group.k).subspan(h * taps_, taps_), group.first + h, options_.seed);
  }

  void convolve(Group& group) {
    const Buffer u = Buffer::of(machine_, group.u), k = Buffer::of(machine_, group.k);
    Buffer y(machine_, group.u.size() * sizeof(std::uint16_t));
    y.poison();
    const auto stride = static_cast<std::int64_t>(row_);
    ffc::LaunchArguments arguments;
    arguments.u = {u.data(), stride * static_cast<std::int64_t>(group.count), stride};
    arguments.y = {y.data(), stride * static_cast<std::int64_t>(group.count), stride};
    arguments.batch = 1;
    arguments.channels = static_cast<int>(group.count);
    say("preparing filters");
    Clock::time_point start = Clock::now();
    arguments.spectrum =
        kernel_->prepare_filter({k.at<float>(0), nullptr, static_cast<std::int64_t>(taps_), arguments.channels});
    machine_->synchronize();
    filter_seconds_ += seconds_since(start);
    spectrum_bytes_ = std::max(spectrum_bytes_, arguments.spectrum.bytes());
    say("convolving");
    start = Clock::now();
    kernel_->launch(arguments);
    machine_->synchronize();
    conv_seconds_ += seconds_since(start);
    group.y = y.download<std::uint16_t>(0, group.u.size());
  }

  void look_at(const Group& group) {
    const std::size_t step = (options_.channels + checked_channels - 1) / checked_channels;
    for (std::size_t h = 0; h < group.count; ++h) {
      for (std::size_t n = 0; n < bases_.size(); ++n) {
        const double value = decode(kernel_->config().dtype, group.y[h * row_ + n]);
        if (std::isfinite(value))
          energy_ += value * value;
        else
          ++not_finite_;
      }
      const bool shown = (group.first + h) % step == 0;
      if (options_.check && shown) check(group, h);
      if (!options_.svg.empty() && shown) add_curve(group, h);
    }
  }

  // Root mean squares of a channel's results along the bases.
  void add_curve(const Group& group, std::size_t h) {
    std::vector<double> levels =
        mean_squares(bases_.size(), window_length(bases_.size(), plotted_windows), 0,
                     [&](std::size_t n) { return decode(kernel_->config().dtype, group.y[h * row_ + n]); });
    for (double& level : levels) level = std::sqrt(level);
    const char* const colours[] = {"#3b82f6", "#d9483b", "#16a34a", "#a855f7"};
    curves_.push_back(
        {fmt::format("channel {}", group.first + h), colours[curves_.size() % std::size(colours)], levels});
  }

  void check(const Group& group, std::size_t h) {
    const ffc::DataType dtype = kernel_->config().dtype;
    const std::vector<std::size_t> positions =
        sample_positions(bases_.size(), checked_samples, options_.seed + static_cast<unsigned>(group.first + h));
    say("checking {} samples of channel {}", positions.size(), group.first + h);
    const auto k = std::span(group.k).subspan(h * taps_, taps_);
    const auto words = std::span(group.u).subspan(h * row_, row_);
    std::vector<float> u(row_);
    for (std::size_t n = 0; n < row_; ++n) u[n] = decode(dtype, words[n]);
    std::vector<double> got, expected;
    for (const std::size_t n : positions) {
      got.push_back(decode(dtype, group.y[h * row_ + n]));
      expected.push_back(causal_sample(k, u, n));
    }
    error_.add(got, expected);
    checked_ += positions.size();
  }

  bool report() const {
    const double samples = static_cast<double>(bases_.size()) * static_cast<double>(options_.channels);
    say("{} bases, {} channels, {} taps, FFT length {} on {}: {:.2f} ms, filters {:.2f} ms, rms of y {:.3f}",
        bases_.size(), options_.channels, taps_, kernel_->generated().transform_length, machine_->name(),
        1e3 * conv_seconds_, 1e3 * filter_seconds_, std::sqrt(energy_ / samples));
    if (!options_.svg.empty()) {
      const auto window = static_cast<double>(window_length(bases_.size(), plotted_windows));
      write_svg(options_.svg, {{"root mean square of y", "base", curves_, false, window}});
      say("{} shows results along the bases", options_.svg);
    }
    say("machine memory: spectrum {}, workspace {}", megabytes(spectrum_bytes_), megabytes(kernel_->workspace_bytes()));
    if (not_finite_ != 0) say("{} results are infinite, not a number or never written", not_finite_);
    if (!options_.check) return not_finite_ == 0;
    // Rounding y to bf16 is by itself an error of 1.7e-3.
    const double bar = kernel_->config().dtype == ffc::DataType::fp16 ? 2.0e-3 : 3.0e-3;
    const bool right = error_.value() <= bar;  // false for NaN
    say("relative error {:.2e} of {} samples against float64: {} the bar of {:.1e}", error_.value(), checked_,
        right ? "below" : "NOT below", bar);
    return right && not_finite_ == 0;
  }

  std::shared_ptr<Machine> machine_;
  std::span<const std::uint8_t> bases_;
  const Options& options_;
  std::size_t taps_, row_;
  std::shared_ptr<const ffc::Kernel> kernel_;
  double filter_seconds_ = 0, conv_seconds_ = 0, energy_ = 0;
  std::size_t spectrum_bytes_ = 0, not_finite_ = 0, checked_ = 0;
  RelativeError error_;
  std::vector<Curve> curves_;  ///< of the channels that are checked, for a plot
};

int run(const Options& options) {
  if (options.demo != 0) {
    say("writing {}", options.file);
    write_demo(options.file, options.demo, options.seed);
  }
  say("reading {}", options.file);
  const Fasta fasta = read_fasta(options.file);
  const std::span<const std::uint8_t> bases = select_bases(fasta, options.record);
  const auto unknown = static_cast<std::size_t>(std::count(bases.begin(), bases.end(), unknown_base));
  if (unknown == bases.size())
    throw std::runtime_error(fmt::format("{}: none of the {} letters of {} is A, C, G or T", options.file, unknown,
                                         options.record.empty() ? "all records" : options.record));
  say("{} bases in {} records, {} of them unknown", bases.size(), options.record.empty() ? fasta.records.size() : 1,
      unknown);
  return DnaConvolution(Machine::named(options.device), bases, options).run() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Embeds a DNA sequence in channels and convolves each with a filter as long as the sequence");
  Options options;
  options.file = "dna_demo.fa";
  CLI::Option* const file =
      app.add_option("file", options.file, "FASTA file; records follow each other as one sequence");
  app.add_option("--record", options.record, "only the record of that name");
  app.add_option("--channels", options.channels, "H; 4 is one-hot A, C, G, T, others a pseudo-random embedding")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--taps", options.taps, "Lk; 0 is as many as bases")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--dtype", options.dtype, "of the rows")
      ->check(CLI::IsMember({"fp16", "bf16"}))
      ->capture_default_str();
  app.add_option("--device", options.device, "gpu or host; else a GPU where there is one and FFC_DEVICE allows it")
      ->check(CLI::IsMember({"gpu", "host"}));
  app.add_option("--seed", options.seed, "of embedding and filters")->capture_default_str();
  app.add_option("--svg", options.svg, "plot of results along the bases, of at most four channels");
  app.add_option("--demo", options.demo, "first write that many generated bases to the file, dna_demo.fa by default")
      ->check(CLI::Range(1, 1 << 30));
  app.add_flag("--check", options.check, "compare a few hundred samples with float64 sums");
  CLI11_PARSE(app, argc, argv);
  if (file->count() == 0 && options.demo == 0) throw std::runtime_error("name a FASTA file, or --demo and a length");
  return run(options);
} catch (const std::exception& error) {
  fmt::print(stderr, "dna: {}\n", error.what());
  return 1;
}

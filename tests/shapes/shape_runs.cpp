#include "shape_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "config_text.hpp"
#include "launch_run.hpp"
#include "share_out.hpp"

namespace ffc::shapes {
namespace {

constexpr int batches[] = {1, 2, 3, 5};
constexpr std::int64_t most_host_samples = 3000000;
// A long row's further batches show little that its first did not, and took four fifths of all time on the host.
constexpr std::int64_t share_of_further_batches = 5;

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The worst error of each kind, by what bounds it and how the kernel is built.
class WorstErrors {
 public:
  void add(const Generated& generated, Kind kind, double error) {
    const double most = bound(generated, kind);
    const std::string name = fmt::format("{:<3} {} {:<12} bound {:.1e}", to_string(kind),
                                         ffc::to_string(generated.config.dtype), family_of(generated), most);
    Worst& worst = worst_[name];
    if (error <= worst.error) return;
    worst = {error, most, short_text(generated.config)};
  }

  void print() const {
    for (const auto& [name, worst] : worst_)
      fmt::print("  {} worst {:.2e} ({:3.0f} %)  {}\n", name, worst.error, 100 * worst.error / worst.bound,
                 worst.config);
  }

 private:
  struct Worst {
    double error = 0, bound = 1;
    std::string config;
  };

  static std::string_view family_of(const Generated& generated) {
    if (generated.split) return "split";
    if (generated.conv.cluster > 1) return "cluster";
    return generated.windows || (generated.backward && generated.backward->windows) ? "windows" : "one block";
  }

  std::map<std::string, Worst> worst_;
};

class Runner {
 public:
  explicit Runner(const RunOptions& options) : options_(options) {
    most_samples_ = options.most_samples > 0     ? options.most_samples
                    : options.machine->is_host() ? most_host_samples
                                                 : INT64_MAX;
  }

  void run(const Shape& listed) {
    if (options_.minutes > 0 && watch_.seconds() > 60 * options_.minutes) {
      const std::lock_guard lock(mutex_);
      ++late_;
      return;
    }
    options_.machine->make_current();
    Generated generated;
    try {
      generated = get_kernel(listed.config, options_.machine->device())->generated();
    } catch (const std::exception& error) {
      fail(fmt::format("{} {}\n{}\n", listed.name, listed.text, error.what()));
      return;
    }
    // Of all batches together an error scatters less.
    Outcome all;
    Launch rows{listed.config, 0};
    for (const int batch : batches) run_batch(listed, generated, batch, all, rows);
    const std::string failed = rows.batch > 0 ? failures(generated, all, rows) : std::string();
    if (!failed.empty() && all.faults.empty())
      fail(fmt::format("{} {}\nof all batches, {}", listed.name, listed.text, failed));
    const std::lock_guard lock(mutex_);
    ++(rows.batch > 0 ? shapes_ : left_out_);
    for (const Kind kind : kinds)
      if (all.error(kind) > 0) worst_.add(generated, kind, all.error(kind));
  }

  bool finish() const {
    worst_.print();
    fmt::print("{} shapes run on {}, {} launches, {} failures, {:.0f} seconds on {} threads\n", shapes_,
               options_.machine->name(), launches_, failures_, watch_.seconds(), options_.jobs);
    if (left_out_ > 0) fmt::print("{} shapes NOT RUN: no launch has at most {} samples\n", left_out_, most_samples_);
    if (late_ > 0) fmt::print("{} shapes NOT RUN: {} minutes were over\n", late_, options_.minutes);
    return failures_ == 0;
  }

 private:
  // As many channels as make the error an estimate worth the name, and one, two or three of long rows.
  [[nodiscard]] int channels_of(const Generated& generated, int batch) const {
    const std::int64_t wanted = options_.machine->is_host() ? 16384 : 65536;
    const std::int64_t samples = generated.config.length * batch;
    return static_cast<int>(
        std::max<std::int64_t>((wanted + samples - 1) / samples, samples > 1000000 ? 1 : 1 + batch % 3));
  }

  void run_batch(const Shape& listed, const Generated& generated, int batch, Outcome& all, Launch& rows) {
    Launch launch;
    launch.config = listed.config;
    launch.batch = batch;
    launch.channels = channels_of(generated, batch);
    launch.seed = hash_of(listed.text) % 1000000 + static_cast<std::uint64_t>(batch);
    const std::int64_t most = rows.batch == 0 ? most_samples_ : most_samples_ / share_of_further_batches;
    while (launch.channels > 1 && samples_of(launch, generated) > most) --launch.channels;
    if (samples_of(launch, generated) > most) {
      const std::lock_guard lock(mutex_);
      fmt::print("left out: batch {} of {} {}\n", batch, listed.name, listed.text);
      return;
    }
    const Outcome outcome = shapes::run(options_.machine, launch);
    const std::string failed = failures(generated, outcome, launch);
    if (!failed.empty()) fail(fmt::format("{} {}\n{}", listed.name, launch.text(), failed));
    all.add(outcome);
    rows.batch += batch * launch.channels;
    const std::lock_guard lock(mutex_);
    ++launches_;
  }

  // Of the transforms, with the windows of each row.
  static std::int64_t samples_of(const Launch& launch, const Generated& generated) {
    return std::max(generated.config.length, generated.transform_length) * launch.batch * launch.channels;
  }

  void fail(const std::string& text) {
    const std::lock_guard lock(mutex_);
    ++failures_;
    fmt::print("FAILED {}", text);
    std::fflush(stdout);
  }

  const RunOptions& options_;
  std::int64_t most_samples_ = 0;
  Stopwatch watch_;
  std::mutex mutex_;
  WorstErrors worst_;
  int shapes_ = 0, launches_ = 0, failures_ = 0, left_out_ = 0, late_ = 0;
};

}  // namespace

bool run_shapes(const std::vector<Shape>& shapes, const RunOptions& options) {
  // The longest rows first, so that no thread is left with one at the end.
  std::vector<Shape> sorted = shapes;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Shape& a, const Shape& b) { return a.size > b.size; });
  Runner runner(options);
  conv_tests::share_out(static_cast<int>(sorted.size()), options.jobs, [&](std::size_t i) { runner.run(sorted[i]); });
  return runner.finish();
}

}  // namespace ffc::shapes

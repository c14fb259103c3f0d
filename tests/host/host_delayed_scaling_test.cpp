// Runs of many steps whose rows drift and jump, with the magnitudes that delayed scaling lends.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "backward_run.hpp"
#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

std::shared_ptr<const Kernel> reporting_kernel(DataType dtype, Pass pass, std::int64_t n = 1024) {
  ConvConfig config;
  config.fft_length = n;
  config.dtype = dtype, config.pass = pass;
  config.scaling = Scaling::given;
  config.report = Report::magnitudes;
  return get_kernel(config, machine()->device());
}

// Delayed scaling with memory of its own, poisoned before it is reset.
class Follower {
 public:
  Follower(const std::shared_ptr<const Kernel>& kernel, int channels, const DelayedScalingOptions& options = {})
      : memory_(machine(), DelayedScaling::bytes(channels, options)),
        scaling_(kernel, {memory_.data(), memory_.bytes()}, channels, options) {
    memory_.poison();
    scaling_.reset();
  }

  [[nodiscard]] const DelayedScaling& scaling() const { return scaling_; }

  // What the step came to.
  ScalingStatus update() {
    scaling_.update();
    return *scaling_.status();
  }

  [[nodiscard]] float magnitude(int channel) const { return scaling_.input_magnitudes().data[channel]; }

 private:
  Buffer memory_;
  DelayedScaling scaling_;
};

struct Counts {
  int dropped = 0, faint = 0, wrong = 0;
};

// Steps of one channel whose rows are of about 2^exponent_of(step).
Counts run_steps(const std::shared_ptr<const Kernel>& kernel, int steps,
                 const std::function<double(int)>& exponent_of) {
  Follower follower(kernel, 1);
  Counts counts;
  for (int step = 0; step < steps; ++step) {
    CAPTURE(step);
    const auto scale = static_cast<float>(std::exp2(exponent_of(step)));
    Recipe recipe;
    recipe.batch = 4, recipe.channels = 1;
    recipe.sample = [scale](std::mt19937& random) { return scale * normal(random); };
    const double error =
        relative_error_of(machine(), *kernel, recipe, static_cast<unsigned>(step), [&](LaunchArguments arguments) {
          arguments.input_magnitudes = follower.scaling().input_magnitudes();
          arguments.report = follower.scaling().report();
          kernel->launch(arguments);
        });
    const ScalingStatus status = follower.update();
    CHECK(status.steps == static_cast<unsigned>(step + 1));
    counts.dropped += static_cast<int>(status.drop);
    counts.faint += static_cast<int>(status.faint);
    constexpr double scatter = 1.1;  // of few rows around the mean
    const bool accurate = error <= scatter * bar(kernel->config().dtype);
    if (!accurate && status.drop == 0 && status.faint == 0) ++counts.wrong;
    CHECK(static_cast<int>(status.dropped) == counts.dropped);
  }
  return counts;
}

}  // namespace

TEST_CASE("rows that drift by 2^40 are followed, and no step is lost") {
  const auto kernel = reporting_kernel(DataType::bf16, Pass::forward);
  for (const double drift : {0.5, -0.5}) {
    const Counts counts = run_steps(kernel, 80, [&](int step) { return drift * step; });
    CHECK(counts.wrong == 0);
    CHECK(counts.dropped == 0);
    CHECK(counts.faint == 0);
  }
}

TEST_CASE("a jump costs the step that it comes with, or two") {
  const auto kernel = reporting_kernel(DataType::bf16, Pass::forward);
  // Up by 2^20 and down, twice.
  const Counts counts = run_steps(kernel, 48, [](int step) { return step / 12 % 2 == 0 ? 0.0 : 20.0; });
  CHECK(counts.wrong == 0);
  CHECK(counts.dropped == 2);
  CHECK(counts.faint == 2);
}

TEST_CASE("fp16 rows in columns and rows, whose range is the smallest") {
  ConvConfig config = column_config({16, 512});
  config.scaling = Scaling::given;
  config.report = Report::magnitudes;
  const auto kernel = get_kernel(config, machine()->device());
  const Counts counts = run_steps(kernel, 36, [](int step) { return step < 24 ? 0.5 * step - 6 : -6.0; });
  CHECK(counts.wrong == 0);
  CHECK(counts.dropped == 0);
  CHECK(counts.faint <= 2);
}

TEST_CASE("gradients follow u and dy, each by itself") {
  const auto kernel = reporting_kernel(DataType::bf16, Pass::backward);
  Follower follower(kernel, 2);
  int dropped = 0;
  for (int step = 0; step < 40; ++step) {
    CAPTURE(step);
    const double exponent = step < 20 ? step : 3.0 * (step - 20) - 40;  // and down by 2^60 in between
    Recipe recipe;
    recipe.batch = 4, recipe.channels = 2;
    recipe.sample = [exponent](std::mt19937& random) {
      return static_cast<float>(std::exp2(exponent)) * normal(random);
    };
    BackwardRun run(machine(), kernel, recipe, static_cast<unsigned>(step));
    run.arguments().input_magnitudes = follower.scaling().input_magnitudes();
    run.arguments().gradient_magnitudes = follower.scaling().gradient_magnitudes();
    run.arguments().report = follower.scaling().report();
    kernel->launch_backward(run.arguments());
    const ScalingStatus status = follower.update();
    if (status.drop != 0 || status.faint != 0) {
      ++dropped;
      continue;
    }
    const GradientErrors errors = run.errors();
    CHECK(errors.u <= 1.1 * rows_bar(DataType::bf16));
    CHECK(errors.k <= 1.1 * sums_bar(DataType::bf16));
  }
  CHECK(dropped <= 3);
}

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Steps whose reports are written by hand, of the host's memory.
class Steps {
 public:
  explicit Steps(const DelayedScalingOptions& options = {}, int channels = 1)
      : follower_(reporting_kernel(DataType::bf16, Pass::forward), channels, options) {}

  ScalingStatus step(const ChannelReport& report, int channel = 0) {
    follower_.scaling().report()[channel] = report;
    return follower_.update();
  }
  [[nodiscard]] float input(int channel = 0) const { return follower_.scaling().input_magnitudes().data[channel]; }
  [[nodiscard]] float gradient() const { return follower_.scaling().gradient_magnitudes().data[0]; }
  [[nodiscard]] const ChannelReport& report() const { return follower_.scaling().report()[0]; }

 private:
  Follower follower_;
};

}  // namespace

TEST_CASE("the largest of the window counts, with headroom") {
  Steps steps({.window = 3, .headroom = 2});
  CHECK(steps.input() == 0);
  steps.step({.input = 1, .gradient = 0.5f, .output = 1});
  CHECK(steps.input() == 4);
  CHECK(steps.gradient() == 2);
  CHECK(steps.report().input == 0);
  CHECK(steps.report().output == 0);
  steps.step({.input = 3});
  CHECK(steps.input() == 12);
  steps.step({.input = 0.5f}), steps.step({.input = 0.25f});
  CHECK(steps.input() == 12);
  steps.step({.input = 0.25f});  // the 3 has left the window
  CHECK(steps.input() == 2);
}

TEST_CASE("a step that met nothing leaves what was lent") {
  Steps steps({.window = 2, .headroom = 0});
  steps.step({.input = 5});
  for (int i = 0; i < 4; ++i) steps.step({});
  CHECK(steps.input() == 5);
}

TEST_CASE("what was not finite to begin with drops the step, and changes no magnitude") {
  Steps steps({.headroom = 0});
  steps.step({.input = 5});
  for (const float value : {infinity, std::nanf("")}) {
    const ScalingStatus status = steps.step({.input = value, .output = value});
    CHECK(status.drop == 1);
    CHECK(steps.input() == 5);
  }
  CHECK(steps.step({.input = 5, .output = 1}).drop == 0);
  CHECK(steps.step({.input = 5, .output = 1}).dropped == 2);
}

TEST_CASE("an overflow that rows do not explain makes room, which comes back step by step") {
  Steps steps({.window = 2, .headroom = 0, .backoff = 2, .most_backoff = 3, .recovery = 2});
  steps.step({.input = 1});
  CHECK(steps.step({.input = 1, .output = infinity}).drop == 1);
  CHECK(steps.input() == 4);
  steps.step({.input = 1, .output = infinity});
  CHECK(steps.input() == 8);  // and no more
  steps.step({.input = 1});
  CHECK(steps.input() == 8);
  steps.step({.input = 1});
  CHECK(steps.input() == 4);
  steps.step({.input = 1}), steps.step({.input = 1});
  CHECK(steps.input() == 2);
  steps.step({.input = 1}), steps.step({.input = 1});
  CHECK(steps.input() == 1);
}

TEST_CASE("one that they explain does not: the next step has room for them") {
  Steps steps({.headroom = 1});
  steps.step({.input = 1});
  CHECK(steps.step({.input = 1024, .output = std::nanf("")}).drop == 1);
  CHECK(steps.input() == 2048);
}

TEST_CASE("of gradients both tensors make room, unless one explains it") {
  Steps steps({.headroom = 0, .backoff = 1});
  steps.step({.input = 1, .gradient = 1});
  CHECK(steps.step({.input = 1, .gradient = 1, .gradients = infinity}).drop == 1);
  CHECK(steps.input() == 2);
  CHECK(steps.gradient() == 2);
  steps.step({.input = 1, .gradient = 64, .gradients = infinity});
  CHECK(steps.input() == 2);
  CHECK(steps.gradient() == 128);
}

TEST_CASE("rows far below their magnitude are told, and after some steps what was before them is forgotten") {
  Steps steps({.window = 100, .headroom = 0, .patience = 3});
  steps.step({.input = 1024});
  CHECK(steps.step({.input = 4}).faint == 0);
  CHECK(steps.step({.input = 3}).faint == 1);
  CHECK(steps.step({.input = 3}).faint == 1);
  CHECK(steps.input() == 1024);
  CHECK(steps.step({.input = 3}).faint == 1);
  CHECK(steps.input() == 3);
  CHECK(steps.step({.input = 3}).faint == 0);
}

TEST_CASE("magnitudes stay floats, and every channel has its own") {
  Steps steps({.headroom = 8}, 700);
  steps.step({.input = 3e38f}, 699);
  CHECK(std::isfinite(steps.input(699)));
  CHECK(steps.input(699) >= 0x1p127f);  // its exponent is what counts
  CHECK(steps.input(0) == 0);
  const ScalingStatus status = steps.step({.input = infinity}, 512);
  CHECK(status.drop == 1);
  CHECK(status.steps == 2);
}

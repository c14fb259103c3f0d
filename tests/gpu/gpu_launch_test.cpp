// Launching on a GPU: streams, graphs, threads, wrong contexts.
#include <doctest/doctest.h>

#include <thread>

#include "../../examples/bench_graph.hpp"
#include "conv_run.hpp"
#include "driver_function.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// A small convolution with everything that a launch needs, on the device.
struct Problem {
  explicit Problem(const std::shared_ptr<Machine>& device_, const ConvConfig& config = default_config())
      : device(device_), kernel(get_kernel(config)), count(static_cast<std::size_t>(4 * 3 * kernel->config().length)) {
    std::mt19937 random(7);
    std::vector<std::uint16_t> samples(count);
    for (std::uint16_t& sample : samples) sample = examples::to_fp16(normal(random));
    std::vector<float> taps(static_cast<std::size_t>(3 * kernel->config().filter_length));
    for (float& tap : taps) tap = 0.01f * normal(random);
    u = Buffer::of(device, samples);
    k = Buffer::of(device, taps);
    y = Buffer(device, 2 * count);
    y.poison();
    FilterView filter;
    filter.k = k.at<float>(0);
    filter.length = kernel->config().filter_length;
    filter.channels = 3;
    const std::int64_t length = kernel->config().length;
    arguments.u = {u.data(), 3 * length, length};
    arguments.y = {y.data(), 3 * length, length};
    arguments.batch = 4;
    arguments.channels = 3;
    arguments.spectrum = kernel->prepare_filter(filter);
    device->synchronize();
  }

  static ConvConfig default_config() {
    ConvConfig config;
    config.fft_length = 1024;
    return config;
  }

  [[nodiscard]] std::vector<std::uint16_t> result() const { return y.download<std::uint16_t>(0, count); }

  std::shared_ptr<Machine> device;
  std::shared_ptr<const Kernel> kernel;
  std::size_t count;
  Buffer u, k, y;
  LaunchArguments arguments;
};

}  // namespace

TEST_CASE("the same config gives the same kernel, and every launch the same bits") {
  const auto device = open_device();
  Problem problem(device);
  CHECK(get_kernel(Problem::default_config()).get() == problem.kernel.get());
  problem.kernel->launch(problem.arguments);
  device->synchronize();
  const auto first = problem.result();
  for (int i = 0; i < 3; ++i) {
    problem.y.poison();
    problem.kernel->launch(problem.arguments);
    device->synchronize();
    CHECK(problem.result() == first);
  }
}

TEST_CASE("streams and a captured graph do what a direct launch does") {
  const auto device = open_device();
  Problem problem(device);
  problem.kernel->launch(problem.arguments);
  device->synchronize();
  const auto direct = problem.result();

  const examples::Stream stream(device);
  problem.y.poison();
  device->synchronize();
  problem.kernel->launch(problem.arguments, stream.get());
  stream.synchronize();
  CHECK(problem.result() == direct);

  auto* begin = driver_function<decltype(::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  auto* end = driver_function<decltype(::cuStreamEndCapture)>("cuStreamEndCapture");
  auto* instantiate = driver_function<decltype(::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  auto* graph_launch = driver_function<decltype(::cuGraphLaunch)>("cuGraphLaunch");
  REQUIRE(begin(stream.get(), CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
  problem.kernel->launch(problem.arguments, stream.get());
  FilterView filter;
  filter.k = problem.k.at<float>(0);
  filter.length = problem.kernel->config().filter_length;
  filter.channels = 3;
  CHECK_THROWS_AS((void)problem.kernel->prepare_filter(filter, stream.get()), LaunchError);
  CUgraph graph = nullptr;
  REQUIRE(end(stream.get(), &graph) == CUDA_SUCCESS);
  CUgraphExec executable = nullptr;
  REQUIRE(instantiate(&executable, graph, 0) == CUDA_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    problem.y.poison();
    device->synchronize();
    REQUIRE(graph_launch(executable, stream.get()) == CUDA_SUCCESS);
    stream.synchronize();
    CHECK(problem.result() == direct);
  }
}

TEST_CASE("kernels, their program for tensors that lie apart and transforms are loaded while a stream is captured") {
  const auto device = open_device();
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = 1003;
  Problem problem(device, config);
  // Begins a sample behind u, so that the tensors lie apart.
  Buffer wider(device, 2 * (problem.count + 1));
  problem.arguments.y.data = wider.at<std::uint16_t>(1);
  const auto result = [&] { return wider.download<std::uint16_t>(1, problem.count); };
  config.length = 1005;  // of which nothing is loaded
  const examples::Stream stream(device);
  for (const auto mode : {examples::CaptureMode::global, examples::CaptureMode::thread_local_}) {
    wider.poison();
    device->synchronize();
    config.length += 2;
    const examples::Graph graph(
        device,
        [&](CUstream captured) {
          problem.kernel->launch(problem.arguments, captured);
          CHECK(get_kernel(config) != nullptr);
          CHECK(get_real_transform({.length = 2 * config.length}) != nullptr);
        },
        mode);
    graph.launch(stream.get());
    stream.synchronize();
    const auto captured = result();
    wider.poison();
    problem.kernel->launch(problem.arguments);
    device->synchronize();
    CHECK(captured == result());
  }
}

TEST_CASE("threads share kernels and launch at once") {
  const auto device = open_device();
  ConvConfig config = Problem::default_config();
  config.fft_length = 2048;
  std::vector<std::shared_ptr<const Kernel>> kernels(4);
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const auto own = open_device();  // makes the primary context current on this thread
      kernels[i] = get_kernel(config);
      Problem problem(own, config);
      const examples::Stream stream(own);
      problem.kernel->launch(problem.arguments, stream.get());
      stream.synchronize();
      const auto first = problem.result();
      problem.kernel->launch(problem.arguments, stream.get());
      stream.synchronize();
      same[i] = problem.result() == first ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(kernels[i].get() == kernels[0].get());
    CHECK(same[i] == 1);
  }
}

TEST_CASE("a lent workspace, and one that is too small") {
  const auto device = open_device();
  ConvConfig config;
  config.fft_length = 524288;  // no blocks of a cluster hold the filter's transform
  Problem problem(device, config);
  FilterView filter;
  filter.k = problem.k.at<float>(0);
  filter.length = problem.kernel->config().filter_length;
  filter.channels = 3;
  const Buffer workspace(device, problem.kernel->filter_workspace_bytes(3));
  problem.arguments.spectrum = problem.kernel->prepare_filter(filter, nullptr, {workspace.data(), workspace.bytes()});
  problem.kernel->launch(problem.arguments);
  device->synchronize();
  CHECK_THROWS_AS((void)problem.kernel->prepare_filter(filter, nullptr, {workspace.data(), 16}), LaunchError);
}

TEST_CASE("another context, another kernel's spectrum, no such device") {
  const auto device = open_device();
  Problem problem(device);
  auto* create = driver_function<CUresult(CUcontext*, unsigned, CUdevice)>("cuCtxCreate_v2");
  auto* destroy = driver_function<CUresult(CUcontext)>("cuCtxDestroy_v2");
  CUcontext other = nullptr;
  REQUIRE(create(&other, 0, 0) == CUDA_SUCCESS);
  CHECK_THROWS_AS(problem.kernel->launch(problem.arguments), LaunchError);
  REQUIRE(destroy(other) == CUDA_SUCCESS);

  ConvConfig config = Problem::default_config();
  config.fft_length = 512;
  const auto short_kernel = get_kernel(config);
  LaunchArguments arguments = problem.arguments;
  CHECK_THROWS_AS(short_kernel->launch(arguments), LaunchError);
  CHECK_THROWS_AS((void)get_kernel(config, 4096), DriverError);
}

// Launches of transforms past one block on a GPU: in rings of any size, captured, and on several streams at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "conv_run.hpp"
#include "driver_function.hpp"
#include "split_config.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// A convolution with everything that a launch needs, on the device.
struct Problem {
  Problem(const std::shared_ptr<Machine>& device_, const ConvConfig& config, int batch, int channels, unsigned seed)
      : device(device_), kernel(get_kernel(config)) {
    const std::int64_t length = kernel->config().length;
    count = static_cast<std::size_t>(batch * channels * length);
    std::mt19937 random(seed);
    std::vector<std::uint16_t> samples(count);
    for (std::uint16_t& sample : samples) sample = examples::to_fp16(normal(random));
    std::vector<float> taps(static_cast<std::size_t>(channels * kernel->config().filter_length));
    for (float& tap : taps) tap = 0.01f * normal(random);
    u = Buffer::of(device, samples);
    k = Buffer::of(device, taps);
    y = Buffer(device, 2 * count);
    y.poison();
    FilterView filter;
    filter.k = k.at<float>(0);
    filter.length = kernel->config().filter_length;
    filter.channels = channels;
    arguments.u = {u.data(), channels * length, length};
    arguments.y = {y.data(), channels * length, length};
    arguments.batch = batch;
    arguments.channels = channels;
    arguments.spectrum = kernel->prepare_filter(filter);
    device->synchronize();
  }

  // Room for so many pairs of rows, 0 for none.
  void lend(std::size_t pairs) {
    workspace = Buffer(device, std::max<std::size_t>(pairs, 1) * kernel->least_workspace_bytes());
    workspace.poison();
    arguments.workspace = pairs == 0 ? Workspace{} : Workspace{workspace.data(), workspace.bytes()};
  }
  void clear() {
    y.poison();
    device->synchronize();
  }
  void launch(CUstream stream = nullptr) const { kernel->launch(arguments, stream); }
  [[nodiscard]] std::vector<std::uint16_t> result() const {
    device->synchronize();
    return y.download<std::uint16_t>(0, count);
  }
  [[nodiscard]] std::vector<std::uint16_t> direct() {
    clear();
    launch();
    return result();
  }

  std::shared_ptr<Machine> device;
  std::shared_ptr<const Kernel> kernel;
  std::size_t count = 0;
  Buffer u, k, y, workspace;
  LaunchArguments arguments;
};

}  // namespace

TEST_CASE("workspaces of any size give the same bits, however launches follow each other") {
  const auto device = open_device();
  Problem problem(device, long_config(), 9, 3, 1);
  const auto direct = problem.direct();
  for (const std::size_t pairs : {1u, 2u, 4u, 5u, 11u, 15u, 40u}) {
    CAPTURE(pairs);
    problem.lend(pairs);
    problem.clear();
    // One behind the other, with nothing between them.
    for (int i = 0; i < 10; ++i) problem.launch();
    CHECK(problem.result() == direct);
  }
}

TEST_CASE("rows of two channels, and rows alone, give the same bits in workspaces of any size") {
  const auto device = open_device();
  std::vector<ConvConfig> configs;
  for (const std::int64_t n : {65536, 131072, 1048576}) configs.push_back(long_config(n));
  for (const std::int64_t n : {524288, 2097152}) configs.push_back(config_of(n, n / 2, Gating::none, DataType::fp16));
  for (const ConvConfig& config : configs) {
    Problem problem(device, config, 1, 15, 8);
    const auto direct = problem.direct();
    for (const std::size_t places : {1u, 2u, 3u, 8u, 20u}) {
      CAPTURE(places);
      problem.lend(places);
      problem.clear();
      for (int i = 0; i < 10; ++i) problem.launch();
      CHECK(problem.result() == direct);
    }
  }
}

TEST_CASE("blocks that keep their frequency, that share one and that take several") {
  const auto device = open_device();
  // 9, 65 and 257 rows of the spectrum: with 132 multiprocessors many blocks a row, two, and half a block.
  for (const int butterfly : {1, 8, 32}) {
    const ConvConfig config = forced(butterfly, 256, 0, Gating::none, DataType::fp16);
    CAPTURE(to_string(config));
    Problem problem(device, config, 33, 3, 6);
    const auto direct = problem.direct();
    for (const std::size_t pairs : {1u, 2u, 7u, 51u}) {
      CAPTURE(pairs);
      problem.lend(pairs);
      problem.clear();
      for (int i = 0; i < 10; ++i) problem.launch();
      CHECK(problem.result() == direct);
    }
  }
}

namespace {

// The kinds of a graph's nodes, sorted.
std::vector<CUgraphNodeType> node_types(CUgraph graph) {
  auto* get_nodes = driver_function<decltype(::cuGraphGetNodes)>("cuGraphGetNodes");
  auto* get_type = driver_function<decltype(::cuGraphNodeGetType)>("cuGraphNodeGetType");
  std::size_t count = 0;
  REQUIRE(get_nodes(graph, nullptr, &count) == CUDA_SUCCESS);
  std::vector<CUgraphNode> nodes(count);
  REQUIRE(get_nodes(graph, nodes.data(), &count) == CUDA_SUCCESS);
  std::vector<CUgraphNodeType> types(count);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(get_type(nodes[i], &types[i]) == CUDA_SUCCESS);
  std::sort(types.begin(), types.end());
  return types;
}

}  // namespace

TEST_CASE("a captured graph does what a direct launch does") {
  const auto device = open_device();
  Problem problem(device, long_config(), 5, 2, 2);
  const auto direct = problem.direct();
  auto* begin = driver_function<decltype(::cuStreamBeginCapture_v2)>("cuStreamBeginCapture_v2");
  auto* end = driver_function<decltype(::cuStreamEndCapture)>("cuStreamEndCapture");
  auto* instantiate = driver_function<decltype(::cuGraphInstantiateWithFlags)>("cuGraphInstantiateWithFlags");
  auto* graph_launch = driver_function<decltype(::cuGraphLaunch)>("cuGraphLaunch");
  auto* destroy_executable = driver_function<decltype(::cuGraphExecDestroy)>("cuGraphExecDestroy");
  auto* destroy = driver_function<decltype(::cuGraphDestroy)>("cuGraphDestroy");
  // With memory of the graph's own, and with memory that was lent.
  for (const std::size_t pairs : {0u, 2u}) {
    CAPTURE(pairs);
    problem.lend(pairs);
    const examples::Stream stream(device);
    REQUIRE(begin(stream.get(), CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_SUCCESS);
    problem.launch(stream.get());
    CUgraph graph = nullptr;
    REQUIRE(end(stream.get(), &graph) == CUDA_SUCCESS);
    std::vector<CUgraphNodeType> expected = {CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMSET};
    if (pairs == 0) expected.insert(expected.end(), {CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEM_FREE});
    CHECK(node_types(graph) == expected);
    CUgraphExec executable = nullptr;
    REQUIRE(instantiate(&executable, graph, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 3; ++i) {
      problem.clear();
      REQUIRE(graph_launch(executable, stream.get()) == CUDA_SUCCESS);
      stream.synchronize();
      CHECK(problem.result() == direct);
    }
    CHECK(destroy_executable(executable) == CUDA_SUCCESS);
    CHECK(destroy(graph) == CUDA_SUCCESS);
  }
}

TEST_CASE("two streams at once, each with a workspace") {
  const auto device = open_device();
  Problem first(device, long_config(), 5, 2, 3), second(device, long_config(131072), 4, 2, 4);
  const auto first_direct = first.direct(), second_direct = second.direct();
  for (const bool lent : {true, false}) {
    CAPTURE(lent);
    first.lend(lent ? 3 : 0);
    second.lend(lent ? 1 : 0);
    const examples::Stream one(device), other(device);
    first.clear();
    second.clear();
    for (int i = 0; i < 10; ++i) {
      first.launch(one.get());
      second.launch(other.get());
    }
    one.synchronize();
    other.synchronize();
    CHECK(first.result() == first_direct);
    CHECK(second.result() == second_direct);
  }
}

TEST_CASE("the workspace is bounded, and one that is too small is refused") {
  const auto device = open_device();
  Problem problem(device, long_config(1048576), 2, 1, 5);
  const std::size_t pair = problem.kernel->least_workspace_bytes();
  CHECK(pair == 4 * 1048576 + SplitLaunch{}.progress_bytes);
  CHECK(problem.kernel->workspace_bytes() >= 2 * pair);
  CHECK(problem.kernel->workspace_bytes() <= std::max(device->l2_bytes(), 2 * pair));
  problem.lend(1);
  problem.arguments.workspace.bytes -= 1;
  CHECK_THROWS_AS(problem.launch(), LaunchError);
}

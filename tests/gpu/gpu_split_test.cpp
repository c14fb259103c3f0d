// Transforms past one block on a GPU: against float64, in rings of any size, captured, and on several streams at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "conv_run.hpp"
#include "driver_function.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(std::int64_t n, std::int64_t length, Gating gating, DataType dtype) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = length == n ? Padding::circular : Padding::padded;
  config.gating = gating;
  config.dtype = dtype;
  return config;
}

ConvConfig causal_config(std::int64_t length, Gating gating) {
  ConvConfig config;
  config.length = length;
  config.padding = Padding::causal;
  config.gating = gating;
  return config;
}

ConvConfig forced(int butterfly, int row_length, std::int64_t length, Gating gating, DataType dtype) {
  const std::int64_t n = std::int64_t{16} * butterfly * row_length;
  ConvConfig config = config_of(n, length == 0 ? n : length, gating, dtype);
  config.column_length = 16 * butterfly;
  return config;
}

unsigned next_seed() {
  static unsigned seed = 500;
  return ++seed;
}

void require_accurate(const ConvConfig& config, Recipe recipe, double most = 0) {
  static const auto device = open_device();
  CAPTURE(to_string(config));
  CAPTURE(recipe.batch);
  const auto kernel = get_kernel(config, device->device());
  REQUIRE((kernel->generated().split || kernel->generated().conv.cluster > 1));
  CHECK(relative_error(device, config, recipe, next_seed()) <= (most > 0 ? most : bar(*kernel)));
}

void require_accurate(const ConvConfig& config, int batch, int channels, double most = 0) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = batch % 2;  // dense and padded strides
  require_accurate(config, recipe, most);
}

struct Run {
  ConvConfig config;
  int batch, channels;
};

void require_all(const std::vector<Run>& runs) {
  const auto device = open_device();
  compile_ahead(device, runs);
  for (const Run& run : runs) require_accurate(run.config, run.batch, run.channels);
}

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

// Where a cluster would be chosen, columns are forced.
ConvConfig long_config(std::int64_t n = 65536) {
  ConvConfig config = config_of(n, n, Gating::none, DataType::fp16);
  if (n == 65536 || n == 131072) config.column_length = static_cast<int>(n / 1024);
  return config;
}

}  // namespace

TEST_CASE("columns of every length, forced on short transforms") {
  std::vector<Run> runs;
  int i = 0;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    runs.push_back({forced(butterfly, 256, 0, Gating::none, dtype), 1 + i % 3, 2});
    runs.push_back({forced(butterfly, 256, 2043 * butterfly, Gating::both, dtype), 1 + (i + 1) % 3, 1});
  }
  require_all(runs);
}

TEST_CASE("rows of several kinds") {
  std::vector<Run> runs;
  for (const int row_length : {512, 768, 1024, 2048, 2304, 4096, 8192})
    runs.push_back({forced(1, row_length, 0, Gating::none, DataType::fp16), 5, 3});
  runs.push_back({forced(4, 4096, 131072, Gating::out, DataType::bf16), 3, 2});
  runs.push_back({forced(2, 1024, 20001, Gating::in, DataType::fp16), 67, 5});
  require_all(runs);
}

TEST_CASE("real lengths, circular") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576}) runs.push_back({long_config(n), 3, 2});
  for (const std::int64_t n : {2097152, 4194304}) runs.push_back({long_config(n), 2, 1});
  require_all(runs);
}

TEST_CASE("rows without partners: of two channels together, and of the last channel of an odd number") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576}) runs.push_back({long_config(n), 1, 5});
  for (const std::int64_t n : {131072, 262144}) {
    runs.push_back({config_of(n, n, Gating::both, DataType::bf16), 3, 4});
    runs.push_back({config_of(n, n / 2, Gating::in, DataType::fp16), 1, 6});
    runs.push_back({config_of(n, n - 3, Gating::out, DataType::fp16), 5, 3});
  }
  for (const int butterfly : {1, 3, 7, 32, 64})  // with rows in one place of the ring, and in several
    runs.push_back({forced(butterfly, 512, 0, Gating::none, DataType::fp16), 1, 41});
  runs.push_back({forced(2, 2048, 0, Gating::both, DataType::fp16), 1, 200});
  runs.push_back({causal_config(40000, Gating::both), 1, 4});
  require_all(runs);
}

TEST_CASE("real lengths: bf16 with gates, zero-padded, causal") {
  std::vector<Run> runs;
  for (const std::int64_t n : {65536, 131072, 262144, 524288, 1048576, 4194304})
    runs.push_back({config_of(n, n, Gating::both, DataType::bf16), 2, 1});
  for (const std::int64_t n : {524288, 2097152, 4194304})  // in between clusters take padded rows
    runs.push_back({config_of(n, n / 2, Gating::none, DataType::fp16), 3, 1});
  for (const std::int64_t length : {33007, 65536, 131073, 500000, 1048576})
    runs.push_back({causal_config(length, length % 2 == 0 ? Gating::none : Gating::both), 2, 1});
  require_all(runs);
}

TEST_CASE("rows alone at frequencies k + 1/4, columns of every length and real lengths") {
  std::vector<Run> runs;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const bool gated = butterfly % 2 == 0;
    ConvConfig config = forced(butterfly, 512, (gated ? 4091 : 4096) * butterfly, gated ? Gating::both : Gating::none,
                               butterfly % 3 == 0 ? DataType::bf16 : DataType::fp16);
    config.batch = 1;
    runs.push_back({config, 1 + butterfly % 3, 2});
  }
  for (const std::int64_t n : {131072, 524288, 1048576, 8388608})
    runs.push_back({config_of(n, n / 2, Gating::both, n == 524288 ? DataType::bf16 : DataType::fp16), 1, 3});
  require_all(runs);
}

TEST_CASE("channels whose filters differ in gain") {
  Recipe recipe;
  recipe.channels = 3;
  recipe.channel_gain = 8;
  require_accurate(long_config(), recipe);
}

TEST_CASE("lengths that are no power of two, and one that is folded") {
  std::vector<Run> runs;
  for (const std::int64_t n : {69632, 98304, 110592, 294912}) runs.push_back({long_config(n), 2, 2});
  runs.push_back({long_config(100003), 3, 1});
  require_all(runs);
}

TEST_CASE("the longest transform") {
  constexpr std::int64_t longest = 16777216;
  require_accurate(long_config(longest), 1, 1, 2.0e-3);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range, a skip term") {
  for (const std::int64_t n : {65536, 262144}) {
    const auto limit = static_cast<float>(65504.0 / std::sqrt(2.0 * static_cast<double>(n)));
    const std::vector<std::pair<const char*, std::function<float(std::mt19937&)>>> data = {
        {"large mean",
         [count = std::int64_t{0}, mean = 0.0f, n](std::mt19937& random) mutable {
           if (count++ % n == 0) mean = std::uniform_real_distribution<float>(5, 15)(random);
           return mean + normal(random);
         }},
        {"outlier", [count = std::int64_t{0}, limit,
                     n](std::mt19937& random) mutable { return count++ % n == n / 3 ? limit : normal(random); }},
        {"near the top",
         [limit](std::mt19937& random) {
           return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random);
         }},
        {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
    for (const auto& named : data) {
      CAPTURE(named.first);
      Recipe recipe;
      recipe.batch = 5;
      recipe.sample = named.second;
      recipe.filter_scale = 0.2;
      recipe.skip = true;
      require_accurate(long_config(n), recipe);
    }
  }
}

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
  CHECK(pair == 4 * 1048576 + SplitLaunch::progress_bytes);
  CHECK(problem.kernel->workspace_bytes() >= 2 * pair);
  CHECK(problem.kernel->workspace_bytes() <= std::max(device->l2_bytes(), 2 * pair));
  problem.lend(1);
  problem.arguments.workspace.bytes -= 1;
  CHECK_THROWS_AS(problem.launch(), LaunchError);
}

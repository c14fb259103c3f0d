// Gradients on a GPU against float64: lengths, paddings, gates, types, odd batches, the longest, chunks, bits, graphs.
#include <doctest/doctest.h>

#include "backward_run.hpp"
#include "driver_function.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(std::int64_t n, std::int64_t length, Padding padding, Gating gating,
                     DataType dtype = DataType::fp16, std::string_view gradients = "du,dw,dv,dk,dd") {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = padding;
  config.gating = gating;
  config.dtype = dtype;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(gradients);
  return config;
}

void require_accurate(const std::vector<ConvCase>& cases) {
  static unsigned seed = 1;
  const auto device = open_device();
  compile_ahead(device, cases);
  for (const ConvCase& test : cases) {
    CAPTURE(to_string(test.config));
    CAPTURE(test.recipe.batch);
    check_errors(gradient_errors(device, test.config, test.recipe, seed++), test.config.dtype);
  }
}

// One of each kind of transform; `shapes` runs every kernel there is.
const std::vector<std::int64_t> lengths = {256, 512, 768, 1024, 1280, 2304, 4096, 8192, 20480, 32768};

}  // namespace

TEST_CASE("gradients of every length, plain and gated, both types") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : lengths)
    for (const DataType dtype : {DataType::fp16, DataType::bf16})
      for (const Gating gating : {Gating::none, Gating::both})
        cases.push_back(
            {config_of(n, n, Padding::circular, gating, dtype), recipe_of(gating == Gating::none ? 5 : 4, 3)});
  require_accurate(cases);
}

TEST_CASE("padded, causal and folded gradients, one gate, odd lengths") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : lengths) {
    cases.push_back({config_of(n, n / 2, Padding::padded, Gating::none), recipe_of(3, 2)});
    cases.push_back({config_of(n, n / 3, Padding::padded, Gating::in), recipe_of(2, 2)});
    cases.push_back({config_of(0, n / 2, Padding::causal, Gating::both), recipe_of(3, 2)});
  }
  for (const std::int64_t n : {16, 100, 331, 1000, 4097, 10007, 16383})
    cases.push_back({config_of(n, n, Padding::circular, Gating::out), recipe_of(3, 3)});
  require_accurate(cases);
}

TEST_CASE("what is wanted alone, and nothing else is written") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {512, 4096, 32768})
    for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dw,dk"})
      cases.push_back({config_of(n, n, Padding::circular, Gating::both, DataType::fp16, wanted), recipe_of(4, 2)});
  require_accurate(cases);
}

TEST_CASE("many channels and a large batch: every block, slices of the batch, chunks of the channels") {
  std::vector<ConvCase> cases;
  // More channels than multiprocessors, more batch than one slice; the reference takes nearly all of the time.
  cases.push_back({config_of(1024, 1024, Padding::circular, Gating::both), recipe_of(130, 140)});
  cases.push_back({config_of(4096, 4096, Padding::circular, Gating::none), recipe_of(33, 140)});
  cases.push_back({config_of(32768, 32768, Padding::circular, Gating::none), recipe_of(2, 600)});
  require_accurate(cases);
}

TEST_CASE("few rows, each of which makes its share of dk, of a batch that was told and of larger ones") {
  std::vector<ConvCase> cases;
  for (const std::int64_t length : {65536, 98304, 131072, 262144, 1048576})
    for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
      ConvConfig config = config_of(0, length, Padding::causal, Gating::none, dtype, "du,dk,dd");
      config.batch = dtype == DataType::fp16 ? 1 : 2;
      cases.push_back({config, recipe_of(length == 262144 ? 3 : config.batch, 2)});
    }
  ConvConfig config = config_of(0, 200001, Padding::causal, Gating::in, DataType::fp16, "du,dw,dk");
  config.batch = 1;
  cases.push_back({config, recipe_of(2, 2)});
  config.filter_length = 1001;
  cases.push_back({config, recipe_of(2, 2)});
  require_accurate(cases);
}

TEST_CASE("the same inputs give the same bits in every launch and with every workspace") {
  const auto device = open_device();
  for (const std::int64_t n : {256, 4096, 16384, 32768}) {
    const auto kernel = get_kernel(config_of(n, n, Padding::circular, Gating::both), device->device());
    BackwardRun run(device, kernel, recipe_of(40, 9), 5);
    kernel->launch_backward(run.arguments());
    device->synchronize();
    const auto expected = run.bytes();
    for (const int channels : {9, 4, 1}) {
      run.poison();
      const Buffer workspace(device, kernel->backward_workspace_bytes(40, channels));
      run.arguments().workspace = {workspace.data(), workspace.bytes()};
      kernel->launch_backward(run.arguments());
      device->synchronize();
      CHECK(run.bytes() == expected);
    }
  }
}

TEST_CASE("launches of different inputs follow each other in one workspace") {
  const auto device = open_device();
  for (const std::int64_t n : {256, 2304, 16384, 32768}) {
    CAPTURE(n);
    const auto kernel = get_kernel(config_of(n, n, Padding::circular, Gating::both), device->device());
    const Buffer workspace(device, kernel->backward_workspace_bytes(20, 30));
    BackwardRun first(device, kernel, recipe_of(20, 30), 5), second(device, kernel, recipe_of(20, 30), 6);
    std::vector<std::uint8_t> expected[2];
    for (BackwardRun* run : {&first, &second}) {
      run->arguments().workspace = {workspace.data(), workspace.bytes()};
      kernel->launch_backward(run->arguments());
      device->synchronize();
      check_errors(run->errors(), DataType::fp16);
      expected[run == &second ? 1 : 0] = run->bytes();
      run->poison();
    }
    // A filter's gradient that did not wait would find the other's sums.
    for (int turn = 0; turn < 5; ++turn) {
      kernel->launch_backward(first.arguments());
      kernel->launch_backward(second.arguments());
    }
    device->synchronize();
    CHECK(first.bytes() == expected[0]);
    CHECK(second.bytes() == expected[1]);
  }
}

TEST_CASE("past one block: plans as they are chosen, plain and gated, both types, odd batches") {
  std::vector<ConvCase> cases;
  cases.push_back({config_of(65536, 65536, Padding::circular, Gating::none), recipe_of(5, 9)});
  cases.push_back({config_of(65536, 32768, Padding::padded, Gating::both), recipe_of(4, 3)});
  cases.push_back({config_of(131072, 131072, Padding::circular, Gating::both, DataType::bf16), recipe_of(3, 5)});
  cases.push_back({config_of(0, 100001, Padding::causal, Gating::in), recipe_of(2, 2)});
  cases.push_back({config_of(262144, 262144, Padding::circular, Gating::both), recipe_of(2, 3)});
  cases.push_back(
      {config_of(1048576, 1048576, Padding::circular, Gating::none, DataType::fp16, "du,dk"), recipe_of(3, 3)});
  cases.push_back(
      {config_of(4194304, 4194304, Padding::circular, Gating::none, DataType::fp16, "du,dk"), recipe_of(2, 2)});
  require_accurate(cases);
}

TEST_CASE("columns and rows of every kind, forced on short transforms") {
  std::vector<ConvCase> cases;
  const auto forced = [](int column_length, std::int64_t row_length, Gating gating, DataType dtype) {
    const std::int64_t n = column_length * row_length;
    ConvConfig config = config_of(n, n, Padding::circular, gating, dtype);
    config.column_length = column_length;
    return config;
  };
  for (const int column_length : {16, 32, 48, 64, 80, 96, 112, 128, 256, 512, 1024})
    for (const DataType dtype : {DataType::fp16, DataType::bf16})
      cases.push_back(
          {forced(column_length, 256, dtype == DataType::fp16 ? Gating::none : Gating::both, dtype), recipe_of(3, 9)});
  for (const std::int64_t row_length : {512, 768, 1024, 1280, 1792, 2048, 2304, 4096, 5120, 8192, 16384, 32768})
    for (const Gating gating : {Gating::none, Gating::both})
      cases.push_back(
          {forced(16, row_length, gating, DataType::fp16), row_length < 8192 ? recipe_of(5, 7) : recipe_of(3, 3)});
  for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dw,dk"}) {
    ConvConfig config = forced(32, 2048, Gating::both, DataType::fp16);
    config.gradients = parse_gradients(wanted);
    cases.push_back({config, recipe_of(4, 5)});
  }
  require_accurate(cases);
}

TEST_CASE("past one block, many channels and pairs: chunks, slices, groups that take turns") {
  std::vector<ConvCase> cases;
  cases.push_back(
      {config_of(65536, 65536, Padding::circular, Gating::none, DataType::fp16, "du,dk"), recipe_of(34, 20)});
  ConvConfig config = config_of(4096, 4096, Padding::circular, Gating::both);
  config.column_length = 16;
  cases.push_back({config, recipe_of(130, 40)});
  cases.push_back({config, recipe_of(700, 1)});
  require_accurate(cases);
}

TEST_CASE("past one block the same inputs give the same bits in every launch and with every workspace") {
  const auto device = open_device();
  for (const auto& [column_length, n] :
       {std::pair{16, 4096}, std::pair{32, 65536}, std::pair{0, 65536}, std::pair{512, 131072}, std::pair{0, 262144}}) {
    ConvConfig config = config_of(n, n, Padding::circular, Gating::both);
    config.column_length = column_length;
    CAPTURE(to_string(config));
    const auto kernel = get_kernel(config, device->device());
    BackwardRun run(device, kernel, recipe_of(35, 5), 5);
    kernel->launch_backward(run.arguments());
    device->synchronize();
    check_errors(run.errors(), DataType::fp16);
    const auto expected = run.bytes();
    for (const int channels : {5, 2, 1}) {
      run.poison();
      const Buffer workspace(device, kernel->backward_workspace_bytes(35, channels));
      run.arguments().workspace = {workspace.data(), workspace.bytes()};
      for (int turn = 0; turn < 3; ++turn) kernel->launch_backward(run.arguments());
      device->synchronize();
      CHECK(run.bytes() == expected);
    }
  }
}

TEST_CASE("gradients on the host are those of the GPU, nearly") {
  const auto device = open_device(), host = Machine::host();
  for (const std::int64_t n : {512, 4096}) {
    const ConvConfig config = config_of(n, n, Padding::circular, Gating::both);
    const auto on_gpu = get_kernel(config, device->device()), on_host = get_kernel(config, host->device());
    BackwardRun first(device, on_gpu, recipe_of(3, 2), 7), second(host, on_host, recipe_of(3, 2), 7);
    on_gpu->launch_backward(first.arguments());
    device->synchronize();
    on_host->launch_backward(second.arguments());
    const std::vector<float> gpu = first.dk(), cpu = second.dk();
    examples::RelativeError error;
    error.add(std::vector<double>(gpu.begin(), gpu.end()), std::vector<double>(cpu.begin(), cpu.end()));
    CHECK(error.value() < 5e-4);
  }
}

TEST_CASE("a launch is captured into a graph, with a lent workspace and without, and runs again from there") {
  const auto device = open_device();
  for (const auto& [n, lent] : {std::pair{512, true}, std::pair{4096, true}, std::pair{4096, false},
                                std::pair{32768, false}, std::pair{65536, true}, std::pair{65536, false}}) {
    const auto kernel = get_kernel(config_of(n, n, Padding::circular, Gating::both), device->device());
    const Buffer workspace(device, kernel->backward_workspace_bytes(6, 3));
    BackwardRun run(device, kernel, recipe_of(6, 3), 8);
    if (lent) run.arguments().workspace = {workspace.data(), workspace.bytes()};
    const examples::Stream stream(device);
    device->synchronize();
    CUgraph graph = nullptr;
    CUgraphExec executable = nullptr;
    REQUIRE(driver_function<CUresult(CUstream, CUstreamCaptureMode)>("cuStreamBeginCapture_v2")(
                stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS);
    kernel->launch_backward(run.arguments(), stream.get());
    REQUIRE(driver_function<CUresult(CUstream, CUgraph*)>("cuStreamEndCapture")(stream.get(), &graph) == CUDA_SUCCESS);
    REQUIRE(driver_function<CUresult(CUgraphExec*, CUgraph, unsigned long long)>("cuGraphInstantiateWithFlags")(
                &executable, graph, 0) == CUDA_SUCCESS);
    for (int turn = 0; turn < 2; ++turn) {
      run.poison();
      REQUIRE(driver_function<CUresult(CUgraphExec, CUstream)>("cuGraphLaunch")(executable, stream.get()) ==
              CUDA_SUCCESS);
      stream.synchronize();
      check_errors(run.errors(), DataType::fp16);
    }
    CHECK(driver_function<CUresult(CUgraphExec)>("cuGraphExecDestroy")(executable) == CUDA_SUCCESS);
    CHECK(driver_function<CUresult(CUgraph)>("cuGraphDestroy")(graph) == CUDA_SUCCESS);
  }
}

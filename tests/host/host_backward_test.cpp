// Gradients on the host against float64, against differences of the convolution itself, and against themselves.
#include <doctest/doctest.h>

#include "backward_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "ffc/generator/work.hpp"
#include "made_kernel.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  std::int64_t n, length;
  Padding padding = Padding::circular;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string_view gradients = "du,dw,dv,dk,dd";
  std::string arch = "sm_90a";
};

ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.fft_length = test.n;
  config.length = test.length;
  config.padding = test.padding;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.arch = test.arch;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(test.gradients);
  return config;
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  static unsigned seed = 1;
  CAPTURE(to_string(config));
  check_errors(gradient_errors(Machine::host(), config, recipe_of(batch, channels), seed++), config.dtype);
}

}  // namespace

TEST_CASE("every kind of tiled plan, plain and gated, both types, odd batches") {
  for (const std::int64_t n : {256, 768, 1792, 2048, 2304, 5120, 8192})
    require_accurate(config_of({n, n, Padding::circular, Gating::none}), 3, 2);
  for (const std::int64_t n : {512, 1280, 2048, 4096, 8192})
    require_accurate(config_of({n, n / 2, Padding::padded, Gating::both}), 2, 1);
  for (const std::int64_t n : {512, 4096})
    require_accurate(config_of({n, n, Padding::circular, Gating::both, DataType::bf16}), 3, 1);
}

TEST_CASE("one gate, other paddings, odd lengths, lengths that are folded") {
  require_accurate(config_of({1024, 1024, Padding::circular, Gating::in}), 2, 1);
  require_accurate(config_of({4096, 3000, Padding::padded, Gating::out}), 3, 1);
  require_accurate(config_of({0, 1000, Padding::causal, Gating::both}), 3, 2);
  require_accurate(config_of({0, 777, Padding::causal, Gating::none, DataType::bf16}), 3, 1);
  require_accurate(config_of({1000, 1000, Padding::circular, Gating::both}), 2, 2);
  require_accurate(config_of({331, 331, Padding::circular, Gating::none}), 2, 1);
  ConvConfig config = config_of({0, 1000, Padding::causal, Gating::both});
  config.filter_length = 333;
  require_accurate(config, 3, 2);
  config = config_of({2048, 1501, Padding::padded, Gating::both});
  config.filter_length = 2048;
  config.row_alignment = 2;
  require_accurate(config, 2, 1);
}

TEST_CASE("the longest of one block, whose tensors take turns") {
  require_accurate(config_of({16384, 16384}), 3, 1);
  require_accurate(config_of({32768, 32768}), 3, 1);
  require_accurate(config_of({32768, 16384, Padding::padded, Gating::both, DataType::bf16}), 2, 1);
  require_accurate(config_of({20480, 20480, Padding::circular, Gating::none, DataType::fp16, "du,dk"}), 3, 1);
  require_accurate(config_of({32768, 16000, Padding::padded, Gating::none, DataType::fp16, "du,dk"}), 3, 1);
  require_accurate(config_of({32768, 32768, Padding::circular, Gating::both, DataType::fp16, "du,dw,dv,dk"}), 2, 1);
}

TEST_CASE("rows whose couples no number of warps divides, where u's results come back beside its frequencies") {
  for (const std::int64_t rows : {9, 11, 13, 15})
    require_accurate(config_of({rows * 2048, rows * 2048, Padding::circular, Gating::out, DataType::fp16, "dv,dk"}), 2,
                     1);
  require_accurate(config_of({18432, 18432, Padding::circular, Gating::both}), 3, 1);
}

TEST_CASE("what is wanted alone, and nothing else is written") {
  for (const std::int64_t n : {512, 4096})
    for (const std::string_view wanted : {"dw", "dv", "dk", "dv,dd"})
      require_accurate(config_of({n, n, Padding::circular, Gating::both, DataType::fp16, wanted}), 2, 1);
}

TEST_CASE("masked filters") {
  const auto masked = [](ConvConfig config, const FrequencyMask& mask) {
    config.mask = mask;
    return config;
  };
  require_accurate(masked(config_of({512, 512}), keep_counts({16, 16}, {32, 16})), 3, 2);
  require_accurate(masked(config_of({1024, 512, Padding::padded, Gating::both}), low_pass(0.2, 1024)), 2, 1);
  require_accurate(masked(config_of({4096, 4096, Padding::circular, Gating::none, DataType::fp16, "du,dk,dd"}),
                          keep_values({{3, 5}, {0, 7}}, {16, 256})),
                   3, 1);
  ConvConfig causal = config_of({2048, 1000, Padding::causal, Gating::none});
  causal.filter_length = 900;
  require_accurate(masked(causal, low_pass(0.25, 2048)), 2, 1);
  causal.length = 600;  // fewer samples than taps
  require_accurate(masked(causal, low_pass(0.25, 2048)), 2, 1);
}

TEST_CASE("texts for every arch, where rows and sums may lie elsewhere") {
  require_accurate(config_of({1024, 1024, Padding::circular, Gating::both, DataType::fp16, "du,dv,dk", "sm_80"}), 2, 1);
  for (const std::int64_t n : {4096, 16384})
    require_accurate(config_of({n, n, Padding::circular, Gating::none, DataType::fp16, "du,dk", "sm_86"}), 2, 1);
}

TEST_CASE("gradients far from 1 keep their accuracy with an exponent") {
  ConvConfig config = config_of({1024, 1024, Padding::circular, Gating::both, DataType::bf16});
  config.gradient_exponent = 30;  // dy about 1e-9
  require_accurate(config, 3, 1);
  config.input_exponent = -3;
  require_accurate(config, 2, 1);
  config = config_of({4096, 4096});
  config.gradient_exponent = 6;
  config.input_exponent = -2;
  require_accurate(config, 2, 1);
}

TEST_CASE("accumulation in fp32") {
  ConvConfig config = config_of({4096, 4096, Padding::circular, Gating::both});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
}

TEST_CASE("the spectrum of the forward kernel serves the backward one") {
  const ConvConfig config = config_of({4096, 4096});
  ConvConfig forward = config;
  forward.pass = Pass::forward;
  const auto kernel = get_kernel(config, Device::host());
  BackwardRun run(Machine::host(), kernel, recipe_of(2, 1), 5);
  kernel->launch_backward(run.arguments());
  const auto expected = run.bytes();
  run.poison();
  run.arguments().spectrum = get_kernel(forward, Device::host())->prepare_filter(run.filter());
  kernel->launch_backward(run.arguments());
  CHECK(run.bytes() == expected);
}

TEST_CASE("the same inputs give the same bits, whatever the order of warps, the blocks at a time and the workspace") {
  // Of 4096, two slices of the batch.
  for (const auto& [n, batch] : {std::pair{512, 5}, std::pair{4096, 35}}) {
    const auto kernel = get_kernel(config_of({n, n}), Device::host());
    BackwardRun run(Machine::host(), kernel, recipe_of(batch, 3), 9);
    kernel->launch_backward(run.arguments());
    const auto expected = run.bytes();
    check_errors(run.errors(), DataType::fp16);
    run.poison();
    HostOptions options;
    options.seed = 2;
    options.workers = 1;
    options.slices = 2;
    (void)profile(*kernel, run.arguments(), options);
    CHECK(run.bytes() == expected);
    // A workspace of two channels and one of a single channel: launches of two and one, and of one each.
    for (const int channels : {2, 1}) {
      run.poison();
      const Buffer workspace(Machine::host(), kernel->backward_workspace_bytes(batch, channels));
      run.arguments().workspace = {workspace.data(), workspace.bytes()};
      kernel->launch_backward(run.arguments());
      CHECK(run.bytes() == expected);
    }
    run.arguments().workspace = {};
  }
}

TEST_CASE("blocks that add to sums in turns give the same bits in whatever order they run") {
  // Three rounds, the last of two rows, of a cluster without a fourth channel; and blocks with channels of their own.
  for (const auto& [gating, batch] :
       {std::pair{Gating::none, 10}, std::pair{Gating::none, 2}, std::pair{Gating::in, 7}}) {
    const ConvConfig config = config_of({0, 32768, Padding::causal, gating});
    const auto kernel = get_kernel(config, Device::host());
    CAPTURE(batch);
    BackwardRun run(Machine::host(), kernel, recipe_of(batch, 3), 13);
    kernel->launch_backward(run.arguments());
    const auto expected = run.bytes();
    check_errors(run.errors(), config.dtype);
    for (const unsigned seed : {2u, 3u, 4u}) {
      run.poison();
      HostOptions options;
      options.seed = seed;
      (void)profile(*kernel, run.arguments(), options);
      CHECK(run.bytes() == expected);
    }
  }
}

TEST_CASE("dd is dk at tap 0, to the bit") {
  const auto kernel = get_kernel(config_of({1024, 1024}), Device::host());
  BackwardRun run(Machine::host(), kernel, recipe_of(4, 3), 11);
  kernel->launch_backward(run.arguments());
  const std::vector<float> dk = run.dk(), dd = run.dd();
  for (std::size_t h = 0; h < dd.size(); ++h) CHECK(dd[h] == dk[h * 1024]);
}

namespace {

// The sum of y . dy in float64, of the convolution as it is defined.
double objective(const std::vector<double>& u, const std::vector<double>& w, const std::vector<double>& v,
                 const std::vector<double>& k, const std::vector<double>& dy) {
  double sum = 0;
  const std::size_t n = u.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k.size(); ++j) {
      const std::size_t m = (i + n - j) % n;
      sum += dy[i] * v[i] * k[j] * u[m] * w[m];
    }
  return sum;
}

}  // namespace

TEST_CASE("gradients are differences of the convolution") {
  constexpr std::size_t n = 256;
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config_of({256, 256, Padding::circular, Gating::both}), Device::host());
  std::mt19937 random(3);
  std::vector<double> values[4];  // u, w, v, dy, as fp16 holds them
  std::vector<Buffer> buffers;
  for (auto& row : values) {
    std::vector<std::uint16_t> bits;
    for (std::size_t i = 0; i < n; ++i) {
      bits.push_back(examples::encode(DataType::fp16, normal(random)));
      row.push_back(examples::decode(DataType::fp16, bits.back()));
    }
    buffers.push_back(Buffer::of(machine, bits));
  }
  std::vector<float> taps;
  for (std::size_t i = 0; i < n; ++i) taps.push_back(normal(random) / 16);
  const Buffer k = Buffer::of(machine, taps);
  const std::vector<double> k_values(taps.begin(), taps.end());
  Buffer outputs[3];
  for (Buffer& output : outputs) output = Buffer(machine, 2 * n);
  Buffer dk(machine, 4 * n), dd(machine, 4);
  BackwardArguments arguments;
  const auto view = [&](const Buffer& buffer) { return TensorView{buffer.data(), n, n}; };
  arguments.u = view(buffers[0]), arguments.w = view(buffers[1]), arguments.v = view(buffers[2]);
  arguments.dy = view(buffers[3]);
  arguments.du = {outputs[0].data(), n, n}, arguments.dw = {outputs[1].data(), n, n};
  arguments.dv = {outputs[2].data(), n, n};
  arguments.dk = dk.at<float>(0), arguments.dd = dd.at<float>(0);
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, n, 1});
  arguments.batch = arguments.channels = 1;
  kernel->launch_backward(arguments);

  // The objective is linear in each tensor, so a difference of any step is the derivative.
  const auto check = [&](int which, std::size_t i, double found) {
    std::vector<double> all[5] = {values[0], values[1], values[2], k_values, values[3]};
    const auto value = [&] { return objective(all[0], all[1], all[2], all[3], all[4]); };
    const double before = value();
    all[which][i] += 1;
    CHECK(found == doctest::Approx(value() - before).epsilon(0.02).scale(1));
  };
  const std::vector<float> found_dk = dk.download<float>(0, n);
  for (int which = 0; which < 3; ++which) {
    const auto found = examples::decode(DataType::fp16, outputs[which].download<std::uint16_t>(0, n));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{100}, n - 1}) check(which, i, found[i]);
  }
  for (const std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{128}, n - 1}) check(3, i, found_dk[i]);
}

TEST_CASE("counts are those of the plan, without a bank conflict") {
  for (const std::int64_t n : {256, 1024, 2304, 8192})
    for (const auto& [gating, wanted] :
         {std::pair{Gating::none, "du,dk"}, std::pair{Gating::both, "du,dw,dv,dk"}, std::pair{Gating::both, "dv"}}) {
      const ConvConfig config = config_of({n, n, Padding::circular, gating, DataType::fp16, wanted});
      const auto kernel = kernel_of_one_slice(config);
      CAPTURE(kernel->name());
      const Plan plan = make_plans(kernel->config()).front();
      const Work work = predict_work(plan, kernel->config());
      const int more = 1 + plan.as<InBlockPlan>()->geometry.groups;
      HostCounts counts[2];
      for (const int i : {0, 1}) {
        BackwardRun run(Machine::host(), kernel, recipe_of(i == 0 ? 2 : 2 * more, 1), 3);
        HostOptions options;
        options.slices = 1;
        counts[i] = profile(*kernel, run.arguments(), options);
      }
      const double pairs = more - 1;
      const auto of_pairs = [&](std::int64_t HostCounts::*count) {
        return static_cast<double>(counts[1].*count - counts[0].*count) / pairs;
      };
      CHECK(of_pairs(&HostCounts::matrix_products) == work.matrix_products);
      CHECK(of_pairs(&HostCounts::bytes_written) == work.bytes_written);
      CHECK(of_pairs(&HostCounts::bytes_read) == work.bytes_read);
      CHECK(of_pairs(&HostCounts::wavefronts) == work.wavefronts);
      CHECK(counts[1].conflicts == 0);
      for (const HostSite& site : counts[1].sites) {
        CAPTURE(site.text);
        CHECK(site.conflicts == 0);
      }
    }
}

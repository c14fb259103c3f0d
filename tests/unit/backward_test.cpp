// Backward configs: what is filled in and refused, plans against float64, texts that differ in their feature alone.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/interpreter.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

using namespace ffc;

namespace {

using Complex = std::complex<double>;

ConvConfig backward(std::int64_t n, Gating gating = Gating::none) {
  ConvConfig config;
  config.fft_length = n;
  config.gating = gating;
  config.pass = Pass::backward;
  config.arch = "sm_90a";
  return config;
}

ConvConfig with_gradients(ConvConfig config, std::string_view wanted) {
  config.gradients = parse_gradients(wanted);
  return config;
}

std::string refusal(const ConvConfig& config) {
  try {
    (void)generate(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<Complex> random_row(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> row(static_cast<std::size_t>(n));
  for (Complex& value : row) value = {normal(random), normal(random)};
  return row;
}

std::vector<Complex> dft(const std::vector<Complex>& row) {
  const std::size_t n = row.size();
  std::vector<Complex> roots(n), result(n);
  for (std::size_t i = 0; i < n; ++i)
    roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) result[k] += row[i] * roots[i * k % n];
  return result;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("gradients of gates that do not exist are dropped; a forward config has none of its own") {
  CHECK(to_string(normalised(backward(256)).gradients) == "du,dk");
  CHECK(to_string(normalised(backward(256, Gating::in)).gradients) == "du,dw,dk");
  CHECK(to_string(normalised(backward(256, Gating::out)).gradients) == "du,dv,dk");
  CHECK(to_string(normalised(backward(256, Gating::both)).gradients) == "du,dw,dv,dk");
  ConvConfig forward = with_gradients(backward(256), "dd");
  forward.pass = Pass::forward;
  CHECK(normalised(forward).gradients == Gradients{});
}

TEST_CASE("gradients are read as they are written") {
  CHECK(to_string(parse_gradients("du,dw,dv,dk,dd")) == "du,dw,dv,dk,dd");
  CHECK(to_string(parse_gradients("dd,du")) == "du,dd");
  CHECK_THROWS_WITH_AS((void)parse_gradients("du,dx"), "gradient is \"dx\"; it must be one of du, dw, dv, dk, dd",
                       ConfigError);
}

TEST_CASE("every field of a backward config is in its text, and none in that of a forward config") {
  const ConvConfig config = normalised(backward(256));
  CHECK(has(to_string(config), "pass=backward gradients=du,dk gradient_exponent=0"));
  CHECK_FALSE(has(to_string(normalised([] {
                    ConvConfig forward;
                    forward.fft_length = 256;
                    return forward;
                  }())),
                  "gradient"));
  CHECK(to_string(config) != to_string(normalised(with_gradients(backward(256), "du"))));
}

TEST_CASE("refused backward configs") {
  CHECK(has(refusal(with_gradients(backward(256), "dw,dv")), "gradients is empty with gating none"));
  ConvConfig config = backward(256);
  config.gradient_exponent = 15;
  CHECK(refusal(config) == "gradient_exponent is 15; it must lie in [-14, 14]");
  config.dtype = DataType::bf16;
  CHECK(refusal(config) == "accepted");
  config.gradient_exponent = 61;
  CHECK(refusal(config) == "gradient_exponent is 61; it must lie in [-60, 60]");
  config = backward(256);
  config.pass = Pass::forward;
  config.gradient_exponent = 1;
  CHECK(refusal(config) == "gradient_exponent is 1 and pass is forward; it must be 0");
}

TEST_CASE("lengths without a backward plan are refused in words") {
  // With a mask the transform is the config's, and goes digit by digit.
  ConvConfig config = backward(20000);
  config.mask = low_pass(0.25, 20000);
  CHECK(has(refusal(config), "pass is backward with fft_length 20000 and length 20000"));
  config = backward(3000);
  config.radices = {50, 60};
  CHECK(has(refusal(config), "pass is backward with fft_length 3000"));
}

TEST_CASE("plans past one block fit every arch, with the spectrum of a forward plan of those columns") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {65536, 196608, 1048576, 8388608})
      for (const Gating gating : {Gating::none, Gating::both}) {
        ConvConfig config = backward(n, gating);
        config.arch = arch.name;
        CAPTURE(to_string(config));
        const Generated generated = generate(config);
        CHECK(generated.conv.shared_bytes <= arch.shared_per_block);
        CHECK(generated.conv.threads <= 1024);
        REQUIRE(generated.split);
        CHECK(packed_rows(generated.split->packing) == 2);
        CHECK(generated.split->pair_bytes() == 4 * n);
        REQUIRE(generated.backward);
        CHECK(generated.backward->tensors == 2);
        CHECK(generated.backward->sums_bytes ==
              8 * (generated.split->column_length / 2 + 1) * generated.split->row_length);
        REQUIRE(generated.backward->filter_gradient);
        CHECK(generated.backward->inverse_steps == 3);
        config.pass = Pass::forward;
        config.column_length =
            generated.split->column_length;  // it may be another that a convolution takes least time with
        CHECK(generate(config).spectrum_tag == generated.spectrum_tag);
      }
}

TEST_CASE("causal rows go alone where the convolution's do in columns and rows, and take its spectrum") {
  ConvConfig config = backward(0);
  config.padding = Padding::causal;
  for (const Gating gating : {Gating::none, Gating::both})
    for (const std::int64_t length : {32768, 65536, 200000, 262144, 1048576, 4194304}) {
      config.gating = gating;
      config.length = length;
      config.filter_length = length;
      ConvConfig forward = config;
      forward.pass = Pass::forward;
      CAPTURE(to_string(config));
      const Generated gradients = generate(config), convolution = generate(forward);
      const bool alone = convolution.split && convolution.packing == Packing::right_angle;
      CHECK(alone == (length >= 200000 || (gating == Gating::both && length == 65536)));
      CHECK((gradients.packing == Packing::right_angle) == alone);
      CHECK((gradients.spectrum_tag == convolution.spectrum_tag) == alone);
      CHECK(gradients.conv.shared_bytes <= find_arch("sm_90a").shared_per_block);
      REQUIRE(gradients.backward);
      CHECK(gradients.backward->pairs(3) == (alone ? 3 : 2));
    }
}

TEST_CASE("what one block's plans leave out is folded, or taken in windows where the filter is short") {
  const auto transform_of = [](const ConvConfig& config) { return generate(config).transform_length; };
  CHECK(transform_of(backward(32749)) >= 2 * 32749 - 1);  // a prime
  CHECK(transform_of(backward(40000)) >= 2 * 40000 - 1);
  ConvConfig causal = backward(0);
  causal.padding = Padding::causal;
  causal.length = 61440;
  CHECK(transform_of(causal) >= 2 * 61440 - 1);
  causal.filter_length = 30000;
  CHECK(transform_of(causal) >= 61440 + 29999);
  causal.filter_length = 2048;
  CHECK(generate(causal).windows);
  causal.length = std::int64_t{1} << 33;
  const Generated longest = generate(causal);
  REQUIRE(longest.windows);
  CHECK(longest.backward->pairs(2) == longest.windows->count);
  CHECK(longest.backward->slices(2) <= 64);
}

TEST_CASE("plans of every length fit every arch, in the forward plan's digits") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {256, 512, 768, 1000, 1024, 1280, 1792, 2048, 2304, 4096, 6144, 8192, 12288, 16384})
      for (const Gating gating : {Gating::none, Gating::both}) {
        ConvConfig config = backward(n, gating);
        config.arch = arch.name;
        CAPTURE(to_string(config));
        const Generated generated = generate(config);
        CHECK(generated.conv.shared_bytes <= arch.shared_per_block);
        CHECK(generated.conv.threads <= 1024);
        REQUIRE(generated.backward);
        CHECK(generated.backward->filter_gradient);
        config.pass = Pass::forward;
        if (n != 1000) CHECK(generate(config).spectrum_tag == generated.spectrum_tag);
      }
}

TEST_CASE("interpreted plans are correlations, convolutions and sums") {
  for (const auto& [n, length, columns] :
       {std::tuple{256, 256, 0}, std::tuple{512, 256, 0}, std::tuple{2048, 2048, 0}, std::tuple{2304, 1000, 0},
        std::tuple{8192, 8192, 0}, std::tuple{4096, 4096, 16}, std::tuple{8192, 3000, 32},
        std::tuple{8192, 8192, 16}}) {
    ConvConfig config = backward(n, Gating::both);
    config.column_length = columns;
    config.length = length;
    if (length != n) config.padding = Padding::padded;
    CAPTURE(to_string(config));
    const Plan plan = make_plans(normalised(config)).front();
    std::vector<Complex> u = random_row(n, 1), dy = random_row(n, 2);
    const std::vector<Complex> spectrum = random_row(n, 3);
    const InterpretedGradients result = interpret_backward(plan, u, dy, spectrum);
    for (std::size_t i = static_cast<std::size_t>(length); i < u.size(); ++i) u[i] = dy[i] = 0;
    const std::vector<Complex> z = dft(u), g = dft(dy);
    std::vector<Complex> sums(z.size()), convolved(z.size()), correlated(z.size());
    for (std::size_t k = 0; k < z.size(); ++k) {
      sums[k] = std::conj(z[k]) * g[k];
      // Conjugated: the inverse of what follows is then a forward transform.
      convolved[k] = std::conj(z[k] * spectrum[k]);
      correlated[k] = std::conj(g[k] * std::conj(spectrum[k]));
    }
    const auto back = [&](const std::vector<Complex>& frequencies) {
      std::vector<Complex> row = dft(frequencies);
      row.resize(static_cast<std::size_t>(length));
      for (Complex& value : row) value = std::conj(value) / static_cast<double>(n);
      return row;
    };
    CHECK(largest_difference(result.sums, sums) < 1e-8);
    CHECK(largest_difference(result.input, back(convolved)) < 1e-8);
    CHECK(largest_difference(result.gradient, back(correlated)) < 1e-8);
  }
}

// The real part of what comes back modulo x^P = -i is the adjoint of the real part of a product: at frequencies k + 1/4
// all stays as it is, and the sums give a tap behind the points the part along -i.
TEST_CASE("interpreted plans of rows alone are correlations, convolutions and sums") {
  constexpr std::int64_t points = 4096, length = 3000;
  ConvConfig config = backward(2 * points, Gating::both);
  config.column_length = 16;
  config.batch = 1;
  config.length = length;
  config.padding = Padding::padded;
  const Plan plan = make_plans(normalised(config)).front();
  REQUIRE(plan->right_angle());
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto real_row = [&](std::int64_t samples) {
    std::vector<double> row(static_cast<std::size_t>(samples));
    for (double& value : row) value = normal(random);
    return row;
  };
  const std::vector<double> u = real_row(length), dy = real_row(length), k = real_row(points);
  const auto turn = [](std::int64_t n) {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n) / (4.0 * points));
  };
  const auto complex_row = [&](const std::vector<double>& row) {
    std::vector<Complex> values(points);
    std::copy(row.begin(), row.end(), values.begin());
    return values;
  };
  std::vector<Complex> taps = complex_row(k);
  for (std::int64_t n = 0; n < points; ++n) taps[static_cast<std::size_t>(n)] *= turn(n);
  const InterpretedGradients result = interpret_backward(plan, complex_row(u), complex_row(dy), dft(taps));
  std::vector<Complex> sums = result.sums;
  for (Complex& sum : sums) sum = std::conj(sum) / static_cast<double>(points);
  sums = dft(sums);
  double largest = 0;
  const auto compare = [&](double value, double expected) { largest = std::max(largest, std::abs(value - expected)); };
  for (std::int64_t n = 0; n < length; n += 37) {
    double convolved = 0, correlated = 0, of_tap = 0, of_tap_before = 0;
    for (std::int64_t m = 0; m < length; ++m) {
      const auto at = [](const std::vector<double>& row, std::int64_t i) {
        return i < 0 || i >= static_cast<std::int64_t>(row.size()) ? 0.0 : row[static_cast<std::size_t>(i)];
      };
      convolved += at(u, m) * at(k, n - m);
      correlated += at(dy, m) * at(k, m - n);
      of_tap += at(u, m) * at(dy, m + n);
      of_tap_before += at(u, m) * at(dy, m + n - points);
    }
    compare(result.input[static_cast<std::size_t>(n)].real(), convolved);
    compare(result.gradient[static_cast<std::size_t>(n)].real(), correlated);
    const Complex point = sums[static_cast<std::size_t>(n)] * turn(n);
    compare(point.real(), of_tap);
    compare(-point.imag(), of_tap_before);
  }
  CHECK(largest < 1e-8);
}

TEST_CASE("a list that adds up too early, or multiplies before it adds up, is refused") {
  Plan plan = make_plans(normalised(backward(256))).front();
  const std::vector<Complex> row = random_row(256, 1);
  const auto sums = std::find_if(plan->steps.begin(), plan->steps.end(),
                                 [](const Step& step) { return step.kind == StepKind::accumulate; });
  REQUIRE(sums != plan->steps.end());
  Plan early = plan;
  early->steps.erase(early->steps.begin() + (sums - plan->steps.begin()));
  Plan late = early;
  early->steps.insert(early->steps.begin() + 1, *sums);
  late->steps.push_back(*sums);
  for (const Plan& wrong : {early, late})
    CHECK_THROWS_AS((void)interpret_backward(wrong, row, row, row), std::logic_error);
}

TEST_CASE("what is not wanted is not in the plan") {
  const auto count = [](std::string_view wanted, StepKind kind) {
    const Plan plan = make_plans(normalised(with_gradients(backward(4096, Gating::both), wanted))).front();
    return std::count_if(plan->steps.begin(), plan->steps.end(), [&](const Step& step) { return step.kind == kind; });
  };
  CHECK(count("du", StepKind::load) == 1);
  CHECK(count("dv", StepKind::load) == 1);
  CHECK(count("dk", StepKind::load) == 2);
  CHECK(count("dk", StepKind::store) == 0);
  CHECK(count("dk", StepKind::pointwise) == 0);
  CHECK(count("du,dw", StepKind::store) == 1);
  CHECK(count("du,dw,dv,dk", StepKind::store) == 2);
  CHECK(count("du,dw,dv", StepKind::accumulate) == 0);
  CHECK_FALSE(generate(with_gradients(backward(4096), "du")).backward->filter_gradient);
  CHECK(generate(with_gradients(backward(4096), "du")).backward->sums_bytes == 0);
}

TEST_CASE("both texts of launches that overlap say so, and no others") {
  const auto says = [](std::int64_t n, const char* arch, std::string_view wanted = "du,dk") {
    ConvConfig config = with_gradients(backward(n), wanted);
    config.arch = arch;
    const Generated generated = generate(config);
    const BackwardLaunch& launch = *generated.backward;
    const bool first = has(generated.conv.source, "  let_next_launch_begin();");
    const bool second = launch.filter_gradient && has(launch.filter_gradient->source, "  wait_for_previous_launch();");
    CAPTURE(arch);
    CHECK(first == launch.overlaps);
    CHECK(second == launch.overlaps);
    CHECK(has(generated.conv.source, "griddepcontrol") == launch.overlaps);
    return launch.overlaps;
  };
  for (const std::int64_t n : {256, 2304, 8192, 32768}) {
    CHECK(says(n, "sm_90a"));
    CHECK(says(n, "sm_100"));
    CHECK_FALSE(says(n, "sm_80"));
    CHECK_FALSE(says(n, "sm_90a", "du"));
  }
  CHECK(says(8192, "sm_120"));
  CHECK_FALSE(says(65536, "sm_90a"));
}

TEST_CASE("filter gradients stay within the limits of every arch") {
  for (const Arch& arch : architectures())
    for (const std::int64_t n : {256, 512, 768, 2304, 4096, 8192, 16384, 26624, 32768}) {
      ConvConfig config = backward(n);
      config.arch = arch.name;
      const Generated generated = generate(config);
      if (generated.split) continue;  // less shared memory than that length takes
      const BackwardLaunch& launch = *generated.backward;
      CAPTURE(to_string(config));
      CHECK(launch.filter_gradient->shared_bytes <= arch.shared_per_block);
      CHECK(launch.filter_gradient->threads <= 1024);
      CHECK((launch.inverse_bytes == 0) == (launch.filter_gradient->shared_bytes > 0));
      if (n <= 16384 || arch.shared_per_block > 200 << 10) CHECK(launch.inverse_bytes == 0);
    }
}

TEST_CASE("slices of the batch depend on the batch alone") {
  const BackwardLaunch launch = *generate(backward(4096)).backward;
  CHECK(launch.least_pairs == 16);
  CHECK(launch.sums_bytes == 9 * 2048);
  const auto slices = [&](int batch) { return std::pair{launch.slices(batch), launch.pairs_per_slice(batch)}; };
  CHECK(slices(1) == std::pair{1, 16});
  CHECK(slices(32) == std::pair{1, 16});
  CHECK(slices(33) == std::pair{2, 16});
  CHECK(slices(64) == std::pair{2, 16});
  CHECK(slices(512) == std::pair{16, 16});
  CHECK(slices(2001) == std::pair{16, 63});
  CHECK(slices(2147483647).first == 16);
}

TEST_CASE("the same config gives the same bytes, and its programs are three") {
  const Generated a = generate(backward(4096)), b = generate(backward(4096));
  CHECK(a.conv.source == b.conv.source);
  CHECK(a.backward->filter_gradient->source == b.backward->filter_gradient->source);
  const std::vector<ProgramView> views = programs(a);
  REQUIRE(views.size() == 3);
  CHECK(views[0].kind == "gradients");
  CHECK(views[2].kind == "filter gradient");
  CHECK(a.name == "conv_bwd_n4096_16x16x16_f16_du_dk_sm90a");
}

TEST_CASE("golden sources of gradients") {
  const auto check = [](const GeneratedKernel& kernel) {
    const std::filesystem::path path = std::filesystem::path(FFC_GOLDENS) / (kernel.name + ".cu");
    if (const char* refresh = std::getenv("FFC_REFRESH_GOLDENS"); refresh != nullptr && std::string(refresh) == "1")
      std::ofstream(path, std::ios::binary) << kernel.source;
    CAPTURE(path.string());
    CHECK(read_file(path) == kernel.source);
  };
  const Generated small = generate(backward(256));
  check(small.conv);
  check(*small.backward->filter_gradient);
  check(generate(backward(4096, Gating::both)).conv);
  const Generated past_one_block = generate(backward(65536));
  check(past_one_block.conv);
  check(*past_one_block.backward->filter_gradient);
  check(generate(with_gradients(backward(262144, Gating::both), "du,dw,dv,dk")).conv);
  ConvConfig windows = backward(1024);
  windows.padding = Padding::causal;
  windows.length = 8192;
  windows.filter_length = 129;
  check(generate(windows).conv);
  windows.gating = Gating::both;
  check(generate(windows).conv);
}

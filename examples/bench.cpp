// Times convolutions against copies of the same bytes: one line per length, padding, gating and type.
#include <fmt/core.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench_case.hpp"

namespace {

using namespace ffc::examples;
using ffc::ConvConfig, ffc::DataType, ffc::Gating, ffc::Padding;

struct Options {
  std::vector<std::string> lengths = {"256..32768"}, dtypes = {"fp16"}, paddings = {"circular"};
  bool plain = false, gated = false, all = false, csv = false, startup = false, startup_child = false;
  int batch = 64, channels = 768;
  std::string accumulation = "automatic";
  std::vector<int> radices;
};

std::int64_t parse_length(std::string_view text) {
  std::int64_t length = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), length);
  // From 0 the doubling below would never end; the upper limit is the generator's to name.
  if (code != std::errc() || end != text.data() + text.size() || length < 1 || length > 1 << 30)
    throw std::runtime_error(
        fmt::format("--lengths: '{}' is no length; a number from 1, or a range such as 256..32768", text));
  return length;
}

// "256", or "256..32768": 256 and its doubles up to 32768.
std::vector<std::int64_t> parse_lengths(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> lengths;
  for (const std::string_view text : texts) {
    const std::size_t dots = text.find("..");
    const std::int64_t first = parse_length(text.substr(0, dots));
    const std::int64_t last = dots == std::string_view::npos ? first : parse_length(text.substr(dots + 2));
    if (first > last) throw std::runtime_error(fmt::format("--lengths: the range '{}' is empty", text));
    for (std::int64_t n = first; n <= last; n *= 2) lengths.push_back(n);
  }
  return lengths;
}

ConvConfig make_config(std::int64_t n, const std::string& padding, Gating gating, DataType dtype) {
  ConvConfig config;
  config.gating = gating;
  config.dtype = dtype;
  if (padding == "causal") {
    config.padding = Padding::causal;
    config.length = n;
  } else {
    config.fft_length = n;
    if (padding == "half") config.padding = Padding::padded, config.length = n / 2;
  }
  return config;
}

std::vector<ConvConfig> make_configs(const Options& options) {
  std::vector<ConvConfig> configs;
  const auto add = [&](const std::vector<std::int64_t>& lengths, const std::string& padding, Gating gating,
                       DataType dtype) {
    for (const std::int64_t n : lengths) configs.push_back(make_config(n, padding, gating, dtype));
  };
  if (options.all) {
    const std::vector<std::int64_t> lengths = parse_lengths({"256..32768"});
    for (const std::string padding : {"circular", "half"})
      for (const Gating gating : {Gating::none, Gating::both}) add(lengths, padding, gating, DataType::fp16);
    for (const Gating gating : {Gating::none, Gating::both}) add(lengths, "circular", gating, DataType::bf16);
    for (const std::int64_t n : {6144, 8192}) {
      configs.push_back(make_config(n, "half", Gating::none, DataType::fp16));
      configs.back().length = 3072;
    }
    add(parse_lengths({"1000", "3000", "992", "4097"}), "circular", Gating::none, DataType::fp16);
    return configs;
  }
  for (const std::string& dtype : options.dtypes)
    for (const std::string& padding : options.paddings) {
      if (options.plain || !options.gated)
        add(parse_lengths(options.lengths), padding, Gating::none, ffc::parse_dtype(dtype));
      if (options.gated) add(parse_lengths(options.lengths), padding, Gating::both, ffc::parse_dtype(dtype));
    }
  return configs;
}

// The driver's release, which libcuda does not tell; nothing where the system hides it.
std::string driver_release() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string release;
  return file >> release ? "driver " + release + ", " : "";
}

void print_heading(const Options& options, const Machine& device) {
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  fmt::print("# {}, {}CUDA {}.{}, {}; batch {}, channels {}\n", device.name(), driver_release(),
             device.cuda_version() / 1000, device.cuda_version() % 1000 / 10, date, options.batch, options.channels);
  if (options.csv)
    fmt::print("fft_length,length,padding,gating,dtype,ms,floor_ms,ratio,tflops,rel_err,kernel\n");
  else
    fmt::print("{:>6} {:>6} {:8} {:5} {:5} {:>9} {:>9} {:>6} {:>7} {:>9}  {}\n", "N", "L", "padding", "gates", "dtype",
               "ms", "floor ms", "ratio", "TFLOP/s", "rel err", "kernel");
}

void print_result(bool csv, const ConvConfig& config, const BenchResult& r) {
  const ConvConfig c = ffc::normalised(config);
  const double ratio = r.milliseconds / r.floor_milliseconds;
  if (csv)
    fmt::print("{},{},{},{},{},{:.5f},{:.5f},{:.3f},{:.1f},{:.3e},{}\n", r.fft_length, c.length, to_string(c.padding),
               to_string(c.gating), to_string(c.dtype), r.milliseconds, r.floor_milliseconds, ratio, r.teraflops,
               r.error, r.kernel);
  else
    fmt::print("{:>6} {:>6} {:8} {:5} {:5} {:>9.4f} {:>9.4f} {:>6.3f} {:>7.1f} {:>9.2e}  {}\n", r.fft_length, c.length,
               to_string(c.padding), to_string(c.gating), to_string(c.dtype), r.milliseconds, r.floor_milliseconds,
               ratio, r.teraflops, r.error, r.kernel);
  std::fflush(stdout);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

ConvConfig startup_config(std::int64_t n) { return make_config(n, "circular", Gating::none, DataType::fp16); }

// In a process of its own with a warm cache: what get_kernel costs once driver, NVRTC and cache are open.
void startup_child() {
  (void)ffc::get_kernel(startup_config(512));
  for (const std::int64_t n : {1024, 4096, 32768})
    fmt::print("get_kernel N={} from disk: {:.2f} ms\n", n,
               1e3 * seconds_of([&] { (void)ffc::get_kernel(startup_config(n)); }));
  constexpr int calls = 100000;
  const ConvConfig config = startup_config(4096);
  const double seconds = seconds_of([&] {
    for (int i = 0; i < calls; ++i) (void)ffc::get_kernel(config);
  });
  fmt::print("get_kernel from memory: {:.0f} ns\n", 1e9 * seconds / calls);
}

int startup(const char* program) {
  std::string folder = (std::filesystem::temp_directory_path() / "ffc-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder at " + folder);
  setenv("FFC_CACHE_DIR", folder.c_str(), 1);
  (void)ffc::get_kernel(startup_config(512));
  for (const std::int64_t n : {1024, 4096, 32768})
    fmt::print("get_kernel N={} compiled, conv and filter: {:.2f} s\n", n,
               seconds_of([&] { (void)ffc::get_kernel(startup_config(n)); }));
  std::fflush(stdout);
  const int status = std::system(fmt::format("'{}' --startup-child", program).c_str());
  std::filesystem::remove_all(folder);
  return status == 0 ? 0 : 1;
}

// Says on stderr what is wrong with a kernel's results: a fast kernel with wrong results has no time worth printing.
bool passes(const ConvConfig& config, const BenchResult& r) {
  const double bar = config.dtype == DataType::fp16 ? 1.0e-3 : 2.5e-3;
  const bool accurate = r.error <= bar;  // false for NaN
  if (!accurate) fmt::print(stderr, "bench: {}: relative error {:.2e}, more than {:.1e}\n", r.kernel, r.error, bar);
  if (r.not_finite != 0)
    fmt::print(stderr, "bench: {}: {} results are infinite, not a number or never written\n", r.kernel, r.not_finite);
  return accurate && r.not_finite == 0;
}

int run(const Options& options, const std::vector<ConvConfig>& configs, const std::shared_ptr<Machine>& device) {
  print_heading(options, *device);
  bool all_pass = true;
  std::map<DataType, std::unique_ptr<Pattern>> patterns;
  for (ConvConfig config : configs) {
    if (options.accumulation == "fp16") config.accumulation = ffc::Accumulation::fp16;
    if (options.accumulation == "fp32") config.accumulation = ffc::Accumulation::fp32;
    config.radices = options.radices;
    std::unique_ptr<Pattern>& pattern = patterns[config.dtype];
    if (!pattern) pattern = std::make_unique<Pattern>(device, config.dtype);
    const BenchResult result = BenchCase(device, *pattern, config, options.batch, options.channels).run();
    print_result(options.csv, config, result);
    all_pass = passes(config, result) && all_pass;
  }
  return all_pass ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Times convolutions against device-to-device copies of the same bytes");
  Options options;
  app.add_option("--lengths", options.lengths, "N, or a range 256..32768 of powers of two")->delimiter(',');
  app.add_option("--dtype", options.dtypes, "fp16, bf16")->delimiter(',');
  app.add_option("--padding", options.paddings, "circular, half (L = N/2), causal (the lengths are L)")
      ->delimiter(',')
      ->check(CLI::IsMember({"circular", "half", "causal"}));
  app.add_flag("--plain", options.plain, "without gates (the default)");
  app.add_flag("--gated", options.gated, "with both gates");
  app.add_option("--batch", options.batch, "B")->check(CLI::PositiveNumber);
  app.add_option("--channels", options.channels, "H")->check(CLI::PositiveNumber);
  app.add_option("--accumulation", options.accumulation, "automatic, fp16 or fp32")
      ->check(CLI::IsMember({"automatic", "fp16", "fp32"}));
  app.add_option("--radices", options.radices, "forced factorisation")->delimiter(',');
  app.add_flag("--all", options.all, "the whole table of BENCHMARKS.md");
  app.add_flag("--csv", options.csv, "comma-separated values");
  app.add_flag("--startup", options.startup, "what get_kernel costs: compiled, from disk, from memory");
  app.add_flag("--startup-child", options.startup_child, "internal to --startup")->group("");
  CLI11_PARSE(app, argc, argv);
  const std::vector<ConvConfig> configs = make_configs(options);  // what is wrong with options needs no GPU to tell
  std::string why;
  const auto device = Machine::gpu(0, why);
  if (!device) {
    fmt::print(stderr, "bench: nothing to time: {}\n", why);
    return 1;
  }
  if (options.startup_child) return startup_child(), 0;
  return options.startup ? startup(argv[0]) : run(options, configs, device);
} catch (const std::exception& error) {
  fmt::print(stderr, "bench: {}\n", error.what());
  return 1;
}

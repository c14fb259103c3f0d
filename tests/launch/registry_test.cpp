// get_kernel: one compile per key, failures forgotten, and what it says without driver, NVRTC or device.
#include "registry.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <latch>

#include "cache_support.hpp"
#include "fake_cuda.hpp"
#include "fake_generated.hpp"
#include "fake_nvrtc.hpp"
#include "has.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

/// A registry on fake parts, with the cache turned off so that every build reaches the compiler.
class RegistryFixture {
 public:
  RegistryFixture() {
    current_fake() = &driver;
    current_nvrtc() = &nvrtc;
    context_stack().clear();
    parts.open_driver = [] {
      DriverApi api = fake_driver_api();
      initialise(api);
      return api;
    };
    parts.open_nvrtc = [] { return fake_nvrtc_api(); };
    parts.generate = [](const ConvConfig& config) { return fake_generated(config); };
    parts.checks = [] { return Checks::each_call; };
    parts.cache_options = [](const cache::WarnCallback&) {
      return cache::Options{.root = {}, .disabled = true, .warn = {}};
    };
  }

  Registry& registry() {
    if (!registry_) registry_ = std::make_unique<Registry>(parts);
    return *registry_;
  }

  static ConvConfig config(std::int64_t fft_length = 1024) {
    ConvConfig made;
    made.fft_length = fft_length;
    return made;
  }

  FakeDriver driver;
  FakeNvrtc nvrtc;
  RegistryParts parts;

 private:
  std::unique_ptr<Registry> registry_;
};

/// The text of the exception of that type, or what came instead.
template <typename Expected, typename Function>
std::string text_of(Function&& function) {
  try {
    function();
  } catch (const Expected& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

template <typename Expected>
std::string refusal(Registry& registry, const ConvConfig& config, int device = -1) {
  return text_of<Expected>([&] { (void)registry.get_kernel(config, device); });
}

/// How many threads of eight got a kernel, and whether all got the same.
struct Shared {
  int kernels = 0;
  int errors = 0;
  bool same = true;
};
Shared ask_from_eight_threads(Registry& registry, const std::function<ConvConfig(int)>& config) {
  constexpr int count = 8;
  std::vector<std::shared_ptr<const Kernel>> kernels(count);
  std::atomic<int> errors = 0;
  std::latch start(count);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      try {
        kernels[static_cast<std::size_t>(i)] = registry.get_kernel(config(i), 0);
      } catch (const CompileError&) {
        ++errors;
      }
    });
  for (std::thread& thread : threads) thread.join();
  Shared shared;
  shared.errors = errors;
  for (const auto& kernel : kernels) {
    shared.kernels += kernel != nullptr;
    shared.same = shared.same && kernel == kernels[0];
  }
  return shared;
}

}  // namespace

TEST_CASE("eight threads that ask at once get one kernel from one compile of each program") {
  RegistryFixture fixture;
  fixture.nvrtc.time_to_compile = std::chrono::milliseconds(50);
  const Shared shared = ask_from_eight_threads(fixture.registry(), [](int) { return RegistryFixture::config(); });
  CHECK(shared.kernels == 8);
  CHECK(shared.same);
  CHECK(fixture.nvrtc.compiles == 2);  // the convolution and its filter kernel
  CHECK(fixture.driver.modules == 2);
}

TEST_CASE("eight ways to ask for one kernel at once, written out in different detail, compile it once") {
  for (int round = 0; round < 20; ++round) {
    RegistryFixture fixture;
    fixture.nvrtc.time_to_compile = std::chrono::milliseconds(2);
    const Shared shared = ask_from_eight_threads(fixture.registry(), [](int i) {
      ConvConfig config = RegistryFixture::config();
      if ((i & 1) != 0) config.length = 1024;
      if ((i & 2) != 0) config.arch = "sm_90a";
      if ((i & 4) != 0) config.filter_length = 1024;
      return config;
    });
    CHECK(shared.kernels == 8);
    CHECK(shared.same);
    CHECK(fixture.nvrtc.compiles == 2);
  }
}

TEST_CASE("different configs and different devices are different kernels") {
  RegistryFixture fixture;
  fixture.driver.devices = 2;
  Registry& registry = fixture.registry();
  const auto first = registry.get_kernel(RegistryFixture::config(), 0);
  CHECK(registry.get_kernel(RegistryFixture::config(), 0) == first);
  CHECK(registry.get_kernel(RegistryFixture::config(2048), 0) != first);
  const auto second = registry.get_kernel(RegistryFixture::config(), 1);
  CHECK(second != first);
  CHECK(first->device() == 0);
  CHECK(second->device() == 1);
  CHECK(first->config().arch == "sm_90a");
}

TEST_CASE("device -1 is the current context's, else 0, and the caller's context stays current") {
  RegistryFixture fixture;
  fixture.driver.devices = 2;
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(), -1)->device() == 0);
  CHECK(context_stack().empty());
  context_stack() = {primary_context(1)};
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(), -1)->device() == 1);
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(512), 0)->device() == 0);
  CHECK(context_stack() == std::vector<CUcontext>{primary_context(1)});
}

TEST_CASE("a failed compile reaches everybody who waited, and the next call tries again") {
  // Sources of refused programs are kept in the temporary folder; here it vanishes with the test.
  const cache::test::Scratch scratch;
  REQUIRE(setenv("TMPDIR", scratch.path().c_str(), 1) == 0);
  RegistryFixture fixture;
  fixture.nvrtc.time_to_compile = std::chrono::milliseconds(50);
  fixture.nvrtc.fails = true;
  const Shared shared = ask_from_eight_threads(fixture.registry(), [](int) { return RegistryFixture::config(); });
  CHECK(shared.errors == 8);
  REQUIRE(unsetenv("TMPDIR") == 0);
  fixture.nvrtc.fails = false;
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(), 0) != nullptr);
}

TEST_CASE("no driver: what was tried is named, and a driver that appears later is found") {
  const std::string text = text_of<DriverError>([] { (void)load_driver({"libno-such-driver.so.1"}); });
  CHECK(has(text, "no CUDA driver"));
  CHECK(has(text, "libno-such-driver.so.1"));

  RegistryFixture fixture;
  bool installed = false;
  fixture.parts.open_driver = [&] { return installed ? fake_driver_api() : load_driver({"libno-such-driver.so.1"}); };
  // The fake's version is set by initialise, which this one leaves out.
  fixture.parts.open_nvrtc = [] { return fake_nvrtc_api(0); };
  CHECK(has(refusal<DriverError>(fixture.registry(), RegistryFixture::config()), "no CUDA driver"));
  installed = true;
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(), 0) != nullptr);
}

TEST_CASE("a library that is no driver is refused by the function it lacks") {
  CHECK(has(text_of<DriverError>([] { (void)load_driver({"libm.so.6"}); }), "has no function cuInit"));
}

TEST_CASE("no NVRTC: what was tried is named") {
  const std::string text = text_of<CompileError>([] { (void)load_nvrtc({"libno-nvrtc-a.so", "libno-nvrtc-b.so"}); });
  CHECK(has(text, "NVRTC"));
  CHECK(has(text, "libno-nvrtc-a.so"));
  CHECK(has(text, "libno-nvrtc-b.so"));
  CHECK(has(text, "FFC_NVRTC_LIBRARY"));

  RegistryFixture fixture;
  fixture.parts.open_nvrtc = [] { return load_nvrtc({"libno-nvrtc-a.so"}); };
  CHECK(has(refusal<CompileError>(fixture.registry(), RegistryFixture::config()), "libno-nvrtc-a.so"));
}

TEST_CASE("FFC_NVRTC_LIBRARY alone is tried where it is set") {
  REQUIRE(setenv("FFC_NVRTC_LIBRARY", "some/libnvrtc.so", 1) == 0);
  CHECK(nvrtc_candidates() == std::vector<std::string>{"some/libnvrtc.so"});
  REQUIRE(unsetenv("FFC_NVRTC_LIBRARY") == 0);
  CHECK(nvrtc_candidates().size() >= 3);
}

TEST_CASE("a driver older than NVRTC's toolkit is refused by both versions, before anything is compiled") {
  RegistryFixture fixture;
  fixture.driver.version = 12040;
  const std::string text = refusal<DriverError>(fixture.registry(), RegistryFixture::config());
  CHECK(has(text, "12.4"));
  CHECK(has(text, "13.0"));
  CHECK(fixture.nvrtc.compiles == 0);
  // An older minor version of the same major one is compatible.
  RegistryFixture minor;
  minor.parts.open_nvrtc = [] { return fake_nvrtc_api(13, 1); };
  CHECK(minor.registry().get_kernel(RegistryFixture::config(), 0) != nullptr);
}

TEST_CASE("devices out of range are refused by the range") {
  RegistryFixture fixture;
  fixture.driver.devices = 2;
  for (const int device : {2, 4096, -3}) {
    const std::string text = refusal<DriverError>(fixture.registry(), RegistryFixture::config(), device);
    CHECK(has(text, "device is " + std::to_string(device)));
    CHECK(has(text, "[0, 1]"));
  }
  RegistryFixture none;
  none.driver.devices = 0;
  CHECK(has(refusal<DriverError>(none.registry(), RegistryFixture::config()), "no device"));
}

TEST_CASE("what the driver returns is passed on with its code") {
  RegistryFixture fixture;
  fixture.driver.init_result = CUDA_ERROR_NO_DEVICE;
  try {
    (void)fixture.registry().get_kernel(RegistryFixture::config(), 0);
    FAIL("no exception");
  } catch (const DriverError& error) {
    CHECK(error.code() == CUDA_ERROR_NO_DEVICE);
    CHECK(has(error.what(), "cuInit"));
  }
}

TEST_CASE("an arch that the device does not run is refused") {
  RegistryFixture fixture;
  ConvConfig config = RegistryFixture::config();
  config.arch = "sm_80";
  const std::string text = refusal<ConfigError>(fixture.registry(), config);
  CHECK(has(text, "sm_80"));
  CHECK(has(text, "sm_90a"));
}

TEST_CASE("a miss while a stream is being captured loads the kernel and leaves the thread as it was") {
  RegistryFixture fixture;
  fixture.driver.capture = fixture.driver.blocking_capture = true;
  CHECK(fixture.registry().get_kernel(RegistryFixture::config(), 0) != nullptr);
  CHECK(thread_capture_mode() == CU_STREAM_CAPTURE_MODE_GLOBAL);
  fixture.driver.load_result = CUDA_ERROR_INVALID_IMAGE;
  CHECK(has(refusal<DriverError>(fixture.registry(), RegistryFixture::config(512), 0), "cuModuleLoadData"));
  CHECK(thread_capture_mode() == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_CASE("a kernel that cannot be loaded leaves no module and no memory behind") {
  RegistryFixture fixture;
  fixture.driver.alloc_result = CUDA_ERROR_OUT_OF_MEMORY;  // met after the first module is loaded
  CHECK(has(refusal<DriverError>(fixture.registry(), RegistryFixture::config(), 0), "cuMemAlloc"));
  CHECK(fixture.driver.modules == 0);
  CHECK(fixture.driver.live.empty());
  CHECK(context_stack().empty());
  fixture.driver.alloc_result = CUDA_SUCCESS;
  fixture.driver.upload_result = CUDA_ERROR_ECC_UNCORRECTABLE;
  CHECK(has(refusal<DriverError>(fixture.registry(), RegistryFixture::config(), 0), "cuMemcpyHtoDAsync"));
  CHECK(fixture.driver.modules == 0);
  CHECK(fixture.driver.live.empty());
  CHECK(fixture.driver.streams.empty());
}

TEST_CASE("constant tables have arrived before the kernel is handed out") {
  RegistryFixture fixture;
  (void)fixture.registry().get_kernel(RegistryFixture::config(), 0);
  CHECK(fixture.driver.calls == std::vector<std::string>{"upload on a stream of its own", "wait for a stream"});
}

TEST_CASE("with the registry go its kernels, their memory and the contexts") {
  FakeDriver* driver = nullptr;
  RegistryFixture fixture;
  driver = &fixture.driver;
  {
    Registry registry(fixture.parts);
    (void)registry.get_kernel(RegistryFixture::config(), 0);
    CHECK(driver->retained == 1);
    CHECK(driver->live.size() == 1);
  }
  CHECK(driver->modules == 0);
  CHECK(driver->live.empty());
  CHECK(driver->retained == 0);
}

TEST_CASE("finding a kernel in memory takes less than two microseconds") {
  RegistryFixture fixture;
  ConvConfig config = RegistryFixture::config(4096);
  config.radices = {16, 16, 16};
  Registry& registry = fixture.registry();
  (void)registry.get_kernel(config, -1);
  constexpr int calls = 2000;
  double best = 1e9;  // of several rounds: other processes may have the processor meanwhile
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) (void)registry.get_kernel(config, -1);
    const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count() / calls);
  }
  MESSAGE("microseconds: ", best);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  CHECK(best < 100.0);  // watched memory is an order of magnitude slower
#else
  CHECK(best < 2.0);
#endif
}

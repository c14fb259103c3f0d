// prepare_filter_into: spectra in memory of the caller's, and the views that launches take.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "../../examples/machine.hpp"
#include "fake_kernel.hpp"

using namespace ffc;
using namespace ffc::fakes;

namespace {

constexpr std::size_t spectrum_size = 3 * 4 * length, workspace_size = 3 * 8 * length;

Workspace memory_at(std::uintptr_t address, std::size_t bytes) { return {const_cast<void*>(at(address)), bytes}; }
Workspace memory() { return memory_at(0x80000, spectrum_size); }
Workspace lent() { return memory_at(0x60000, workspace_size); }

std::string into_refusal(KernelFixture& f, Workspace spectrum, Workspace workspace, CUstream stream = nullptr) {
  return f.refusal([&] { (void)f.kernel->prepare_filter_into(f.filter, spectrum, workspace, stream); });
}

}  // namespace

TEST_CASE("prepare_filter_into: what it launches, and that it neither allocates nor frees") {
  KernelFixture f;
  f.driver.argument_bytes = sizeof(FilterArguments);
  const std::size_t live = f.driver.live.size();
  {
    const SpectrumView view = f.kernel->prepare_filter_into(f.filter, memory(), lent());
    CHECK(view.data() == at(0x80000));
    CHECK(view.channels() == 3);
    CHECK(view.bytes() == spectrum_size);
    CHECK(view.device() == 0);
    CHECK(view.tag() == "tag of n1024");
    CHECK(!view.owner());
  }
  REQUIRE(f.driver.launches.size() == 1);
  const auto got = argument_of<FilterArguments>(f.driver.launches[0]);
  CHECK(got.spectrum == at(0x80000));
  CHECK(got.workspace == at(0x60000));
  CHECK(got.k == f.filter.k);
  CHECK(f.driver.calls.empty());
  CHECK(f.driver.allocated.empty());
  CHECK(f.driver.live.size() == live);
}

TEST_CASE("prepare_filter_into of several steps, chunk by chunk") {
  KernelFixture f(Gating::none, 5);
  f.driver.argument_bytes = sizeof(LongFilterArguments);
  f.filter.channels = 20;
  (void)f.kernel->prepare_filter_into(f.filter, memory_at(0x80000, 20 * 4 * length),
                                      memory_at(0xA0000, 16 * 8 * length));
  REQUIRE(f.driver.launches.size() == 10);
  CHECK(argument_of<LongFilterArguments>(f.driver.launches[9]).spectrum == at(0x80000 + 16 * 4 * length));
  CHECK(f.driver.calls.empty());
}

TEST_CASE("prepare_filter_into inside a capture") {
  KernelFixture f;
  const CUstream stream = stream_at(0x9000);
  f.driver.streams[stream] = {.context = primary_context(0), .flags = CU_STREAM_NON_BLOCKING, .capturing = true};
  f.driver.blocking_capture = true;
  f.arguments.spectrum = f.kernel->prepare_filter_into(f.filter, memory(), lent(), stream);
  f.kernel->launch(f.arguments, stream);
  CHECK(f.driver.launches.size() == 2);
  f.driver.blocking_capture = false;  // the fixture's own spectrum goes
}

TEST_CASE("memory of the spectrum that is null, too small, misaligned or elsewhere") {
  KernelFixture f;
  CHECK(has(into_refusal(f, {}, lent()), "memory.data is null; it must point to the 12288 bytes of the spectrum of 3"));
  CHECK(has(into_refusal(f, {nullptr, 5}, lent()), "memory.data is null"));
  CHECK(has(into_refusal(f, memory_at(0x80000, spectrum_size - 1), lent()),
            "memory.bytes is 12287; it must be at least 12288"));
  CHECK(has(into_refusal(f, memory_at(0x80008, spectrum_size), lent()),
            "memory.data is 0x80008; its address must be a multiple of 16 bytes"));
  CHECK(has(into_refusal(f, {const_cast<float*>(f.filter.k), spectrum_size}, lent()), "memory.data is"));
  CHECK(has(into_refusal(f, memory_at(0x60010, spectrum_size), lent()), "workspace.data 0x60000: they overlap"));
  f.driver.memory[0x80000] = {.ordinal = 1};
  CHECK(has(into_refusal(f, memory(), lent()), "memory.data (0x80000) is memory of device 1"));
}

TEST_CASE("prepare_filter_into without the workspace that it needs") {
  KernelFixture f;
  CHECK(has(into_refusal(f, memory(), {}),
            "workspace.data is null; prepare_filter_into allocates nothing, and takes "
            "24576 bytes of workspace"));
  CHECK(has(into_refusal(f, memory(), memory_at(0x60000, workspace_size - 1)), "workspace.bytes is 24575"));
  f.filter.channels = 0;
  CHECK(has(into_refusal(f, memory(), lent()), "channels is 0"));
}

TEST_CASE("launches take a view, and refuse that of another kernel, device or channel count") {
  KernelFixture f;
  f.arguments.spectrum = f.kernel->view_spectrum(memory(), 3);
  f.driver.calls.clear();  // the fixture's own spectrum went
  CHECK(argument_of<ConvArguments>(f.accepted()).spectrum == at(0x80000));
  CHECK(f.driver.calls.empty());
  f.driver.launches.clear();
  CHECK(has(f.refusal([&] { (void)f.kernel->view_spectrum(memory_at(0x80000, spectrum_size - 1), 3); }),
            "memory.bytes is 12287"));
  CHECK(has(f.refusal([&] { (void)f.kernel->view_spectrum(memory(), 0); }), "channels is 0"));
  f.arguments.spectrum = f.kernel->view_spectrum(memory(), 2);
  CHECK(has(f.launch_refusal(), "the spectrum has 2 channels; the launch has 3"));
  ConvConfig other = f.config;
  other.fft_length = 2 * length;
  f.arguments.spectrum = f.registry->get_kernel(other, 0)->view_spectrum(memory_at(0x80000, 6 * 4 * length), 3);
  CHECK(has(f.launch_refusal(), "the spectrum was prepared by another kernel (tag of n2048)"));
  f.arguments.spectrum = f.registry->get_kernel(f.config, 1)->view_spectrum(memory(), 3);
  CHECK(has(f.launch_refusal(), "the spectrum is on device 1"));
}

TEST_CASE("a view of an owned spectrum keeps it") {
  KernelFixture f;
  FilterSpectrum owner = f.kernel->prepare_filter(f.filter);
  SpectrumView view = owner;
  f.driver.calls.clear();
  owner = {};
  CHECK(f.driver.calls.empty());
  view = {};
  CHECK(f.driver.calls == std::vector<std::string>{"free after the legacy stream"});
}

TEST_CASE("on the host: spectra and results of lent and owned memory are the same bits") {
  const auto machine = examples::Machine::host();
  for (const std::int64_t taps : {100, 40000}) {
    ConvConfig config;
    config.length = taps == 100 ? 512 : 40000;
    config.filter_length = taps;
    config.padding = Padding::causal;
    const auto kernel = get_kernel(config, machine->device());
    const auto bytes = kernel->spectrum_bytes(2), workspace_bytes = kernel->filter_workspace_bytes(2);
    std::mt19937 random(static_cast<unsigned>(taps));
    std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(taps)));
    std::vector<float> taps_of_both(static_cast<std::size_t>(2 * taps));
    for (float& tap : taps_of_both) tap = normal(random);
    const auto k = examples::Buffer::of(machine, taps_of_both);
    examples::Buffer spectrum(machine, bytes), workspace(machine, workspace_bytes + 16);
    spectrum.poison();
    const FilterView filter{k.at<float>(0), nullptr, taps, 2};
    const FilterSpectrum owned = kernel->prepare_filter(filter);
    const SpectrumView view =
        kernel->prepare_filter_into(filter, {spectrum.data(), bytes}, {workspace.data(), workspace_bytes});
    CHECK(std::memcmp(owned.data(), view.data(), bytes) == 0);

    std::vector<std::uint16_t> rows(static_cast<std::size_t>(2 * config.length), 0x3400);
    const auto u = examples::Buffer::of(machine, rows);
    examples::Buffer first(machine, rows.size() * 2), second(machine, rows.size() * 2);
    LaunchArguments arguments;
    arguments.u = {u.data(), 2 * config.length, config.length};
    arguments.batch = 1;
    arguments.channels = 2;
    for (const auto& [spectrum_of, y] : {std::pair{SpectrumView(owned), &first}, std::pair{view, &second}}) {
      y->poison();
      arguments.spectrum = spectrum_of;
      arguments.y = {y->data(), 2 * config.length, config.length};
      kernel->launch(arguments);
    }
    CHECK(first.download<std::uint16_t>(0, rows.size()) == second.download<std::uint16_t>(0, rows.size()));
  }
}

TEST_CASE("on the host: memory that does not hold the spectrum is refused") {
  const auto machine = examples::Machine::host();
  ConvConfig config;
  config.fft_length = 256;
  const auto kernel = get_kernel(config, machine->device());
  const auto k = examples::Buffer::of(machine, std::vector<float>(256, 0.01f));
  examples::Buffer spectrum(machine, kernel->spectrum_bytes(1)), workspace(machine, kernel->filter_workspace_bytes(1));
  const auto refusal = [&](Workspace memory, CUstream stream) -> std::string {
    try {
      (void)kernel->prepare_filter_into({k.at<float>(0), nullptr, 256, 1}, memory,
                                        {workspace.data(), kernel->filter_workspace_bytes(1)}, stream);
    } catch (const LaunchError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(has(refusal({spectrum.data(), kernel->spectrum_bytes(1) - 1}, nullptr), "memory.bytes is"));
  CHECK(has(refusal({}, nullptr), "memory.data is null"));
  CHECK(has(refusal({spectrum.data(), kernel->spectrum_bytes(1)}, stream_at(0x9000)), "the stream must be null"));
}

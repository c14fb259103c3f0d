// Faults put into the text of transforms between taps and spectra: each shows in the results.
#include <string_view>

#include "host_compiler.hpp"
#include "host_real_transform.hpp"
#include "host_run.hpp"
#include "real_transform_run.hpp"

using namespace ffc;
using namespace ffc::real_transform_tests;

namespace {

struct Fault {
  const char* what;
  std::int64_t length;
  Pass pass;
  std::string_view from, to;
};

GeneratedRealTransform example(std::int64_t length, Pass pass) {
  return generate_real_transform({.length = length, .taps = length - 3, .pass = pass, .arch = "sm_90a"});
}

// Infinite where the host device refuses the run.
double error_of(const GeneratedRealTransform& generated) {
  static host::HostCompiler compiler(cache::options_from_environment({}));
  const host::HostRealTransform transform(generated, compiler.compile(generated.kernel, generated.config.arch));
  try {
    return real_transform_tests::error_of(conv_tests::machine(), transform, {.channels = 3, .gap = 1});
  } catch (const HostError&) {
    return HUGE_VAL;
  }
}

constexpr std::int64_t block = 96, odd_block = 99, split = 40000, chirp = 262;
constexpr Pass forward = Pass::forward, backward = Pass::backward;

constexpr Fault faults[] = {
    {"imaginary parts of frequency 0 and N / 2 that count", block, forward, "f == 0 || 2 * f == length ? 0.0f : x.y",
     "x.y"},
    {"frequencies that do not meet their mirrors", block, forward, "frequency_at(row, points - f)",
     "frequency_at(row, f)"},
    {"odd samples of the wrong sign", block, forward, "2 * m + 1, -value.y", "2 * m + 1, value.y"},
    {"taps behind those that are wanted", block, forward, "taps == length || n < taps) store", "true) store"},
    {"mirrors as they are", odd_block, forward, "scale * (stored ? -x.y : x.y)", "scale * x.y"},
    {"gradients of a mirror that is there twice", block, backward, "own_mirror ? once : twice", "twice"},
    {"taps that are not there", block, backward, "taps == length || n < taps ? load_constant(row + n) : 0.0f",
     "load_constant(row + min(n, taps - 1))"},
    {"half of the frequencies untangled", block, backward, "2 * f <= points", "4 * f <= points"},
    {"mirrors of odd rows stored", odd_block, backward, "if (f < stored_frequencies) put", "put"},
    {"rows a frequency off", split, forward, "RowFrequencies frequencies = {first, 1}",
     "RowFrequencies frequencies = {first + 1, 1}"},
    {"rows that lie apart", split, forward, "row + number % rows_at_once + column_points", "row + column_points"},
    {"no untangling", split, backward, "arguments.step == 2", "false"},
    {"a chirp at one side alone", chirp, forward, "min(n, all_points - n)", "n"},
    {"results without a chirp", chirp, forward, "multiply(conjugate(value), chirp(n))", "conjugate(value)"},
    {"results that are no conjugates", chirp, backward, "multiply(conjugate(value), chirp(n))",
     "multiply(value, chirp(n))"},
    {"rows that are not convolved", chirp, backward, "multiply(array.load(i), load_global(chirp_rows.place(i)))",
     "array.load(i)"},
};

}  // namespace

TEST_CASE("transforms as they are emitted pass") {
  for (const std::int64_t length : {block, odd_block, split, chirp})
    for (const Pass pass : {forward, backward}) CHECK(error_of(example(length, pass)) <= bar);
}

TEST_CASE("every fault shows") {
  for (const Fault& fault : faults) {
    CAPTURE(std::string(fault.what));
    GeneratedRealTransform generated = example(fault.length, fault.pass);
    std::string& source = generated.kernel.source;
    const std::size_t at = source.find(fault.from);
    REQUIRE(at != std::string::npos);
    REQUIRE(source.find(fault.from, at + 1) == std::string::npos);
    source.replace(at, fault.from.size(), fault.to);
    CHECK(error_of(generated) > 1.0e-2);
  }
}

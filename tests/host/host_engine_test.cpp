// The host's engine on small programs: what it computes, what it counts, and what it refuses to run.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "block.hpp"
#include "ffc/ffc.hpp"
#include "has.hpp"
#include "host_compiler.hpp"

using namespace ffc;

namespace {

struct Arguments {
  unsigned* data;
  int mode;
};

host::HostCompiler& compiler() {
  static host::HostCompiler one(cache::options_from_environment({}));
  return one;
}

constexpr int words = 256;

// A program of one entry: the body sees `data`, `mode` and `thread`, and 1 KiB of shared memory at `shared`.
GeneratedKernel kernel_of(const std::string& body, int threads = 64) {
  GeneratedKernel kernel;
  kernel.name = "engine_test";
  kernel.source =
      "struct Arguments { unsigned* data; int mode; };\n"
      "struct Accumulator32 { float value[4] = {0, 0, 0, 0}; };\n"
      "extern \"C\" __global__ void engine_test(const Arguments arguments) {\n"
      "  unsigned* const data = arguments.data; const int mode = arguments.mode; const int thread = threadIdx.x;\n"
      "  const SharedAddress shared = dynamic_shared();\n" +
      body + "\n  (void)data, (void)mode, (void)thread, (void)shared;\n}\n";
  kernel.threads = threads;
  kernel.shared_bytes = 1024;
  return kernel;
}
constexpr int first_line = 6;  // of the body

struct Outcome {
  std::vector<unsigned> data;
  HostCounts counts;
};

Outcome run(const GeneratedKernel& kernel, int mode = 0, std::uint64_t seed = 1, bool writable = true) {
  const auto program = compiler().compile(kernel, "sm_90a");
  Outcome outcome;
  outcome.data.resize(words);
  std::iota(outcome.data.begin(), outcome.data.end(), 0u);
  const Arguments arguments{outcome.data.data(), mode};
  host::Launch launch;
  launch.entry = program->entry();
  launch.kernel = &kernel;
  launch.arguments = &arguments;
  launch.seed = seed;
  launch.ranges = {{"data", outcome.data.data(), 4 * words, writable}};
  outcome.counts = run_blocks(launch, 1).finish(kernel);
  return outcome;
}

// What the program is refused for, which must name kernel, block, thread and line.
std::string refusal(const std::string& body, int thread, int line = first_line, int mode = 0, bool writable = true) {
  const GeneratedKernel kernel = kernel_of(body);
  try {
    (void)run(kernel, mode, 1, writable);
  } catch (const HostError& error) {
    const std::string text = error.what();
    const std::string place =
        "engine_test, block (0, 0), thread " + std::to_string(thread) + ", line " + std::to_string(line) + ": ";
    CHECK(text.substr(0, place.size()) == place);
    return text.substr(std::min(place.size(), text.size()));
  }
  return "nothing";
}

}  // namespace

TEST_CASE("threads see who they are, and write where they may") {
  const Outcome outcome = run(kernel_of("  store_global(data + thread, 1000u + thread + blockDim.x);"));
  for (unsigned i = 0; i < 64; ++i) CHECK(outcome.data[i] == 1064 + i);
  CHECK(outcome.data[64] == 64);
  CHECK(outcome.counts.bytes_written == 256);
}

TEST_CASE("a barrier lets every warp see what all have written, whatever the order") {
  const GeneratedKernel kernel = kernel_of(
      "  store_shared4(shared + 4 * thread, load_global(data + thread));\n"
      "  block_barrier();\n"
      "  store_global(data + thread, load_shared4(shared + 4 * (63 - thread)));");
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Outcome outcome = run(kernel, 0, seed);
    for (unsigned i = 0; i < 64; ++i) CHECK(outcome.data[i] == 63 - i);
    CHECK(outcome.counts.block_barriers == 2);
  }
}

TEST_CASE("without the barrier some order of the warps shows poison") {
  const GeneratedKernel kernel = kernel_of(
      "  store_shared4(shared + 4 * thread, load_global(data + thread));\n"
      "  store_global(data + thread, load_shared4(shared + 4 * (63 - thread)));");
  int poisoned = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const Outcome outcome = run(kernel, 0, seed);
    for (unsigned i = 0; i < 64; ++i) poisoned += outcome.data[i] == 0xffffffffu ? 1 : 0;
  }
  CHECK(poisoned > 0);
}

TEST_CASE("a copy lands when its group is waited for, and not before") {
  const auto body = [](const char* wait) {
    return "  copy_async<4>(shared + 4 * thread, data + thread, 4);\n  commit_copies();\n"
           "  copy_async<4>(shared + 512 + 4 * thread, data + 64 + thread, 0);\n  commit_copies();\n  " +
           std::string(wait) +
           "\n  store_global(data + 128 + thread, load_shared4(shared + 4 * thread));\n"
           "  store_global(data + 192 + thread, load_shared4(shared + 512 + 4 * thread));";
  };
  const Outcome all = run(kernel_of(body("wait_copies<0>();"))), one = run(kernel_of(body("wait_copies<1>();")));
  const Outcome none = run(kernel_of(body("wait_copies<2>();")));
  CHECK(all.data[128 + 5] == 5);
  CHECK(all.data[192 + 5] == 0);
  CHECK(one.data[128 + 5] == 5);
  CHECK(one.data[192 + 5] == 0xffffffffu);
  CHECK(none.data[128 + 5] == 0xffffffffu);
  CHECK(all.counts.bytes_read == 256);
}

TEST_CASE("a matrix product is that of the register layouts") {
  // a[row][k] = row + 1 where k == row, b[k][column] = k + 16 column; so d[row][column] = (row + 1) b[row][column].
  const Outcome outcome =
      run(kernel_of("  const int row = thread / 4, pair = 2 * (thread % 4);\n"
                    "  const auto a = [](int r, int k) { return pack(k == r ? r + 1 : 0, k + 1 == r ? r + 1 : 0); };\n"
                    "  const auto b = [](int k, int c) { return pack(k + 16 * c, k + 1 + 16 * c); };\n"
                    "  Accumulator32 d;\n"
                    "  mma(d, a(row, pair), a(row + 8, pair), a(row, pair + 8), a(row + 8, pair + 8), b(pair, row), "
                    "b(pair + 8, row));\n"
                    "  for (int i = 0; i < 4; ++i) store_global(data + 8 * (row + 8 * (i / 2)) + pair + i % 2, "
                    "static_cast<unsigned>(d.value[i]));",
                    32));
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column)
      CHECK(outcome.data[8 * row + column] == (row + 1) * (row + 16 * column));
  CHECK(outcome.counts.matrix_products == 1);
}

TEST_CASE("blocks, shuffles and transpositions go where the layouts say") {
  const Outcome outcome = run(kernel_of(
      "  for (int i = thread; i < 128; i += 32) store_shared4(shared + 4 * i, load_global(data + i));\n  "
      "warp_barrier();\n"
      "  Packed b[4];\n  load_blocks_transposed(shared + 16 * thread, b[0], b[1], b[2], b[3]);\n"
      "  store_blocks_transposed(shared + 512 + 16 * thread, b[0], b[1], b[2], b[3]);\n  warp_barrier();\n"
      "  for (int i = thread; i < 128; i += 32) store_global(data + 128 + i, load_shared4(shared + 512 + 4 * i));\n"
      "  store_global(data + thread, shuffle(thread, 31 - thread));\n"
      "  store_global(data + 32 + thread, transpose_block(transpose_block(thread)));\n"
      "  store_global(data + 64 + thread, b[1]);",
      32));
  for (unsigned i = 0; i < 128; ++i) CHECK(outcome.data[128 + i] == i);
  for (unsigned i = 0; i < 32; ++i) CHECK(outcome.data[i] == 31 - i);
  for (unsigned i = 0; i < 32; ++i) CHECK(outcome.data[32 + i] == i);
  // Lane 0 holds rows 0 and 1 of column 0 of block 1: halves 0 of its words 32 and 36.
  CHECK(outcome.data[64] == (32 | 36u << 16));
}

TEST_CASE("blocks that are not transposed keep rows and columns") {
  const Outcome outcome =
      run(kernel_of("  for (int i = thread; i < 128; i += 32) store_shared4(shared + 4 * i, load_global(data + i));\n  "
                    "warp_barrier();\n  Packed b[4];\n"
                    "  load_blocks(shared + 16 * thread, b[0], b[1], b[2], b[3]);\n"
                    "  for (int i = 0; i < 4; ++i) store_global(data + 32 * i + thread, b[i]);",
                    32));
  // A lane's word of a block is that at its row and pair of columns: the words in order.
  for (unsigned i = 0; i < 128; ++i) CHECK(outcome.data[i] == i);
}

TEST_CASE("wavefronts and bank conflicts are those of 32 banks") {
  const auto conflicts = [](const char* body) { return run(kernel_of(body, 32)).counts; };
  CHECK(conflicts("  store_shared4(shared + 4 * thread, 0);").wavefronts == 1);
  CHECK(conflicts("  store_shared4(shared + 8 * thread, 0);").conflicts == 1);
  CHECK(conflicts("  store_shared4(shared + 128 * (thread % 8), 0);").conflicts == 7);
  CHECK(conflicts("  (void)load_shared4(shared);").conflicts == 0);
  CHECK(conflicts("  (void)load_shared(shared + 16 * thread);").wavefronts == 4);
  CHECK(conflicts("  (void)load_shared8(shared + 16 * thread);").conflicts == 2);
  CHECK(conflicts("  store_shared(shared + 128 * (thread % 8), {});").conflicts == 28);
}

TEST_CASE("accesses out of range and misaligned are refused") {
  CHECK(has(refusal("  store_shared4(shared + 4 * (thread + 200), 0);", 56), "at offset 1024 of shared memory"));
  CHECK(has(refusal("  (void)load_shared(shared + 16 * thread - 16);", 0), "at offset -16 of shared memory"));
  CHECK(has(refusal("  (void)load_shared(shared + 8 * thread);", 1), "which is no multiple of 16"));
  CHECK(has(refusal("\n  (void)load_global(data + 193 + thread);", 63, first_line + 1), "lie in none of its ranges"));
  CHECK(has(
      refusal("  (void)load_global(reinterpret_cast<const unsigned*>(2 + reinterpret_cast<const char*>(data)));", 0),
      "which is no multiple of 4"));
  CHECK(has(refusal("  store_global(data + thread, 0u);", 0, first_line, 0, false), "which is only read"));
  CHECK(has(refusal("  copy_async<16>(shared, data + 1, 16);", 0), "which is no multiple of 16"));
  CHECK(has(refusal("  copy_async<16>(shared, data + 252, 17);", 0), "17 of the 16 bytes"));
  CHECK(has(refusal("  Packed b;\n  load_blocks_transposed(shared + 16 * thread + 8 * (thread == 9), b, b, b, b);", 9,
                    first_line + 1),
            "which is no multiple of 16"));
}

TEST_CASE("lanes that part before a warp's operation are refused") {
  CHECK(has(refusal("  if (thread % 32 < 7) warp_barrier();", 7), "thread 7 has ended"));
  CHECK(has(refusal("  if (thread > 3) warp_barrier();\n  else (void)shuffle(0, 0);", 4, first_line + 1),
            "thread 0 waits at a shuffle in line 7, thread 4 waits at a barrier of the warp in line 6"));
}

TEST_CASE("barriers that nobody completes are refused") {
  CHECK(has(refusal("  if (thread < 32) block_barrier();", 0),
            "warp 0 waits at barrier 0 of 64 threads in line 6, warp 1 has ended"));
  CHECK(has(refusal("  named_barrier<96>(1);", 0), "barrier 1 of 96 threads; its number must lie in [0, 15]"));
}

TEST_CASE("a primitive without a twin does not compile, and the error holds the compiler's words") {
  try {
    (void)compiler().compile(kernel_of("  bulk_copy(shared, data);"), "sm_90a");
    FAIL("it compiled");
  } catch (const CompileError& error) {
    CHECK(has(error.what(), "did not compile kernel engine_test for the host (exit status 1)"));
    CHECK(has(error.log(), "bulk_copy"));
    CHECK(has(error.log(), "engine_test.cu:6"));
    CHECK(!error.source_path().empty());
  }
}

namespace {

// A variable of the environment while the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("no compiler is one clear error") {
  const Variable named("CXX", "no-such-compiler -O0");
  CHECK_THROWS_WITH_AS((void)host::find_compiler(),
                       doctest::Contains("no C++ compiler: 'no-such-compiler -O0 --version' failed"), CompileError);
}

TEST_CASE("a temporary folder that is not there is an error of the library's own") {
  const Variable folder("TMPDIR", "/nonexistent/folder");
  CHECK_THROWS_WITH_AS((void)compiler().compile(kernel_of("  block_barrier();"), "sm_90a"),
                       doctest::Contains("no temporary folder: '/nonexistent/folder'"), CompileError);
}

TEST_CASE("what the compiler says arrives even where its temporary folder takes nothing more") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("ffc-engine-test-{}", getpid());
  fs::create_directories(folder);
  const fs::path script = folder / "full-disk";
  std::ofstream(script) << "#!/bin/sh\ncase \"$*\" in *--version*) echo full disk 1.0; exit;; esac\n"
                           "rm -rf \"$TMPDIR\"/ffc-host-*\n"
                           "echo 'cannot write: No space left on device' >&2\nexit 1\n";
  fs::permissions(script, fs::perms::owner_all);
  {
    const Variable temporary("TMPDIR", folder.string()), named("CXX", script.string());
    host::HostCompiler own(cache::Options{.root = {}, .disabled = true, .warn = {}});
    CHECK_THROWS_WITH_AS((void)own.compile(kernel_of("  block_barrier();"), "sm_90a"),
                         doctest::Contains("No space left on device"), CompileError);
  }
  fs::remove_all(folder);
}

TEST_CASE("memory that the host does not have is an error of the library's own") {
  ConvConfig config;
  config.fft_length = 256;
  const auto kernel = get_kernel(config, Device::host());
  const std::vector<float> k(256, 1.0f);
  CHECK_THROWS_WITH_AS((void)kernel->prepare_filter({k.data(), nullptr, 256, std::numeric_limits<int>::max()}),
                       doctest::Contains("more than this machine has"), HostError);
}

TEST_CASE("FFC_DEVICE names the host, and what it cannot name is refused") {
  ConvConfig config;
  config.fft_length = 256;
  setenv("FFC_DEVICE", "host", 1);
  CHECK(get_kernel(config)->device() == Device::host().ordinal());
  setenv("FFC_DEVICE", "fpga", 1);
  CHECK_THROWS_WITH_AS((void)get_kernel(config),
                       "FFC_DEVICE is 'fpga'; it must be 'host' or the ordinal of a GPU, from 0", DriverError);
  unsetenv("FFC_DEVICE");
  // Named in the call, the host needs no variable.
  CHECK(get_kernel(config, Device::host()) == get_kernel(config, Device::host()));
}

TEST_CASE("what is for streams or for other devices is refused on the host") {
  ConvConfig config;
  config.fft_length = 256;
  const auto kernel = get_kernel(config, Device::host());
  const std::vector<float> k(256, 1.0f);
  auto* const stream = reinterpret_cast<CUstream>(std::uintptr_t{16});
  CHECK_THROWS_WITH_AS((void)kernel->prepare_filter({k.data(), nullptr, 256, 1}, stream),
                       doctest::Contains("the stream must be null"), LaunchError);
  CHECK_THROWS_AS(kernel->launch({}), LaunchError);
}

// Source to cubin with the real NVRTC, no GPU: every architecture, the cache, refused programs, and the key.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "cache_support.hpp"
#include "compiler.hpp"
#include "fake_nvrtc.hpp"
#include "ffc/generator/arch.hpp"
#include "has.hpp"

using namespace ffc;

namespace {

namespace fs = std::filesystem;

/// A compiler with a cache of its own in a folder that vanishes.
class CompilerFixture {
 public:
  explicit CompilerFixture(std::function<NvrtcApi()> open = [] { return load_nvrtc(nvrtc_candidates()); })
      : open_(std::move(open)) {}

  /// A compiler as a new process would have it, on the same cache.
  [[nodiscard]] std::unique_ptr<Compiler> compiler() const { return std::make_unique<Compiler>(open_, options()); }
  [[nodiscard]] std::size_t entries() const { return cache::Store(options()).list().size(); }

 private:
  [[nodiscard]] cache::Options options() const { return {.root = scratch_.path() / "cache", .warn = {}}; }

  std::function<NvrtcApi()> open_;
  cache::test::Scratch scratch_;
};

GeneratedKernel small_kernel(const std::string& factor = "2") {
  GeneratedKernel kernel;
  kernel.name = "scale_by_" + factor;
  kernel.source = "extern \"C\" __global__ void " + kernel.name +
                  "(float* x) {\n  extern __shared__ float s[];\n  s[threadIdx.x] = x[threadIdx.x];\n"
                  "  __syncthreads();\n  x[threadIdx.x] = " +
                  factor + ".0f * s[threadIdx.x ^ 1];\n}\n";
  return kernel;
}

/// The CompileError of that call; a failure where there is none.
CompileError error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CompileError& error) {
    return error;
  }
  FAIL("no CompileError");
  return CompileError("");
}

}  // namespace

TEST_CASE("where nothing may be compiled, what is cached serves and the rest is refused by name") {
  const cache::test::Scratch scratch;
  cache::Options options{.root = scratch.path() / "cache", .warn = {}};
  const auto open = [] { return load_nvrtc(nvrtc_candidates()); };
  (void)Compiler(open, options).compile(small_kernel("2"), "sm_90a");
  options.may_compile = false;
  Compiler compiler(open, options);
  CHECK(compiler.compile(small_kernel("2"), "sm_90a").origin == Origin::disk);
  const CompileError error = error_of([&] { (void)compiler.compile(small_kernel("3"), "sm_90a"); });
  CHECK(has(error.what(), "kernel scale_by_3 for sm_90a is in no cache, and FFC_JIT forbids to compile it"));
}

TEST_CASE("NVRTC compiles for every architecture, and the log has registers and spills") {
  const CompilerFixture fixture;
  const auto compiler = fixture.compiler();
  std::set<std::string> cubins;
  for (const Arch& arch : architectures()) {
    CAPTURE(arch.name);
    const CompiledProgram program = compiler->compile(small_kernel(), arch.name);
    CHECK(program.name == "scale_by_2");
    CHECK(program.origin == Origin::compiled);
    CHECK(program.cubin.substr(0, 4) ==
          "\x7f"
          "ELF");
    CHECK(has(program.cubin, "scale_by_2"));
    CHECK(has(program.log, "registers"));
    CHECK(has(program.log, "0 bytes spill stores"));
    CHECK(program.seconds > 0);
    CHECK(fs::is_directory(program.cache_path));
    cubins.insert(program.cubin);
  }
  CHECK(cubins.size() == architectures().size());
  CHECK(fixture.entries() == architectures().size());
}

TEST_CASE("what one process compiled, the next one finds on disk, and it is the same") {
  const CompilerFixture fixture;
  const CompiledProgram first = fixture.compiler()->compile(small_kernel(), "sm_90a");
  const CompiledProgram second = fixture.compiler()->compile(small_kernel(), "sm_90a");
  CHECK(first.origin == Origin::compiled);
  CHECK(second.origin == Origin::disk);
  CHECK(second.cubin == first.cubin);
  CHECK(second.log == first.log);
  CHECK(second.cache_path == first.cache_path);
}

TEST_CASE("without a cache every call compiles") {
  Compiler compiler([] { return load_nvrtc(nvrtc_candidates()); }, {.root = {}, .disabled = true, .warn = {}});
  for (int i = 0; i < 2; ++i) {
    const CompiledProgram program = compiler.compile(small_kernel(), "sm_80");
    CHECK(program.origin == Origin::compiled);
    CHECK(program.cache_path.empty());
    CHECK(!program.cubin.empty());
  }
}

TEST_CASE("threads compile different programs with the real NVRTC at once") {
  const CompilerFixture fixture;
  const auto compiler = fixture.compiler();
  std::vector<std::string> cubins(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cubins.size(); ++i)
    threads.emplace_back([&, i] { cubins[i] = compiler->compile(small_kernel(std::to_string(i)), "sm_90a").cubin; });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < cubins.size(); ++i) CHECK(has(cubins[i], "scale_by_" + std::to_string(i)));
}

TEST_CASE("eight threads that ask for one program compile it once") {
  fakes::FakeNvrtc nvrtc;
  nvrtc.time_to_compile = std::chrono::milliseconds(50);
  fakes::current_nvrtc() = &nvrtc;
  const CompilerFixture fixture([] { return fakes::fake_nvrtc_api(); });
  const auto compiler = fixture.compiler();
  std::atomic<int> compiled = 0;
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { compiled += compiler->compile(small_kernel(), "sm_90a").origin == Origin::compiled; });
  for (std::thread& thread : threads) thread.join();
  CHECK(compiled == 1);
  CHECK(nvrtc.compiles == 1);
}

TEST_CASE("a program that NVRTC refuses: log, options and the source are at hand, and nothing is stored") {
  const CompilerFixture fixture;
  const auto compiler = fixture.compiler();
  GeneratedKernel kernel = small_kernel();
  kernel.source += "this is no C++\n";
  kernel.options = {"--use_fast_math"};
  for (int attempt = 0; attempt < 2; ++attempt) {  // the failure is not remembered either
    const CompileError error = error_of([&] { (void)compiler->compile(kernel, "sm_90a"); });
    CHECK(has(error.what(), "scale_by_2"));
    CHECK(has(error.what(), error.source_path()));
    CHECK(has(error.log(), "error"));
    CHECK(has(error.options(), "--gpu-architecture=sm_90a"));
    CHECK(has(error.options(), "--use_fast_math"));
    REQUIRE(fs::is_regular_file(error.source_path()));
    std::ifstream file(error.source_path());
    CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == kernel.source);
    fs::remove(error.source_path());
    CHECK(fixture.entries() == 0);
  }
  CHECK(compiler->compile(small_kernel(), "sm_90a").origin == Origin::compiled);
}

TEST_CASE("an option that NVRTC does not know is refused") {
  const CompilerFixture fixture;
  GeneratedKernel kernel = small_kernel();
  kernel.options = {"--no-such-option"};
  const CompileError error = error_of([&] { (void)fixture.compiler()->compile(kernel, "sm_90a"); });
  CHECK(has(error.what(), "--no-such-option"));
  fs::remove(error.source_path());
  CHECK(fixture.entries() == 0);
}

TEST_CASE("an architecture that this NVRTC does not know is refused by those that it knows") {
  const CompilerFixture fixture;
  const CompileError error = error_of([&] { (void)fixture.compiler()->compile(small_kernel(), "sm_35"); });
  CHECK(has(error.what(), "sm_35"));
  CHECK(has(error.what(), "sm_90"));
  CHECK(fixture.entries() == 0);
}

TEST_CASE("an architecture that is no name of one is refused") {
  const CompilerFixture fixture;
  for (const char* arch : {"", "sm_", "sm_90x", "compute_90", "../sm_90", "sm_-9", "sm_90a "}) {
    CAPTURE(arch);
    const CompileError error = error_of([&] { (void)fixture.compiler()->compile(small_kernel(), arch); });
    CHECK(has(error.what(), "sm_90a"));  // as the example of the right form
  }
  CHECK(parse_arch("sm_90a").number == 90);
  CHECK(parse_arch("sm_90a").suffix == "a");
  CHECK(parse_arch("sm_120").number == 120);
}

TEST_CASE("everything that decides the bytes changes the key, and nothing else does") {
  GeneratedKernel kernel = small_kernel();
  kernel.options = {"--use_fast_math", "-DX=1"};
  std::set<std::string> texts;
  const auto key = [](const GeneratedKernel& of, std::string_view arch = "sm_90a", int major = 13, int minor = 0) {
    return compile_key(of, arch, major, minor).text;
  };
  const std::string original = key(kernel);
  texts.insert(original);
  const auto must_differ = [&](const std::string& text) { CHECK(texts.insert(text).second); };

  must_differ(key(kernel, "sm_90"));  // the suffix alone
  must_differ(key(kernel, "sm_80"));
  must_differ(key(kernel, "sm_90a", 12));
  must_differ(key(kernel, "sm_90a", 13, 1));
  GeneratedKernel changed = kernel;
  changed.source.back() = ' ';
  must_differ(key(changed));
  changed = kernel;
  changed.source += '\n';
  must_differ(key(changed));
  changed = kernel;
  changed.name += '_';
  must_differ(key(changed));
  for (std::size_t i = 0; i < kernel.options.size(); ++i) {
    changed = kernel;
    changed.options[i] += '0';
    must_differ(key(changed));
    changed = kernel;
    changed.options.erase(changed.options.begin() + static_cast<std::ptrdiff_t>(i));
    must_differ(key(changed));
  }
  changed = kernel;
  changed.options = {"-DX=1", "--use_fast_math"};  // a later option wins over an earlier one
  must_differ(key(changed));
  changed.options = {"--use_fast_math\noption[5]=-DX=1"};
  must_differ(key(changed));
  CHECK(has(original, cache::format_version));

  changed = kernel;  // what only the launch needs
  changed.threads = 64;
  changed.shared_bytes = 1000;
  changed.tables = {1};
  CHECK(key(changed) == original);
}

TEST_CASE("a kernel's own language standard is not overruled") {
  GeneratedKernel kernel = small_kernel();
  const auto count = [&] {
    int standards = 0;
    for (const std::string& option : compile_options(kernel, "sm_80")) standards += has(option, "-std=");
    return standards;
  };
  CHECK(count() == 1);
  kernel.options = {"--std=c++20"};
  CHECK(count() == 1);
}

// Runs NVRTC, names what it is asked for in the cache, and reports what it refuses.
#include "compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "ffc/cache/sha256.hpp"

namespace ffc {
namespace {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void check(const NvrtcApi& api, nvrtcResult result, const char* call) {
  if (result == NVRTC_SUCCESS) return;
  throw CompileError(fmt::format("{} of NVRTC {}.{} ({}) failed: {}", call, api.major, api.minor, api.path,
                                 api.get_error_string(result)));
}

/// One NVRTC program, destroyed with the object.
class Program {
 public:
  Program(const NvrtcApi& api, const GeneratedKernel& kernel) : api_(api) {
    const std::string file_name = kernel.name + ".cu";
    check(api_, api_.create_program(&program_, kernel.source.c_str(), file_name.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram");
  }
  // Only an invalid handle makes this fail, and the constructor would have thrown.
  ~Program() { (void)api_.destroy_program(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return api_.compile_program(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    check(api_, api_.get_log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(api_, api_.get_log(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  [[nodiscard]] std::string cubin() const {
    std::size_t size = 0;
    check(api_, api_.get_cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::string bytes(size, '\0');
    if (size != 0) check(api_, api_.get_cubin(program_, bytes.data()), "nvrtcGetCUBIN");
    return bytes;
  }

 private:
  const NvrtcApi& api_;
  nvrtcProgram program_ = nullptr;
};

/// Writes the source to a new temporary file, which stays. Empty where that fails.
std::string keep_source(const GeneratedKernel& kernel) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return {};
  std::string path = (folder / fmt::format("ffc-{}-XXXXXX.cu", kernel.name)).string();
  const int file = mkstemps(path.data(), 3);
  if (file < 0) return {};
  std::string_view rest = kernel.source;
  while (!rest.empty()) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool closed = close(file) == 0;
  if (rest.empty() && closed) return path;
  (void)unlink(path.c_str());
  return {};
}

[[noreturn]] void throw_refused(const NvrtcApi& api, const GeneratedKernel& kernel, nvrtcResult result,
                                const std::vector<std::string>& options, const std::string& log) {
  const std::string path = keep_source(kernel);
  const std::string joined = fmt::format("{}", fmt::join(options, " "));
  throw CompileError(fmt::format("NVRTC {}.{} did not compile kernel {} ({})\noptions: {}\nsource: {}\n{}", api.major,
                                 api.minor, kernel.name, api.get_error_string(result), joined,
                                 path.empty() ? "could not be written to the temporary folder" : path, log),
                     log, joined, path);
}

void check_arch(const NvrtcApi& api, std::string_view arch) {
  const ArchName wanted = parse_arch(arch);
  int count = 0;
  check(api, api.get_num_supported_archs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(std::max(count, 0)));
  if (!known.empty()) check(api, api.get_supported_archs(known.data()), "nvrtcGetSupportedArchs");
  if (std::find(known.begin(), known.end(), wanted.number) != known.end()) return;
  throw CompileError(fmt::format("NVRTC {}.{} ({}) cannot compile for {}; it knows sm_{}", api.major, api.minor,
                                 api.path, arch, fmt::join(known, ", sm_")));
}

}  // namespace

void throw_forbidden(const GeneratedKernel& kernel, std::string_view arch) {
  throw CompileError(fmt::format(
      "kernel {} for {} is in no cache, and FFC_JIT forbids to compile it; run once with FFC_JIT=1, or name "
      "a cache that has it in FFC_CACHE_DIR or FFC_CACHE_PATH",
      kernel.name, arch));
}

ArchName parse_arch(std::string_view arch) {
  constexpr std::string_view prefix = "sm_";
  ArchName name;
  if (arch.starts_with(prefix)) {
    const std::string_view rest = arch.substr(prefix.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), name.number);
    name.suffix = rest.substr(static_cast<std::size_t>(end - rest.data()));
    const bool suffix_fits = name.suffix.empty() || name.suffix == "a" || name.suffix == "f";
    if (error == std::errc() && name.number >= 10 && suffix_fits) return name;
  }
  throw CompileError(fmt::format("arch '{}' is no GPU architecture; it must look like sm_80 or sm_90a", arch));
}

std::vector<std::string> compile_options(const GeneratedKernel& kernel, std::string_view arch) {
  std::vector<std::string> options = {fmt::format("--gpu-architecture={}", arch)};
  const bool names_standard = std::any_of(kernel.options.begin(), kernel.options.end(), [](const std::string& option) {
    return option.starts_with("-std=") || option.starts_with("--std=");
  });
  if (!names_standard) options.emplace_back("-std=c++17");
  options.emplace_back("--ptxas-options=-v");  // registers and spills in the log
  options.insert(options.end(), kernel.options.begin(), kernel.options.end());
  return options;
}

cache::Key compile_key(const GeneratedKernel& kernel, std::string_view arch, int nvrtc_major, int nvrtc_minor) {
  cache::Key key;
  key.partition = arch;
  key.name = kernel.name.substr(0, cache::max_name_length);
  // The lengths keep two different lists of strings from giving the same text.
  key.text = fmt::format("format={}\nnvrtc={}.{}\narch={}\nentry[{}]={}\n", cache::format_version, nvrtc_major,
                         nvrtc_minor, arch, kernel.name.size(), kernel.name);
  for (const std::string& option : compile_options(kernel, arch)) {
    key.text += fmt::format("option[{}]={}\n", option.size(), option);
  }
  key.text += fmt::format("source[{}]=sha256:{}\n", kernel.source.size(), cache::sha256_hex(kernel.source));
  return key;
}

const NvrtcApi& Compiler::nvrtc() {
  const std::lock_guard lock(nvrtc_mutex_);
  if (!nvrtc_) nvrtc_ = open_nvrtc_();
  return *nvrtc_;
}

CompiledProgram Compiler::compile(const GeneratedKernel& kernel, std::string_view arch) {
  (void)parse_arch(arch);  // before the arch names a folder
  const NvrtcApi& api = nvrtc();
  const cache::Key key = compile_key(kernel, arch, api.major, api.minor);
  auto [program, made_here] = flights_.run(key.text, [&] { return load_or_compile(kernel, arch, key); });
  if (!made_here) program.origin = Origin::memory;
  return std::move(program);
}

CompiledProgram Compiler::load_or_compile(const GeneratedKernel& kernel, std::string_view arch, const cache::Key& key) {
  const Stopwatch stopwatch;
  CompiledProgram result;
  result.name = kernel.name;
  if (std::optional<cache::Loaded> loaded = store_.load(key)) {
    result.cubin = std::move(loaded->binary);
    result.log = std::move(loaded->log);
    result.cache_path = loaded->folder.string();
    result.origin = Origin::disk;
    result.seconds = stopwatch.seconds();
    return result;
  }

  if (!store_.options().may_compile) throw_forbidden(kernel, arch);
  const NvrtcApi& api = nvrtc();
  check_arch(api, arch);
  const std::vector<std::string> options = compile_options(kernel, arch);
  Program program(api, kernel);
  const nvrtcResult compiled = program.compile(options);
  result.log = program.log();
  if (compiled != NVRTC_SUCCESS) throw_refused(api, kernel, compiled, options, result.log);
  result.cubin = program.cubin();
  if (result.cubin.empty()) {
    throw CompileError(
        fmt::format("NVRTC {}.{} gave no cubin for kernel {} on {}", api.major, api.minor, kernel.name, arch),
        result.log, fmt::format("{}", fmt::join(options, " ")), keep_source(kernel));
  }
  result.seconds = stopwatch.seconds();
  const auto folder = store_.save(key, {.source = kernel.source, .binary = result.cubin, .log = result.log});
  if (folder) result.cache_path = folder->string();
  return result;
}

}  // namespace ffc

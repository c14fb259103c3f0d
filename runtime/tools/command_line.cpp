// The command line of ffc-gen.
#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "ffc/cache/options.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/error.hpp"
#include "lengths.hpp"
#include "native_arch.hpp"

namespace ffc::tools {
namespace {

constexpr int bad_usage = 2;
constexpr const char* arch_without_device = "sm_90a";

/// The options as text, before they are understood.
struct RawOptions {
  std::string lengths, dtypes = "fp16", scaling = "automatic", archs, radices, keep, keep_digits, cache_folder,
                       emit_folder;
  std::string action, max_bytes, gradients, advise, spectra;
  int jobs = 0, columns = 0, batch = 0, runner_up = 0;
  std::int64_t filter_length = 0, fft_length = 0;
  bool history = false;
  double low_pass = 0;
  bool circular = false, causal = false, padded = false, gated = false, plan = false, profile_host = false,
       json = false, report = false;
};

// CLI11's own check names the least and the largest double.
CLI::Validator positive() {
  return {[](const std::string& text) {
            char* end = nullptr;
            const bool above = std::strtod(text.c_str(), &end) > 0 && *end == '\0';
            return above ? std::string() : fmt::format("{} is not a number above 0", text);
          },
          "POSITIVE"};
}

// The same of integers, which CLI11 refuses without saying what is right.
template <class Integer>
CLI::Validator whole() {
  return {[](const std::string& text) {
            return positive_integer<Integer>(text) ? std::string()
                                                   : fmt::format("{} is not a whole number from 1 to {}", text,
                                                                 std::numeric_limits<Integer>::max());
          },
          "POSITIVE"};
}

// An unset variable of a shell would name the default cache.
CLI::Validator folder_name() {
  return {[](const std::string& text) { return text.empty() ? std::string("it is empty; it must name a folder") : ""; },
          ""};
}

void add_build_options(CLI::App& app, RawOptions& raw) {
  app.add_option("--lengths", raw.lengths,
                 "FFT lengths, or row lengths with --causal: numbers and ranges of powers of two (256,1024..8192)")
      ->type_name("LIST");
  app.add_option("--dtype", raw.dtypes, "element types: fp16, bf16")->type_name("LIST")->capture_default_str();
  auto* circular = app.add_flag("--circular", raw.circular, "rows as long as the FFT (default)");
  auto* padded = app.add_flag("--padded", raw.padded, "rows half as long as the FFT");
  auto* causal = app.add_flag("--causal", raw.causal, "causal convolution; the FFT length is chosen")
                     ->excludes(padded)
                     ->excludes(circular);
  app.add_option("--filter-length", raw.filter_length, "taps; fewer than samples allow windows of rows with --causal")
      ->check(whole<std::int64_t>())
      ->type_name("LK");
  app.add_option("--fft-length", raw.fft_length, "of causal rows or of their windows; default: chosen")
      ->check(whole<std::int64_t>())
      ->needs(causal)
      ->type_name("N");
  app.add_option(
         "--scaling", raw.scaling,
         "of rows far from 1: automatic (bf16: found, fp16: fixed), fixed, given (launches say how large they are) "
         "or found")
      ->capture_default_str();
  app.add_flag("--report", raw.report, "launches report the largest magnitudes of each channel");
  app.add_flag("--history", raw.history, "segments of a stream: launches take the inputs before them")->needs(causal);
  padded->excludes(circular);
  app.add_flag("--gated", raw.gated, "gates on input and output");
  app.add_option("--gradients", raw.gradients, "gradients instead of the convolution: du, dw, dv, dk, dd")
      ->type_name("LIST");
  app.add_option("--spectra", raw.spectra,
                 "transforms from spectra of filters of these lengths to taps (--filter-length of them), and back")
      ->type_name("LIST");
  app.add_option("--arch", raw.archs, "architectures (sm_90a) or native; default: native, sm_90a without a device")
      ->type_name("LIST");
  app.add_option("--radices", raw.radices, "factors of the FFT length, outermost first (16,16,16); default: chosen")
      ->type_name("LIST");
  app.add_option(
         "--columns", raw.columns,
         "forces N = R x M as columns of R and rows of M: 16 times 1 to 8, 16, 32 or 64, or 2, 4 or 8 in a cluster; "
         "default: chosen past 32768")
      ->check(whole<int>())
      ->type_name("R");
  app.add_option("--batch", raw.batch, "rows of a channel that launches will have, a hint for the plan; default: many")
      ->check(whole<int>())
      ->type_name("B");
  app.add_option("--runner-up", raw.runner_up, "the plan that --plan lists so many places behind the first")
      ->check(whole<int>())
      ->type_name("K");
  auto* keep = app.add_option("--keep", raw.keep,
                              "how many values of each digit of the frequency are kept, lowest first (16,16,28,60)")
                   ->type_name("LIST");
  app.add_option("--keep-digits", raw.keep_digits,
                 "radices of those digits (32,32,32,64); default: factors of the FFT length, as equal as they can be")
      ->needs(keep)
      ->type_name("LIST");
  app.add_option("--lowpass", raw.low_pass, "keeps frequencies below F cycles a sample, up to 0.5")
      ->check(positive())
      ->excludes(keep)
      ->type_name("F");
  app.add_option("--jobs", raw.jobs, "compilations at a time; default: one for each processor")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  app.add_option("--cache-dir", raw.cache_folder, "folder of the kernel cache")->check(folder_name())->type_name("DIR");
  app.add_option("--emit", raw.emit_folder, "write the sources there, one .cu each")
      ->check(folder_name())
      ->type_name("DIR");
  app.add_option("--advise", raw.advise,
                 "instead of --lengths: what these are predicted to cost, and the cheapest length at or above each")
      ->type_name("LIST");
  app.add_flag("--plan", raw.plan, "show the plans and the runners-up instead of compiling");
  app.add_flag("--profile-host", raw.profile_host,
               "run the kernels on the host and show what they count beside what the plans predict");
  app.add_flag("--json", raw.json, "print one JSON document");
}

CLI::App& add_cache_command(CLI::App& app, RawOptions& raw) {
  auto& cache = *app.add_subcommand("cache", "list, verify, prune or clear the kernel cache");
  cache.add_option("action", raw.action, "list, verify, prune or clear")
      ->required()
      ->check(CLI::IsMember({"list", "verify", "prune", "clear"}));
  cache.add_option("--cache-dir", raw.cache_folder, "folder of the kernel cache")
      ->check(folder_name())
      ->type_name("DIR");
  cache.add_option("--max-bytes", raw.max_bytes, "prune to that size (500M); default: FFC_CACHE_MAX_BYTES")
      ->type_name("SIZE");
  cache.add_flag("--json", raw.json, "print one JSON document");
  return cache;
}

std::string default_arch() {
  try {
    return native_arch();
  } catch (const Error& error) {
    fmt::print(stderr, "ffc-gen: for {}, because there is no GPU to ask: {}\n", arch_without_device, error.what());
    return arch_without_device;
  }
}

std::vector<std::string> parse_archs(const std::string& text) {
  if (text.empty()) return {default_arch()};
  std::vector<std::string> archs;
  for (const auto& name : split_list("--arch", text)) {
    archs.push_back(name == "native" ? native_arch() : std::string(find_arch(name).name));
  }
  return archs;
}

// Of the digits that are named, else of the FFT length's.
FrequencyMask mask_for(const RawOptions& raw, std::int64_t fft_length) {
  if (fft_length == 0 && !(raw.keep.empty() && raw.low_pass == 0))
    throw std::invalid_argument(
        "--keep and --lowpass name frequencies of an FFT length, which --causal leaves open without --fft-length");
  if (raw.low_pass > 0) return low_pass(raw.low_pass, fft_length);
  if (raw.keep.empty()) return {};
  const std::vector<std::int64_t> counts = parse_counts("--keep", raw.keep);
  if (raw.keep_digits.empty()) return keep_counts(counts, fft_length);
  return keep_counts(counts, parse_counts("--keep-digits", raw.keep_digits));
}

ConvConfig config_for(const RawOptions& raw, std::int64_t length) {
  ConvConfig config;
  if (raw.causal) {
    config.padding = Padding::causal;
    config.length = length;
    config.fft_length = raw.fft_length;
    config.history = raw.history;
  } else {
    config.fft_length = length;
    if (raw.padded) {
      config.padding = Padding::padded;
      config.length = length / 2;
    }
  }
  if (raw.gated) config.gating = Gating::both;
  if (raw.report) config.report = Report::magnitudes;
  config.scaling = parse_scaling(raw.scaling);
  config.filter_length = raw.filter_length;
  if (!raw.gradients.empty()) {
    config.pass = Pass::backward;
    config.gradients = parse_gradients(raw.gradients);
  }
  config.column_length = raw.columns;
  config.batch = raw.batch;
  config.runner_up = raw.runner_up;
  if (!raw.radices.empty()) config.radices = parse_radices(raw.radices);
  config.mask = mask_for(raw, config.fft_length);
  return config;
}

BuildCommand build_command(const RawOptions& raw) {
  if (raw.lengths.empty() && raw.advise.empty() && raw.spectra.empty())
    throw std::invalid_argument("--lengths is missing");
  if (!raw.spectra.empty() && (!raw.advise.empty() || raw.plan || raw.profile_host))
    throw std::invalid_argument("--spectra compiles: it goes with none of --advise, --plan and --profile-host");
  if (!raw.advise.empty() && (raw.plan || raw.profile_host || !raw.lengths.empty() || !raw.emit_folder.empty()))
    throw std::invalid_argument("--advise goes with none of --lengths, --plan, --emit and --profile-host");
  if (raw.profile_host && (raw.plan || !raw.emit_folder.empty()))
    throw std::invalid_argument("--profile-host compiles for the host alone: it goes with neither --plan nor --emit");
  if (raw.profile_host && !raw.gradients.empty())
    throw std::invalid_argument("--profile-host counts convolutions alone: it does not go with --gradients");
  BuildCommand command;
  const std::string& lengths = raw.advise.empty() ? raw.lengths : raw.advise;
  for (const auto& arch : parse_archs(raw.archs)) {
    for (const auto length : raw.spectra.empty() ? std::vector<std::int64_t>{} : parse_lengths(raw.spectra))
      for (const Pass pass : {Pass::forward, Pass::backward})
        command.transforms.push_back({.length = length, .taps = raw.filter_length, .pass = pass, .arch = arch});
    if (lengths.empty()) continue;
    for (const auto& dtype : split_list("--dtype", raw.dtypes)) {
      for (const auto length : parse_lengths(lengths)) {
        auto config = config_for(raw, length);
        config.dtype = parse_dtype(dtype);
        config.arch = arch;
        command.configs.push_back(std::move(config));
      }
    }
  }
  command.emit_folder = raw.emit_folder;
  command.jobs = raw.jobs > 0 ? raw.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command.plan_only = raw.plan;
  command.advise = !raw.advise.empty();
  command.profile_host = raw.profile_host;
  command.json = raw.json;
  return command;
}

CacheCommand cache_command(const RawOptions& raw) {
  CacheCommand command;
  command.action = raw.action == "list"     ? CacheAction::list
                   : raw.action == "verify" ? CacheAction::verify
                   : raw.action == "prune"  ? CacheAction::prune
                                            : CacheAction::clear;
  if (!raw.max_bytes.empty()) {
    const auto bytes = cache::parse_bytes(raw.max_bytes);
    if (command.action != CacheAction::prune) throw std::invalid_argument("--max-bytes goes with 'cache prune'");
    if (!bytes || *bytes == 0) {
      throw std::invalid_argument(
          fmt::format("--max-bytes is '{}', not a number from 1 with an optional suffix K, M, G or T", raw.max_bytes));
    }
    command.max_bytes = *bytes;
  }
  command.json = raw.json;
  return command;
}

int usage_error(const std::string& message) {
  fmt::print(stderr, "ffc-gen: {}\nRun with --help for more information.\n", message);
  return bad_usage;
}

}  // namespace

std::variant<BuildCommand, CacheCommand, int> parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Generates FFT convolution kernels and compiles them into the kernel cache. Needs no GPU.", "ffc-gen");
  app.footer("Exit status: 0; 1 when something failed, the rest being done; 2 for bad usage.");
  RawOptions raw;
  add_build_options(app, raw);
  const auto& cache = add_cache_command(app, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : bad_usage;
  }

  try {
    if (!raw.cache_folder.empty() && setenv("FFC_CACHE_DIR", raw.cache_folder.c_str(), 1) != 0) {
      throw std::invalid_argument(fmt::format("--cache-dir '{}' cannot be set", raw.cache_folder));
    }
    if (!cache.parsed()) return build_command(raw);
    if (!raw.lengths.empty()) throw std::invalid_argument("--lengths does not go with 'cache'");
    return cache_command(raw);
  } catch (const std::invalid_argument& error) {
    return usage_error(error.what());
  } catch (const Error& error) {  // an unknown dtype or architecture, or no device for native
    return usage_error(error.what());
  }
}

}  // namespace ffc::tools

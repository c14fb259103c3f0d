// Emits and compiles kernels on several threads, and reports each as it is done.
#include "build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "build_report.hpp"
#include "ffc/runtime/kernel.hpp"
#include "parallel.hpp"
#include "progress.hpp"

namespace ffc::tools {
namespace {

/// One config's programs, or why there are none.
struct Emitted {
  std::optional<Generated> generated;
  std::string error;
};

/// A compiler's log says more than the message in front of it.
std::string describe(const std::exception& error) {
  std::string text = error.what();
  if (const auto* compile_error = dynamic_cast<const CompileError*>(&error)) {
    if (!compile_error->log().empty()) text += "\n" + compile_error->log();
  }
  return text;
}

std::vector<Emitted> generate_all(const BuildCommand& command) {
  std::vector<Emitted> emitted(command.configs.size());
  parallel_for(emitted.size(), command.jobs, [&](std::size_t index) {
    try {
      emitted[index].generated = generate(command.configs[index]);
    } catch (const std::exception& error) {
      emitted[index].error = describe(error);
    }
  });
  return emitted;
}

std::string write_source(const std::string& folder, const GeneratedKernel& kernel) {
  const auto path = std::filesystem::path(folder) / (kernel.name + ".cu");
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << kernel.source;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
  return path.string();
}

KernelResult build_one(const BuildCommand& command, const GeneratedKernel& kernel, KernelResult result) {
  result.name = kernel.name;
  result.threads = kernel.threads;
  result.shared_bytes = kernel.shared_bytes;
  try {
    if (!command.emit_folder.empty()) result.source_path = write_source(command.emit_folder, kernel);
    if (command.plan_only) return result;
    const auto program = compile(kernel, result.config.arch);
    result.status = program.origin == Origin::compiled ? Status::compiled : Status::cached;
    result.seconds = program.seconds;
    result.cubin_bytes = program.cubin.size();
    result.cache_path = program.cache_path;
  } catch (const std::exception& error) {
    result.status = Status::failed;
    result.error = describe(error);
  }
  return result;
}

/// Two results for each config, in the order of the configs; one for a config that was refused.
std::vector<KernelResult> expected_results(const BuildCommand& command, const std::vector<Emitted>& emitted) {
  std::vector<KernelResult> results;
  for (std::size_t index = 0; index < emitted.size(); ++index) {
    KernelResult result;
    result.config = command.configs[index];
    result.kind = "convolution";
    if (const auto& generated = emitted[index].generated) {
      result.config = generated->config;
      result.name = generated->conv.name;
      results.push_back(result);
      result.kind = "filter";
      result.name = generated->filter.name;
    } else {
      result.status = Status::failed;
      result.error = emitted[index].error;
    }
    results.push_back(result);
  }
  return results;
}

std::vector<KernelResult> build_all(const BuildCommand& command) {
  const auto emitted = generate_all(command);
  auto results = expected_results(command, emitted);

  std::vector<const GeneratedKernel*> kernels;
  for (const auto& one : emitted) {
    if (one.generated) {
      kernels.push_back(&one.generated->conv);
      kernels.push_back(&one.generated->filter);
    } else {
      kernels.push_back(nullptr);
    }
  }

  std::size_t name_width = 0;
  for (const auto& result : results) name_width = std::max(name_width, result.name.size());
  Progress progress(results.size(), !command.json && !command.plan_only);
  parallel_for(results.size(), command.jobs, [&](std::size_t index) {
    if (kernels[index] != nullptr) results[index] = build_one(command, *kernels[index], results[index]);
    progress.finished(result_line(results[index], name_width));
  });
  return results;
}

}  // namespace

int run_build(const BuildCommand& command) {
  if (!command.emit_folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(command.emit_folder, error);
    if (error) {
      fmt::print(stderr, "ffc-gen: cannot make the folder {}: {}\n", command.emit_folder, error.message());
      return 1;
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto results = build_all(command);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto plans = command.plan_only ? rank_all(command) : std::vector<PlanReport>{};

  if (command.json) {
    print_json(results, plans, elapsed.count());
  } else {
    print_plans(plans);
    if (!command.plan_only) fmt::print("{}\n", summary_line(results, elapsed.count()));
  }
  print_errors(results);
  return std::ranges::any_of(results, [](const auto& result) { return result.status == Status::failed; }) ? 1 : 0;
}

}  // namespace ffc::tools

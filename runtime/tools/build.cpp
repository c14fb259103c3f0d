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
#include "ffc/generator/generate.hpp"
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

/// A kernel to build, and what is known of it before; null for a config that was refused.
struct Task {
  const GeneratedKernel* kernel = nullptr;
  KernelResult result;
};

/// A task for each program, in the order of the configs; one for a config that was refused.
std::vector<Task> make_tasks(const BuildCommand& command, const std::vector<Emitted>& emitted) {
  std::vector<Task> tasks;
  for (std::size_t index = 0; index < emitted.size(); ++index) {
    Task task;
    task.result.config = command.configs[index];
    if (!emitted[index].generated) {
      task.result.status = Status::failed;
      task.result.error = emitted[index].error;
      tasks.push_back(std::move(task));
      continue;
    }
    const Generated& generated = *emitted[index].generated;
    task.result.config = generated.config;
    for (const ProgramView& program : programs(generated)) {
      task.kernel = program.kernel;
      task.result.kind = program.kind;
      task.result.name = program.kernel->name;
      tasks.push_back(task);
    }
  }
  return tasks;
}

std::vector<KernelResult> build_all(const BuildCommand& command) {
  const auto emitted = generate_all(command);
  const auto tasks = make_tasks(command, emitted);
  std::size_t name_width = 0;
  for (const auto& task : tasks) name_width = std::max(name_width, task.result.name.size());
  std::vector<KernelResult> results(tasks.size());
  Progress progress(tasks.size(), !command.json && !command.plan_only);
  parallel_for(tasks.size(), command.jobs, [&](std::size_t index) {
    const Task& task = tasks[index];
    results[index] = task.kernel != nullptr ? build_one(command, *task.kernel, task.result) : task.result;
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

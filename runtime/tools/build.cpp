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
#include "ffc/generator/error.hpp"
#include "ffc/generator/few_rows.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/generator/real_transform.hpp"
#include "ffc/runtime/kernel.hpp"
#include "parallel.hpp"
#include "progress.hpp"

namespace ffc::tools {
namespace {

/// What is made of one config, or why there is nothing.
template <class Made>
struct Emitted {
  std::optional<Made> generated;
  std::string error;
};
using EmittedConv = Emitted<Generated>;
using EmittedTransform = Emitted<GeneratedRealTransform>;

/// A compiler's log says more than the message in front of it.
std::string describe(const std::exception& error) {
  std::string text = error.what();
  if (const auto* compile_error = dynamic_cast<const CompileError*>(&error)) {
    if (!compile_error->log().empty()) text += "\n" + compile_error->log();
  }
  return text;
}

/// Those of the kernels that get_kernel takes for each.
std::vector<ConvConfig> in_parts(const std::vector<ConvConfig>& configs) {
  std::vector<ConvConfig> all;
  for (const ConvConfig& config : configs) {
    std::optional<GradientParts> parts;
    try {
      parts = gradient_parts(config);
    } catch (const ConfigError&) {
      // generate() refuses the same config, and its message is the one that is shown.
    }
    if (parts)
      all.insert(all.end(), {parts->convolution, parts->others});
    else
      all.push_back(config);
  }
  return all;
}

/// generate(config) of each, in their order.
template <class Config, class Generate>
auto generate_all(const std::vector<Config>& configs, int jobs, const Generate& generate) {
  std::vector<Emitted<decltype(generate(configs.front()))>> emitted(configs.size());
  parallel_for(emitted.size(), jobs, [&](std::size_t index) {
    try {
      emitted[index].generated = generate(configs[index]);
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
    const auto program = compile(kernel, result.arch);
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

/// A task for a config that was refused.
template <class Config>
Task refused(const Config& config, const std::string& error) {
  Task task;
  task.result.arch = config.arch;
  task.result.config = to_string(config);
  task.result.status = Status::failed;
  task.result.error = error;
  return task;
}

/// A task for one program.
template <class Config>
Task task_of(const Config& config, std::string_view kind, const GeneratedKernel& kernel) {
  Task task;
  task.kernel = &kernel;
  task.result.arch = config.arch;
  task.result.config = to_string(config);
  task.result.kind = kind;
  task.result.name = kernel.name;
  return task;
}

/// A task for each program, in the order of the configs; one for a config that was refused.
std::vector<Task> make_tasks(const BuildCommand& command, const std::vector<EmittedConv>& emitted,
                             const std::vector<EmittedTransform>& transforms) {
  std::vector<Task> tasks;
  for (std::size_t index = 0; index < emitted.size(); ++index) {
    if (!emitted[index].generated) {
      tasks.push_back(refused(command.configs[index], emitted[index].error));
      continue;
    }
    const Generated& generated = *emitted[index].generated;
    for (const ProgramView& program : programs(generated))
      tasks.push_back(task_of(generated.config, program.kind, *program.kernel));
  }
  for (std::size_t index = 0; index < transforms.size(); ++index) {
    const auto& [generated, error] = transforms[index];
    if (!generated)
      tasks.push_back(refused(command.transforms[index], error));
    else
      tasks.push_back(task_of(generated->config,
                              generated->config.pass == Pass::forward ? "taps of spectra" : "gradients of spectra",
                              generated->kernel));
  }
  return tasks;
}

std::vector<KernelResult> build_all(const BuildCommand& command) {
  const auto emitted = generate_all(command.configs, command.jobs, [](const auto& config) { return generate(config); });
  const auto transforms = generate_all(command.transforms, command.jobs,
                                       [](const auto& config) { return generate_real_transform(config); });
  const auto tasks = make_tasks(command, emitted, transforms);
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

int run_build(const BuildCommand& asked) {
  BuildCommand command = asked;
  command.configs = in_parts(asked.configs);
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

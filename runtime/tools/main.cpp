// ffc-gen: generates and compiles kernels ahead of their use, shows plans, looks after the cache.
#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <variant>

#include "advice.hpp"
#include "build.hpp"
#include "cache_command.hpp"
#include "command_line.hpp"
#include "ffc/runtime/kernel.hpp"
#include "profile.hpp"

int main(int argc, char** argv) {
  try {
    const auto command = ffc::tools::parse_command_line(argc, argv);
    if (const auto* status = std::get_if<int>(&command)) return *status;
    // After the command line, which may name the cache's folder: the library opens its cache on the first call.
    ffc::set_log_callback([](std::string_view line) { fmt::print(stderr, "ffc-gen: {}\n", line); });
    if (const auto* build = std::get_if<ffc::tools::BuildCommand>(&command)) {
      if (build->advise) return ffc::tools::run_advice(build->configs, build->json);
      return build->profile_host ? ffc::tools::run_profile(build->configs, build->json) : ffc::tools::run_build(*build);
    }
    return ffc::tools::run_cache(std::get<ffc::tools::CacheCommand>(command));
  } catch (const std::exception& error) {
    fmt::print(stderr, "ffc-gen: {}\n", error.what());
    return 1;
  }
}

// Runs every shape of emitted kernels against float64, or lists them. See manifest.hpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "config_text.hpp"
#include "cover.hpp"
#include "manifest.hpp"
#include "open_machine.hpp"
#include "shape_runs.hpp"

using namespace ffc;
using namespace ffc::shapes;

namespace {

struct Options {
  std::string manifest = FFC_SHAPES_MANIFEST, make, device = "host", share, shape;
  int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  double minutes = 0;
  std::int64_t most_samples = 0;
  std::size_t every = 1, extend = 0;
  std::uint64_t seed = std::uint64_t{1} << 32;  // none that a test begins with
  bool list = false, list_all = false;
};

// "3/8": those whose config's text, as a hash, leaves 3 when it is divided by 8. A share keeps its configs whatever
// becomes of the texts that they emit.
bool in_share(const std::string& share, std::string_view config) {
  if (share.empty()) return true;
  const std::size_t slash = share.find('/');
  const std::uint64_t count = slash == share.npos ? 0 : std::stoull(share.substr(slash + 1));
  const std::uint64_t part = std::stoull(share);
  if (part >= count)
    throw std::runtime_error(fmt::format("--share is {}; it must be K/N with K from 0 to N - 1", share));
  return hash_of(config) % count == part;
}

std::vector<Shape> shared_manifest(const Options& options) {
  return read_manifest(options.manifest, options.jobs,
                       [&](std::string_view config) { return in_share(options.share, config); });
}

std::vector<Shape> all_shapes(const Options& options) {
  return find_shapes(options.jobs, options.every, [](std::string_view line) { std::cerr << line << std::endl; });
}

int list(const Options& options) {
  if (options.list_all) {
    for (const Shape& shape : all_shapes(options)) fmt::print("{} {}\n", shape.name, shape.text);
    return 0;
  }
  for (const Shape& shape : shared_manifest(options)) fmt::print("{} {}\n", shape.name, shape.text);
  return 0;
}

int make(const Options& options) {
  std::ofstream file(options.make);
  file << manifest_text(all_shapes(options));
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", options.make));
  return 0;
}

// Appends what draws have that the list has not.
int extend(const Options& options) {
  std::vector<Shape> shapes = read_manifest(options.manifest, options.jobs);
  const std::size_t listed = shapes.size();
  for (Shape& shape : draw_shapes(options.extend, options.seed, options.jobs)) shapes.push_back(std::move(shape));
  const std::vector<std::size_t> chosen = covering_shapes(shapes, listed);
  std::ofstream file(options.manifest, std::ios::app);
  for (const std::size_t i : chosen) file << shapes[i].text << '\n';
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be written", options.manifest));
  fmt::print("{} of {} configs drawn have pairs of lines that no listed one had\n", chosen.size(), options.extend);
  return 0;
}

int run_all(const Options& options) {
  std::vector<Shape> shapes;
  for (Shape& shape : shared_manifest(options))
    if (options.shape.empty() || shape.name == options.shape) shapes.push_back(std::move(shape));
  if (shapes.empty()) throw std::runtime_error("no shape is left to run");
  RunOptions run;
  run.machine = open_machine(options.device);
  if (!run.machine) return skipped;
  run.jobs = options.jobs;
  run.minutes = options.minutes;
  run.most_samples = options.most_samples;
  return run_shapes(shapes, run) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  CLI::App app("Runs every shape of emitted kernels with 1, 2, 3 and 5 batch rows against float64.");
  app.add_flag("--list", options.list, "print the shapes that are run, a config for each");
  app.add_flag("--list-all", options.list_all, "find all shapes, which takes minutes, and print them");
  app.add_option("--make", options.make, "find all shapes and write a manifest of those that are to be run");
  app.add_option("--extend", options.extend, "draw so many configs and append to the manifest what it lacks of them");
  app.add_option("--seed", options.seed, "that those are drawn from")->capture_default_str();
  app.add_option("--every", options.every,
                 "of those two: of the configs that shapes are looked for in, every so-manieth")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--manifest", options.manifest, "the manifest that is read")->capture_default_str();
  app.add_option("--device", options.device, "gpu or host")->capture_default_str();
  app.add_option("--share", options.share, "K/N: one share of N, by a hash of the config's text");
  app.add_option("--shape", options.shape, "the name of the one to run");
  app.add_option("--minutes", options.minutes, "begin no shape later; how many were left is said");
  app.add_option(
      "--most-samples", options.most_samples,
      "of a shape's first launch; further ones have a fifth; what has more is left out, and said (0: any on a "
      "GPU, 3000000 on the host)");
  app.add_option("--jobs", options.jobs, "threads")->capture_default_str()->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (options.list || options.list_all) return list(options);
  if (!options.make.empty()) return make(options);
  if (options.extend > 0) return extend(options);
  return run_all(options);
} catch (const std::exception& error) {
  std::cerr << "shapes: " << error.what() << '\n';
  return 2;
}

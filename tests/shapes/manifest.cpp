#include "manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <tuple>

#include "config_space.hpp"
#include "config_text.hpp"
#include "cover.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/generate.hpp"
#include "random_config.hpp"
#include "share_out.hpp"

namespace ffc::shapes {
namespace {

bool is_cheaper(const Shape& a, const Shape& b) { return std::tie(a.size, a.text) < std::tie(b.size, b.text); }

/// Shapes by their names, from any thread.
class Found {
 public:
  void add(Shape shape) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = shapes_.try_emplace(shape.name, shape);
    if (!is_new && is_cheaper(shape, at->second)) at->second = std::move(shape);
  }

  [[nodiscard]] std::size_t count() const { return shapes_.size(); }

  [[nodiscard]] std::vector<Shape> sorted() && {
    std::vector<Shape> all;
    for (auto& [name, shape] : shapes_) all.push_back(std::move(shape));
    std::sort(all.begin(), all.end(), is_cheaper);
    return all;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Shape> shapes_;
};

std::vector<ConvConfig> thinned(const std::vector<ConvConfig>& configs, std::size_t every) {
  std::vector<ConvConfig> kept;
  for (std::size_t i = 0; i < configs.size(); i += every) kept.push_back(configs[i]);
  return kept;
}

}  // namespace

std::vector<Shape> draw_shapes(std::size_t count, std::uint64_t first_seed, int jobs) {
  std::vector<Shape> shapes(count);
  conv_tests::share_out(static_cast<int>(count), jobs, [&](std::size_t i) {
    std::mt19937_64 random(first_seed + i);
    shapes[i] = shape_of(draw_kernel(random));
  });
  return shapes;
}

std::vector<Shape> find_shapes(int jobs, std::size_t every, const std::function<void(std::string_view)>& report) {
  Found found;
  std::vector<Part> parts = config_space(default_arch);
  for (Part& part : parts) part.configs = thinned(part.configs, every);
  for (const Part& part : parts) {
    const std::size_t before = found.count();
    std::atomic<int> refused = 0;
    conv_tests::share_out(static_cast<int>(part.configs.size()), jobs, [&](std::size_t i) {
      try {
        found.add(shape_of(generate(part.configs[i])));
      } catch (const ConfigError&) {
        ++refused;
      }
    });
    report(fmt::format("{}: {} configs, {} of them refused, {} new shapes", part.name, part.configs.size(),
                       refused.load(), found.count() - before));
  }
  return std::move(found).sorted();
}

std::string manifest_text(const std::vector<Shape>& shapes) {
  std::vector<std::size_t> chosen = covering_shapes(shapes);
  std::sort(chosen.begin(), chosen.end());
  std::string text = fmt::format(
      "# Configs of {} of {} shapes of emitted kernels for {}: every two lines of text, the numbers aside, that stand\n"
      "# together in any shape do in one of these. Made by `shapes --make FILE`; what --extend adds follows.\n",
      chosen.size(), shapes.size(), default_arch);
  for (const std::size_t i : chosen) text += shapes[i].text + '\n';
  return text;
}

std::vector<Shape> read_manifest(const std::string& path, int jobs,
                                 const std::function<bool(std::string_view)>& is_wanted) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened", path));
  struct Line {
    int number;
    std::string text, error;
  };
  std::vector<Line> lines;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number)
    if (!text.empty() && text.front() != '#' && is_wanted(text)) lines.push_back({number, text, {}});
  std::vector<Shape> shapes(lines.size());
  conv_tests::share_out(static_cast<int>(lines.size()), jobs, [&](std::size_t i) {
    try {
      shapes[i] = shape_of(generate(parse_config(lines[i].text)));
    } catch (const std::exception& error) {
      lines[i].error = error.what();
    }
  });
  for (const Line& line : lines)
    if (!line.error.empty()) throw std::runtime_error(fmt::format("{}:{}: {}", path, line.number, line.error));
  return shapes;
}

}  // namespace ffc::shapes

#include "manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "config_space.hpp"
#include "config_text.hpp"
#include "cover.hpp"
#include "ffc/generator/error.hpp"
#include "parallel_for.hpp"

namespace ffc::shapes {
namespace {

bool is_cheaper(const Shape& a, const Shape& b) { return std::tie(a.size, a.config) < std::tie(b.size, b.config); }

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

}  // namespace

std::vector<Shape> find_shapes(int jobs, const std::function<void(std::string_view)>& report) {
  Found found;
  for (const Part& part : config_space(default_arch)) {
    const std::size_t before = found.count();
    std::atomic<int> refused = 0;
    parallel_for(part.configs.size(), jobs, [&](std::size_t i) {
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
      "# {} of {} shapes of emitted kernels for {}: every two lines of text, the numbers aside, that stand together "
      "in\n"
      "# any shape do in one of these. A shape and its cheapest config a line; made by `shapes --make FILE`.\n",
      chosen.size(), shapes.size(), default_arch);
  for (const std::size_t i : chosen) text += fmt::format("{} {}\n", shapes[i].name, shapes[i].config);
  return text;
}

std::vector<ListedShape> read_manifest(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened", path));
  std::vector<ListedShape> shapes;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = std::min(line.find(' '), line.size());
    try {
      shapes.push_back({line.substr(0, space), parse_config(line.substr(space))});
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
  return shapes;
}

}  // namespace ffc::shapes

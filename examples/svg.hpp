// A plot of curves as an SVG file: panels one above the other, each with its own axes.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ffc::examples {

/// One curve: y over its index.
struct Curve {
  std::string name;
  std::string colour;
  std::vector<double> y;
};

/// Curves that share axes. Where `decibels`, y is drawn as 10 log10.
struct Panel {
  std::string title, x_axis;
  std::vector<Curve> curves;
  bool decibels = false;
};

namespace svg_detail {

constexpr double width = 900, panel_height = 260, left = 70, right = 20, top = 40, bottom = 40;

// Drawn between -120 dB and where it is; a plot has no minus infinity.
inline double drawn(double y, bool decibels) { return decibels ? 10 * std::log10(std::max(y, 1e-12)) : y; }

inline void append_label(std::string& svg, double x, double y, const char* anchor, const std::string& text,
                         const char* colour = "#444") {
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor, colour,
                     text);
}

inline void append_panel(std::string& svg, const Panel& panel, double offset) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::size_t count = 2;
  for (const Curve& curve : panel.curves) {
    count = std::max(count, curve.y.size());
    for (const double y : curve.y) {
      low = std::min(low, drawn(y, panel.decibels));
      high = std::max(high, drawn(y, panel.decibels));
    }
  }
  if (!(high > low)) low -= 1, high = low + 2;
  const double inner_width = width - left - right, inner_height = panel_height - top - bottom;
  const auto x_at = [&](double i) { return left + inner_width * i / static_cast<double>(count - 1); };
  const auto y_at = [&](double y) { return offset + top + inner_height * (high - y) / (high - low); };
  svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>\n", left,
                     offset + top, inner_width, inner_height);
  append_label(svg, left, offset + top - 12, "start", panel.title, "#000");
  append_label(svg, left + inner_width, offset + panel_height - 8, "end", panel.x_axis);
  for (int i = 0; i <= 4; ++i) {
    const double y = low + (high - low) * i / 4;
    append_label(svg, left - 6, y_at(y) + 4, "end",
                 panel.decibels ? fmt::format("{:.0f} dB", y) : fmt::format("{:.3g}", y));
    append_label(svg, x_at(static_cast<double>(count - 1) * i / 4), offset + panel_height - bottom + 16, "middle",
                 fmt::format("{}", (count - 1) * static_cast<std::size_t>(i) / 4));
  }
  double name_at = left + inner_width;
  for (const Curve& curve : panel.curves) {
    append_label(svg, name_at, offset + top - 12, "end", curve.name, curve.colour.c_str());
    name_at -= 9.0 * static_cast<double>(curve.name.size()) + 20;
    svg += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1\" points=\"", curve.colour);
    for (std::size_t i = 0; i < curve.y.size(); ++i)
      svg += fmt::format("{:.1f},{:.1f} ", x_at(static_cast<double>(i)), y_at(drawn(curve.y[i], panel.decibels)));
    svg += "\"/>\n";
  }
}

}  // namespace svg_detail

/// Writes the panels. Throws std::runtime_error where the file cannot be written.
inline void write_svg(const std::string& path, const std::vector<Panel>& panels) {
  using namespace svg_detail;
  const double height = panel_height * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t i = 0; i < panels.size(); ++i) append_panel(svg, panels[i], panel_height * static_cast<double>(i));
  std::ofstream file(path, std::ios::binary);
  file << svg << "</svg>\n";
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace ffc::examples

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

/// One curve: y over its index, times the panel's step.
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
  double x_step = 1;  ///< between neighbours on the x axis
};

namespace svg_detail {

constexpr double width = 900, panel_height = 260, left = 70, right = 20, top = 40, bottom = 40;

// Drawn between -120 dB and where it is; a plot has no minus infinity.
inline double drawn(double y, bool decibels) { return decibels ? 10 * std::log10(std::max(y, 1e-12)) : y; }

// As the reader's page prefers, light or dark; curves have colours that both show.
constexpr const char* stylesheet =
    "<style>text{font-family:Helvetica,Arial,sans-serif;font-size:12px} .text{fill:#1f2328} .grid{stroke:#dfe3e8} "
    ".frame{stroke:#57606a} @media(prefers-color-scheme:dark){.text{fill:#e6edf3} .grid{stroke:#30363d} "
    ".frame{stroke:#8b949e}}</style>\n";

inline void append_label(std::string& svg, double x, double y, const char* anchor, const std::string& text,
                         const std::string& colour = "") {
  svg += fmt::format("<text {} x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                     colour.empty() ? "class=\"text\"" : fmt::format("fill=\"{}\"", colour), x, y, anchor, text);
}

// Round numbers from low to high, about five of them.
inline std::vector<double> ticks_between(double low, double high) {
  const double raw = (high - low) / 5, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10);
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high + step * 1e-6; ++i)
    ticks.push_back(i * step + 0.0);  // no minus zero
  return ticks;
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
  for (const double y : ticks_between(low, high)) {
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", left, y_at(y), inner_width);
    append_label(svg, left - 6, y_at(y) + 4, "end", fmt::format("{:.3g}{}", y, panel.decibels ? " dB" : ""));
  }
  for (const double x : ticks_between(0, static_cast<double>(count - 1) * panel.x_step))
    append_label(svg, x_at(x / panel.x_step), offset + panel_height - bottom + 16, "middle", fmt::format("{:g}", x));
  svg += fmt::format("<rect class=\"frame\" fill=\"none\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", left,
                     offset + top, inner_width, inner_height);
  append_label(svg, left, offset + top - 12, "start", panel.title);
  append_label(svg, left + inner_width / 2, offset + panel_height - 8, "middle", panel.x_axis);
  double name_at = left + inner_width;
  for (const Curve& curve : panel.curves) {
    append_label(svg, name_at, offset + top - 12, "end", curve.name, curve.colour);
    name_at -= 9.0 * static_cast<double>(curve.name.size()) + 20;
    svg += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" points=\"", curve.colour);
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
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n{2}", width,
      height, stylesheet);
  for (std::size_t i = 0; i < panels.size(); ++i) append_panel(svg, panels[i], panel_height * static_cast<double>(i));
  std::ofstream file(path, std::ios::binary);
  file << svg << "</svg>\n";
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace ffc::examples

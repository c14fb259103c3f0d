// Figures of curves over lengths as SVG files: panels side by side with logarithmic axes and one legend for all.
// Colours follow what the reader's page prefers, light or dark.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ffc::examples {

/// How a series is drawn; a series of one meaning looks alike in all figures.
enum class Look { ours, ours_prepared, flashfftconv, fft, rfft, subquadratic, cudnn };
/// A line with markers, markers that nothing joins, or a line alone.
enum class Stroke { both, markers, line };

struct Series {
  std::string name;
  Look look = Look::ours;
  std::vector<std::pair<double, double>> points;  ///< x, y above 0, by x
  Stroke stroke = Stroke::both;
};

struct FigurePanel {
  std::string title, x_axis, y_axis;
  std::vector<Series> series;
};

namespace figure_detail {

constexpr double panel_width = 440, panel_height = 330, left = 62, right = 14, top = 34, bottom = 48;
constexpr double legend_line = 22, legend_top = 8;

// Of two, the first on light pages and the second on dark ones.
struct LookStyle {
  const char* name;
  const char* light;
  const char* dark;
  const char* dashes;
};

inline const LookStyle& style_of(Look look) {
  static const std::map<Look, LookStyle> styles = {{Look::ours, {"ours", "#0b61d8", "#58a6ff", ""}},
                                                   {Look::ours_prepared, {"prepared", "#0b61d8", "#58a6ff", "6 4"}},
                                                   {Look::flashfftconv, {"flash", "#c2410c", "#ff9a5c", ""}},
                                                   {Look::fft, {"fft", "#6b7280", "#9ca3af", "2 3"}},
                                                   {Look::rfft, {"rfft", "#374151", "#d1d5db", ""}},
                                                   {Look::subquadratic, {"subquadratic", "#15803d", "#4ade80", ""}},
                                                   {Look::cudnn, {"cudnn", "#a21caf", "#e879f9", ""}}};
  return styles.at(look);
}

inline std::string stylesheet() {
  const auto rules = [](bool dark) {
    std::string css =
        fmt::format(".text{{fill:{}}} .grid{{stroke:{}}} .frame{{stroke:{}}} ", dark ? "#e6edf3" : "#1f2328",
                    dark ? "#30363d" : "#dfe3e8", dark ? "#8b949e" : "#57606a");
    for (const Look look : {Look::ours, Look::ours_prepared, Look::flashfftconv, Look::fft, Look::rfft,
                            Look::subquadratic, Look::cudnn}) {
      const LookStyle& style = style_of(look);
      const char* colour = dark ? style.dark : style.light;
      css += fmt::format(".{0}{{stroke:{1}}} .{0}-fill{{fill:{1};stroke:{1}}} ", style.name, colour);
    }
    return css;
  };
  return fmt::format(
      "<style>text{{font-family:Helvetica,Arial,sans-serif;font-size:12px}} .title{{font-size:13px;font-weight:600}} "
      "{}@media(prefers-color-scheme:dark){{{}}}</style>\n",
      rules(false), rules(true));
}

/// 256, 4K, 1M: binary units, as lengths are powers of two.
inline std::string short_length(double n) {
  if (n >= 1 << 20) return fmt::format("{:g}M", n / (1 << 20));
  return n >= 1024 ? fmt::format("{:g}K", n / 1024) : fmt::format("{:g}", n);
}

struct Range {
  double low = HUGE_VAL, high = 0;
  void take(double value) { low = std::min(low, value), high = std::max(high, value); }
};

// 1, 2 and 5 times powers of ten in a range; 1 alone where it spans many.
inline std::vector<double> decimal_ticks(const Range& range) {
  const bool wide = range.high / range.low > 300;
  std::vector<double> ticks;
  for (int power = -4; power <= 7; ++power)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10, power);
      if ((digit == 1 || !wide) && tick >= range.low * 0.999 && tick <= range.high * 1.001) ticks.push_back(tick);
    }
  return ticks;
}

inline std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* extra = "") {
  return fmt::format("<text class=\"text{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", extra, x, y,
                     anchor, text);
}

inline std::string marker(Look look, double x, double y) {
  const char* name = style_of(look).name;
  switch (look) {
    case Look::ours:
    case Look::ours_prepared:
      return fmt::format("<circle class=\"{}-fill\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\"/>\n", name, x, y);
    case Look::flashfftconv:
      return fmt::format("<rect class=\"{}-fill\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\"/>\n", name, x - 3,
                         y - 3);
    case Look::fft:
    case Look::rfft:
      return fmt::format("<path class=\"{}-fill\" d=\"M{:.1f} {:.1f}l4 7h-8z\"/>\n", name, x, y - 4.2);
    case Look::subquadratic:
      return fmt::format("<path class=\"{}-fill\" d=\"M{:.1f} {:.1f}l4 4l-4 4l-4 -4z\"/>\n", name, x, y - 4);
    case Look::cudnn:
      return fmt::format("<path class=\"{}-fill\" d=\"M{:.1f} {:.1f}l4 -7h-8z\"/>\n", name, x, y + 4.2);
  }
  return {};
}

inline std::string line_style(Look look) {
  const LookStyle& style = style_of(look);
  const std::string dashes = *style.dashes != '\0' ? fmt::format(" stroke-dasharray=\"{}\"", style.dashes) : "";
  return fmt::format("class=\"{}\" fill=\"none\" stroke-width=\"2\"{}", style.name, dashes);
}

// The panel's ranges: whole octaves across, a little room above and below.
inline std::pair<Range, Range> ranges_of(const FigurePanel& panel) {
  Range x, y;
  for (const Series& series : panel.series)
    for (const auto& [at, value] : series.points) x.take(at), y.take(value);
  if (!(x.high > 0)) throw std::runtime_error("the panel '" + panel.title + "' has no points");
  return {{x.low / 1.15, x.high * 1.15}, {y.low / 1.2, y.high * 1.25}};
}

inline void append_panel(std::string& svg, const FigurePanel& panel, double x0, double y0) {
  const auto [xs, ys] = ranges_of(panel);
  const double width = panel_width - left - right, height = panel_height - top - bottom;
  const auto x_at = [&, &r = xs](double x) {
    return x0 + left + width * std::log(x / r.low) / std::log(r.high / r.low);
  };
  const auto y_at = [&, &r = ys](double y) {
    return y0 + top + height * (1 - std::log(y / r.low) / std::log(r.high / r.low));
  };
  for (const double tick : decimal_ticks(ys)) {
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>\n", x0 + left, y_at(tick), width);
    svg += text_at(x0 + left - 7, y_at(tick) + 4, "end", fmt::format("{:g}", tick));
  }
  const double octaves = std::log2(xs.high / xs.low);
  const int step = octaves > 8 ? 2 : 1;
  for (int power = static_cast<int>(std::ceil(std::log2(xs.low))); power <= std::log2(xs.high); power += step) {
    const double x = x_at(std::exp2(power));
    svg += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{:.1f}\"/>\n", x, y0 + top, height);
    svg += text_at(x, y0 + panel_height - bottom + 17, "middle", short_length(std::exp2(power)));
  }
  svg += fmt::format(
      "<rect class=\"frame\" fill=\"none\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", x0 + left,
      y0 + top, width, height);
  svg += text_at(x0 + left, y0 + top - 10, "start", panel.title, " title");
  svg += text_at(x0 + left + width / 2, y0 + panel_height - 10, "middle", panel.x_axis);
  svg += fmt::format("<g transform=\"translate({:.1f} {:.1f}) rotate(-90)\">{}</g>\n", x0 + 15, y0 + top + height / 2,
                     text_at(0, 0, "middle", panel.y_axis));
  for (const Series& series : panel.series) {
    std::string path, marks;
    for (const auto& [x, y] : series.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_at(x), y_at(y));
      marks += marker(series.look, x_at(x), y_at(y));
    }
    if (series.stroke != Stroke::markers) svg += fmt::format("<path {} d=\"{}\"/>\n", line_style(series.look), path);
    if (series.stroke != Stroke::line) svg += marks;
  }
}

// Names once, in the order in which they first appear; returns the height that they take.
inline double append_legend(std::string& svg, const std::vector<FigurePanel>& panels, double width) {
  std::vector<const Series*> entries;
  for (const FigurePanel& panel : panels)
    for (const Series& series : panel.series)
      if (std::none_of(entries.begin(), entries.end(), [&](const Series* s) { return s->name == series.name; }))
        entries.push_back(&series);
  double x = left, y = legend_top + 12;
  for (const Series* entry : entries) {
    const double needed = 34 + 6.6 * static_cast<double>(entry->name.size()) + 18;
    if (x > left && x + needed > width) x = left, y += legend_line;
    if (entry->stroke != Stroke::markers)
      svg += fmt::format("<path {} d=\"M{:.1f} {:.1f}h26\"/>\n", line_style(entry->look), x, y - 4);
    if (entry->stroke != Stroke::line) svg += marker(entry->look, x + 13, y - 4);
    svg += text_at(x + 33, y, "start", entry->name);
    x += needed;
  }
  return y + 6;
}

}  // namespace figure_detail

/// Writes the panels, `columns` side by side. Throws std::runtime_error where a panel has no points or the file cannot
/// be written.
inline void write_figure(const std::filesystem::path& path, const std::vector<FigurePanel>& panels,
                         std::size_t columns) {
  using namespace figure_detail;
  const double width = panel_width * static_cast<double>(columns);
  std::string body;
  const double legend = append_legend(body, panels, width);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::size_t row = i / columns;
    append_panel(body, panels[i], panel_width * static_cast<double>(i % columns),
                 legend + panel_height * static_cast<double>(row));
  }
  const std::size_t panel_rows = (panels.size() + columns - 1) / columns;
  const double height = legend + panel_height * static_cast<double>(panel_rows);
  std::ofstream file(path, std::ios::binary);
  file << fmt::format(
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
              "{1:.0f}\">\n",
              width, height)
       << stylesheet() << body << "</svg>\n";
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace ffc::examples

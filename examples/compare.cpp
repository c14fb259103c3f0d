// Draws the tables and figures of the pages from what measure.sh and peers measured.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compare_data.hpp"
#include "compare_figures.hpp"
#include "compare_findings.hpp"
#include "compare_tables.hpp"
#include "compare_training.hpp"

namespace {

using namespace ffc::examples;
using ffc::examples::tables_detail::Table;

/// On which device, and when, each table of ours was measured.
std::string provenance_of(const Measurements& all) {
  const std::vector<std::pair<std::string, const Csv*>> tables = {{"forward", &all.forward},
                                                                  {"causal", &all.causal},
                                                                  {"gradients", &all.backward},
                                                                  {"causal gradients", &all.causal_backward},
                                                                  {"numbers of digits", &all.digits},
                                                                  {"fewer frequencies", &all.sparse},
                                                                  {"short filters", &all.partial},
                                                                  {"other lengths", &all.other},
                                                                  {"bf16", &all.bf16},
                                                                  {"start-up", &all.startup},
                                                                  {"training steps", &all.step},
                                                                  {"steps of other shapes", &all.widths},
                                                                  {"small batches", &all.small},
                                                                  {"calls", &all.overhead}};
  Table table({"tables", "measured"});
  std::vector<std::pair<std::string, std::string>> lines;  // what was measured in one way in one line
  for (const auto& [name, csv] : tables) {
    if (csv->rows.empty()) continue;
    const auto same = std::ranges::find(lines, csv->provenance, &std::pair<std::string, std::string>::second);
    if (same == lines.end())
      lines.emplace_back(name, csv->provenance);
    else
      same->first += ", " + name;
  }
  for (const auto& [names, provenance] : lines) table.add({names, provenance});
  return table.text();
}

/// Every table that a page may hold, by the name in its marks.
std::map<std::string, std::string> all_tables(const Measurements& all) {
  using namespace tables_detail;
  using namespace findings_detail;
  std::map<std::string, std::string> tables = {
      {"device", provenance_of(all)},
      {"peers-device", "- " + all.torch_and_flashfftconv.provenance + ".\n- " + all.nvidia.provenance + ".\n"},
      {"gradients", gradients_table(all.backward)},
      {"causal-gradients-all", gradients_table(all.causal_backward)},
      {"other", forward_table(all.other.rows)},
      {"bf16", forward_table(all.bf16.rows)},
      {"causal-all", forward_table(all.causal.rows)},
      {"causal-forward", causal_table(all, false)},
      {"causal-gradients", causal_table(all, true)},
      {"short-filters", short_filters_table(all)},
      {"sparse", sparse_table(all)},
      {"startup", startup_table(all)},
      {"step", training_detail::step_table(all)},
      {"widths", training_detail::widths_table(all)},
      {"small", training_detail::small_table(all)},
      {"overhead", training_detail::overhead_table(all)},
      {"speed", speed(all)},
      {"faster-peers", faster_peers(all)},
      {"wrong-predictions", wrong_predictions(all)}};
  for (const Operation& operation : operations()) {
    tables["peers-" + operation.peers] = peers_table(all, operation);
    if (operation.backward) tables["memory-" + operation.peers] = step_memory_table(all, operation);
    // The paper's tables of memory are of rows as long as their transforms.
    if (operation.padding == "circular" && !operation.backward)
      tables["memory-" + operation.peers] = forward_memory_table(all, operation);
    if (!operation.backward) tables["forward-" + operation.peers] = forward_table(ours_of(all, operation));
  }
  return tables;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  return (std::stringstream() << file.rdbuf()).str();
}

/// The page with what stands between <!-- NAME --> and <!-- /NAME --> replaced by the table of that name.
std::string with_tables(std::string page, const std::map<std::string, std::string>& tables) {
  for (const auto& [name, table] : tables) {
    const std::string begin = "<!-- " + name + " -->\n", end = "<!-- /" + name + " -->";
    const std::size_t first = page.find(begin);
    if (first == std::string::npos) continue;
    const std::size_t last = page.find(end, first);
    if (last == std::string::npos) throw std::runtime_error("the page has no " + end);
    page.replace(first + begin.size(), last - first - begin.size(), "\n" + table + "\n");
  }
  return page;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Draws the tables and figures of the pages");
  std::string measured = "examples/measured", peers = "examples/peers", figures;
  std::vector<std::string> pages;
  bool check = false;
  app.add_option("--measured", measured, "folder of measure.sh's tables")->capture_default_str();
  app.add_option("--peers", peers, "folder of the peers' tables")->capture_default_str();
  app.add_option("--figures", figures, "folder to write the figures to");
  app.add_option("--page", pages, "pages whose tables are written anew; default: all tables to standard output");
  app.add_flag("--check", check, "write nothing; fail where a page's tables are others")->needs("--page");
  CLI11_PARSE(app, argc, argv);

  const Measurements all = read_measurements(measured, peers);
  const auto tables = all_tables(all);
  if (pages.empty() && figures.empty())
    for (const auto& [name, table] : tables) fmt::print("## {}\n\n{}\n", name, table);
  for (const std::string& page : pages) {
    const std::string before = read_text(page), after = with_tables(before, tables);
    if (check && before != after)
      throw std::runtime_error(fmt::format("{}: its tables are not those of {}", page, measured));
    if (!check && !(std::ofstream(page, std::ios::binary) << after))
      throw std::runtime_error(fmt::format("{}: cannot be written", page));
  }
  if (!figures.empty() && !check) write_figures(all, figures);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "compare: {}\n", error.what());
  return 1;
}

// Draws the tables and figures of BENCHMARKS.md from what measure.sh and peers measured.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "compare_data.hpp"
#include "compare_figures.hpp"
#include "compare_findings.hpp"
#include "compare_tables.hpp"

namespace {

using namespace ffc::examples;

/// On which device, and when, each table of ours was measured: the same lines once.
std::string provenance_of(const Measurements& all) {
  std::string text;
  for (const Csv* table : {&all.forward, &all.causal, &all.backward, &all.causal_backward, &all.digits, &all.sparse,
                           &all.partial, &all.other, &all.bf16})
    if (const std::string line = "- " + table->provenance + ".\n"; text.find(line) == std::string::npos) text += line;
  return text;
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
      {"memory-plain", memory_table(all, "none")},
      {"memory-gated", memory_table(all, "both")},
      {"faster-peers", faster_peers(all)},
      {"wrong-predictions", wrong_predictions(all)}};
  for (const Operation& operation : operations()) {
    tables["peers-" + operation.peers] = peers_table(all, operation);
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
  CLI::App app("Draws the tables and figures of BENCHMARKS.md");
  std::string measured = "examples/measured", peers = "examples/peers", figures, page;
  bool check = false;
  app.add_option("--measured", measured, "folder of measure.sh's tables")->capture_default_str();
  app.add_option("--peers", peers, "folder of the peers' tables")->capture_default_str();
  app.add_option("--figures", figures, "folder to write the figures to");
  app.add_option("--page", page, "page whose tables are written anew; default: all tables to standard output");
  app.add_flag("--check", check, "write nothing; fail where the page's tables are others")->needs("--page");
  CLI11_PARSE(app, argc, argv);

  const Measurements all = read_measurements(measured, peers);
  const auto tables = all_tables(all);
  if (page.empty() && figures.empty())
    for (const auto& [name, table] : tables) fmt::print("## {}\n\n{}\n", name, table);
  if (!page.empty()) {
    const std::string before = read_text(page), after = with_tables(before, tables);
    if (check && before != after) throw std::runtime_error(page + ": its tables are not those of " + measured);
    if (!check && !(std::ofstream(page, std::ios::binary) << after))
      throw std::runtime_error(page + ": cannot be written");
  }
  if (!figures.empty() && !check) write_figures(all, figures);
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "compare: {}\n", error.what());
  return 1;
}

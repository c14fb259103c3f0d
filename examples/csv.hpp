// Tables as bench writes them: comments of which the first names the device, a heading, then a row a line.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ffc::examples {

/// One row, by column.
struct CsvRow {
  std::map<std::string, std::string> cells;

  /// Throws std::runtime_error where there is no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const {
    const auto cell = cells.find(column);
    if (cell == cells.end()) throw std::runtime_error("a table has no column " + column);
    return cell->second;
  }
  /// 0 for an empty cell.
  [[nodiscard]] double number(const std::string& column) const { return std::strtod(text(column).c_str(), nullptr); }
  [[nodiscard]] bool is(const std::string& column, const std::string& value) const { return text(column) == value; }
};

struct Csv {
  std::string provenance;  ///< the first comment, without the mark
  std::vector<CsvRow> rows;
};

/// Cells of a line; quotation marks, which are dropped, hold commas together.
inline std::vector<std::string> split_cells(const std::string& line) {
  std::vector<std::string> cells(line.empty() ? 0 : 1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

/// Throws std::runtime_error where the file cannot be read or a row has not as many cells as the heading.
[[nodiscard]] inline Csv read_csv(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be opened");
  Csv table;
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (line.front() == '#') {
      if (table.provenance.empty()) table.provenance = line.substr(line.find_first_not_of("# "));
      continue;
    }
    const std::vector<std::string> cells = split_cells(line);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    if (cells.size() != columns.size())
      throw std::runtime_error(path.string() + ": " + std::to_string(cells.size()) + " cells in '" + line + "' under " +
                               std::to_string(columns.size()) + " columns");
    CsvRow row;
    for (std::size_t i = 0; i < cells.size(); ++i) row.cells[columns[i]] = cells[i];
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The rows that satisfy `wanted`.
template <class Predicate>
[[nodiscard]] std::vector<CsvRow> rows_where(const Csv& table, const Predicate& wanted) {
  std::vector<CsvRow> rows;
  for (const CsvRow& row : table.rows)
    if (wanted(row)) rows.push_back(row);
  return rows;
}

}  // namespace ffc::examples

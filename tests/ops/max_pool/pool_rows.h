// The rows of a case file as cells: for tests of what is read out of them.
#ifndef TILESIM_TESTS_OPS_MAX_POOL_POOL_ROWS_H_
#define TILESIM_TESTS_OPS_MAX_POOL_POOL_ROWS_H_

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ops/cases/case_cells.h"

namespace tilesim::testing {

inline std::vector<std::string> Fields(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line + ",");
  for (std::string field; std::getline(stream, field, ',');) {
    fields.push_back(field);
  }
  return fields;
}

inline std::vector<CaseCells> ReadRows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = Fields(line);
  std::vector<CaseCells> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = Fields(line);
    CaseCells cells;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].empty()) {
        cells[columns.at(i)] = fields[i];
      }
    }
    rows.push_back(cells);
  }
  return rows;
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_MAX_POOL_POOL_ROWS_H_

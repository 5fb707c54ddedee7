// Figures in rows, for a page that sorts them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::inline pictures {

struct DataCell {
  std::optional<double> number;  // what it is sorted by; absent: the text
  std::string text;              // as shown
};

struct DataColumn {
  std::string name;
  std::string unit;  // "us"; "" for none
  bool of_numbers = false;
};

struct DataTable {
  std::string id;
  std::string title;
  std::vector<DataColumn> columns;
  std::vector<std::vector<DataCell>> rows;
};

}  // namespace tutti::inline pictures

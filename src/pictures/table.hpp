// Tables of data that a page can sort.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::inline pictures {

struct DataCell {
  std::optional<double> number;  // the key for sorting; if absent, the text is the key
  std::string text;              // the text that is shown
};

struct DataColumn {
  std::string name;
  std::string unit;  // "us"; "" if there is no unit
  bool of_numbers = false;
};

struct DataTable {
  std::string id;
  std::string title;
  std::vector<DataColumn> columns;
  std::vector<std::vector<DataCell>> rows;
};

}  // namespace tutti::inline pictures

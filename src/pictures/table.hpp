// Tables of data that a page can sort.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::inline pictures {

struct DataCell {
  std::optional<double> number;  // sort key; if absent, the text is the key
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

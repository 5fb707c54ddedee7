#include "base/rows.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tutti::test_rows { namespace {

const std::vector<std::pair<std::size_t, char>> kEntries{{2, 'a'}, {0, 'b'}, {2, 'c'},
                                                         {4, 'd'}, {2, 'b'}, {0, 'a'}};

const auto add_all = [](const auto& add) {
  for (const auto& [row, value] : kEntries) {
    add(row, value);
  }
};

TEST_CASE("a row has its values in the order in which they were added") {
  const Rows<char> rows(5, add_all);
  std::string text;
  for (std::size_t row = 0; row < 5; ++row) {
    text += std::string(rows[row].begin(), rows[row].end()) + '|';
  }
  CHECK(text == "ba||acb||d|");
  CHECK(std::string(rows.values().begin(), rows.values().end()) == "baacbd");
}

TEST_CASE("rows that are built again forget their old values") {
  std::vector<std::uint64_t> starts{7, 7, 7};
  std::vector<char> values{'x', 'y'};
  sort_into_rows(5, starts, values, add_all);
  CHECK(starts == std::vector<std::uint64_t>{0, 2, 2, 5, 5, 6});
  CHECK(values == std::vector<char>{'b', 'a', 'a', 'c', 'b', 'd'});
  sort_into_rows(1, starts, values, [](const auto&) {});
  CHECK(starts == std::vector<std::uint64_t>{0, 0});
  CHECK(values.empty());
}

}}  // namespace tutti::test_rows

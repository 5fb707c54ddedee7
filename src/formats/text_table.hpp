// Text in columns for people, never wider than what shows it: long cells are wrapped below one
// another, and columns for which there is no room give way to further lines.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/pager.hpp"

namespace tutti::inline formats {

// Words of `text` in lines of at most `width` characters; a longer word is broken, after a '/',
// a ',' or the like where it has one.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Characters of UTF-8 text, not its bytes.
[[nodiscard]] std::size_t display_width(std::string_view text);

// "  key       text that is wrapped
//              under itself"
void print_field(std::ostream& out, std::size_t indent, std::size_t key_width, std::string_view key,
                 std::string_view text);

// One line of a heading, or more where it is long.
void print_heading(std::ostream& out, std::string_view text);

struct TableColumn {
  std::string head;
  bool right = false;  // at which end of the column its cells stand
  // Where there is no room for all, the column with the highest number goes first; then, of what
  // stays, the last, and the first column never.
  int gives_way = 0;
};

// Rows under headings, as printable() has them. What gives way stands below its row: "head value,
// head value". A last column that stands at the left is text, and is wrapped before others go.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns, Style heads = Style::heading)
      : columns_(std::move(columns)), heads_(heads) {}

  // `style`: of the cell in column `styled`.
  void add(std::vector<std::string> cells, Style style = Style::plain, std::size_t styled = 0);
  // Text between rows, `deeper` than they are.
  void add_line(std::string_view text, std::size_t deeper = 4);
  void print(std::ostream& out, std::size_t indent) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // or one text between rows
    bool line = false;
    Style style = Style::plain;
    std::size_t styled = 0;
    std::size_t deeper = 0;
  };
  struct Layout {
    std::vector<std::size_t> widths;
    std::vector<bool> shown;
    std::size_t text = 0;  // room for the last column, where it is wrapped; 0: it is not
  };

  [[nodiscard]] Layout layout(std::size_t indent) const;
  void print_row(const Row& row, const Layout& layout, std::size_t indent, std::ostream& out) const;
  void print_further(const Row& row, const Layout& layout, std::size_t indent,
                     std::ostream& out) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
  Style heads_;
};

// Lines of cells, of which the first are headings; `right` says which end of its column a cell
// stands at.
void print_columns(std::vector<std::vector<std::string>> lines, const std::vector<bool>& right,
                   std::size_t indent, std::ostream& out);

// The same, with columns that have no room in a table of their own below, which begins with the
// first column again: for columns that are all of one kind.
void print_bands(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right,
                 std::size_t indent, std::ostream& out);

}  // namespace tutti::inline formats

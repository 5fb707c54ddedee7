// Text in columns, never wider than the page. Long cells are wrapped, and columns for which there
// is no room move to further lines.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/pager.hpp"

namespace tutti { inline namespace formats {

// Breaks `text` into lines of at most `width` characters. A word that is longer than a line is
// broken too, if possible after a '/', a ',' or a similar mark.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Number of characters, not bytes, of UTF-8 text.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Prints a key, and its text beside it:
// "  key       text that is wrapped
//              under itself"
void print_field(std::ostream& out, std::size_t indent, std::size_t key_width, std::string_view key,
                 std::string_view text);

// Prints a heading, on several lines if it is long.
void print_heading(std::ostream& out, std::string_view text);

struct TableColumn {
  std::string head;
  bool right = false;  // cells are right-aligned; otherwise left-aligned
  // If there is not enough room, the column with the highest number is moved out first; among equal
  // numbers, the rightmost column. The first column always stays.
  int gives_way = 0;
  bool shown = true;  // if false, the column and its cells are left out of the table
  // If there is not enough room, the column is left out instead of moved to further lines.
  bool is_extra = false;
};

// A table of rows under headings. All cells are made printable. If there is not enough room,
// columns are moved out: their values are printed below each row as "head value, head value". If
// the last column is left-aligned, it is wrapped before any column is moved out.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns, Style heads = Style::heading);

  // Adds a row with a cell for each column that was passed to the constructor; missing cells at the
  // end are empty. `style` applies to the cell in column `styled`.
  void add(std::vector<std::string> cells, Style style = Style::plain, std::size_t styled = 0);
  // Adds text between rows, indented by `deeper` more than the rows.
  void add_line(std::string_view text, std::size_t deeper = 4);
  void print(std::ostream& out, std::size_t indent) const;

  // For rows whose cells become known one after the other: reserve() makes the columns wide enough
  // for these cells, print_head() prints the headings, and print_row() prints a row at once. Each
  // row has the style of add().
  void reserve(const std::vector<std::string>& cells);
  void print_head(std::ostream& out, std::size_t indent) const;
  void print_row(std::vector<std::string> cells, std::ostream& out, std::size_t indent,
                 Style style = Style::plain) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // cells of the row; if `line`, one text
    bool line = false;
    Style style = Style::plain;
    std::size_t styled = 0;
    std::size_t deeper = 0;
  };
  struct Layout {
    std::vector<std::size_t> widths;
    std::vector<bool> shown;
    std::size_t text = 0;  // width of the last column if it is wrapped; otherwise 0
  };

  [[nodiscard]] Row row_of(std::vector<std::string> cells, Style style, std::size_t styled) const;
  [[nodiscard]] Layout layout(std::size_t indent) const;
  void print_heads(const Layout& layout, std::size_t indent, std::ostream& out) const;
  void print_row(const Row& row, const Layout& layout, std::size_t indent, std::ostream& out) const;
  void print_further(const Row& row, const Layout& layout, std::size_t indent,
                     std::ostream& out) const;

  std::vector<TableColumn> columns_;  // columns that are shown
  std::vector<bool> shown_;           // for each column that was passed to the constructor
  std::vector<Row> rows_;
  std::vector<std::size_t> reserved_;  // least width of each column of `columns_`
  Style heads_;
};

// Prints lines of cells; the first line has the headings. `right` says which columns are
// right-aligned.
void print_columns(std::vector<std::vector<std::string>> lines, const std::vector<bool>& right,
                   std::size_t indent, std::ostream& out);

// Like print_columns(), but columns without room go into further tables below, each of which
// repeats the first column. Suits tables whose columns after the first all show the same quantity.
void print_bands(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right,
                 std::size_t indent, std::ostream& out);

}}  // namespace tutti::formats

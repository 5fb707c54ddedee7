#include "src/formats/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"

namespace tutti { inline namespace formats {

namespace {

constexpr std::size_t kGap = 2;
// Minimum width of a last column that is wrapped.
constexpr std::size_t kLeastText = 24;

// Additional indentation of the lines below a row.
constexpr std::size_t kDeeper = 4;

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Returns how many bytes of `word`, which is wider than `width`, go on the first line: those up to
// the last '/' or similar mark in the second half of the line, or else as many characters as fit.
std::size_t first_part(std::string_view word, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t at_mark = 0;
  for (std::size_t characters = 0; characters < width && bytes < word.size(); ++characters) {
    ++bytes;
    while (bytes < word.size() && goes_on(word[bytes])) {
      ++bytes;
    }
    if (std::string_view("/,;=+|_").find(word[bytes - 1]) != std::string_view::npos &&
        2 * characters >= width) {
      at_mark = bytes;
    }
  }
  return at_mark > 0 ? at_mark : bytes;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string gap(width - std::min(width, display_width(text)), ' ');
  return right ? gap + text : text + gap;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !goes_on(c); }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines;
  std::string line;
  std::size_t line_width = 0;  // of `line`; counting it again for each word would be quadratic
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    std::size_t word_width = display_width(word);
    if (!line.empty() && line_width + 1 + word_width > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    while (word_width > width) {
      const std::size_t part = first_part(word, width);
      lines.emplace_back(word.substr(0, part));
      word.remove_prefix(part);
      word_width = display_width(word);
    }
    line_width = line.empty() ? word_width : line_width + 1 + word_width;
    if (!line.empty()) {
      line += ' ';
    }
    line += word;
    begin = end + 1;
  }
  lines.push_back(std::move(line));
  return lines;
}

void print_field(std::ostream& out, std::size_t indent, std::size_t key_width, std::string_view key,
                 std::string_view text) {
  const std::size_t left = indent + key_width;
  const std::size_t room = text_width() - std::min(left, text_width() - kLeastText / 2);
  bool first = true;
  for (const std::string& line : wrap(printable(text), room)) {
    std::string start = first ? std::string(indent, ' ') + std::string(key) : "";
    first = false;
    if (!line.empty()) {
      // A key that fills its column is still separated from the text.
      start.resize(
          start.size() > left || (start.size() == left && !key.empty()) ? start.size() + 1 : left,
          ' ');
    }
    out << start << line << '\n';
  }
}

void print_heading(std::ostream& out, std::string_view text) {
  // Indents continuation lines, so that no line of a text from a user looks like a line of the
  // program.
  constexpr std::size_t kHanging = 2;
  std::vector<std::string> lines = wrap(printable(text), text_width());
  if (lines.size() > 1) {
    lines = wrap(printable(text), text_width() - kHanging);
  }
  bool first = true;
  for (const std::string& line : lines) {
    out << (first ? "" : std::string(kHanging, ' ')) << StyledText{Style::heading, line} << '\n';
    first = false;
  }
}

Table::Table(std::vector<TableColumn> columns, Style heads)
    : columns_(std::move(columns)), heads_(heads) {
  for (const TableColumn& column : columns_) {
    shown_.push_back(column.shown);
  }
  std::erase_if(columns_, [](const TableColumn& column) { return !column.shown; });
  for (const TableColumn& column : columns_) {
    reserved_.push_back(display_width(column.head));
  }
}

Table::Row Table::row_of(std::vector<std::string> cells, Style style, std::size_t styled) const {
  cells.resize(shown_.size());
  Row row{{}, false, style, 0, 0};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (shown_[i]) {
      row.styled = i == styled ? row.cells.size() : row.styled;
      row.cells.push_back(printable(cells[i]));
    }
  }
  return row;
}

void Table::add(std::vector<std::string> cells, Style style, std::size_t styled) {
  rows_.push_back(row_of(std::move(cells), style, styled));
}

void Table::reserve(const std::vector<std::string>& cells) {
  const Row row = row_of(cells, Style::plain, 0);
  for (std::size_t i = 0; i < reserved_.size(); ++i) {
    reserved_[i] = std::max(reserved_[i], display_width(row.cells[i]));
  }
}

void Table::add_line(std::string_view text, std::size_t deeper) {
  rows_.push_back({{printable(text)}, true, Style::plain, 0, deeper});
}

Table::Layout Table::layout(std::size_t indent) const {
  const std::size_t count = columns_.size();
  Layout layout{reserved_, std::vector<bool>(count, true), 0};
  for (std::size_t i = 0; i < count; ++i) {
    for (const Row& row : rows_) {
      if (!row.line) {
        layout.widths[i] = std::max(layout.widths[i], display_width(row.cells[i]));
      }
    }
  }
  const auto total = [&] {
    std::size_t width = indent;
    for (std::size_t i = 0; i < count; ++i) {
      width += layout.shown[i] ? layout.widths[i] + (i > 0 ? kGap : 0) : 0;
    }
    return width;
  };
  const bool text = count > 1 && !columns_.back().right;
  for (;;) {
    const std::size_t width = total();
    if (width <= page_width()) {
      return layout;
    }
    if (text && layout.shown.back()) {
      const std::size_t others = width - layout.widths.back();
      if (others + std::min(kLeastText, layout.widths.back()) <= page_width()) {
        layout.text = page_width() - others;
        return layout;
      }
    }
    std::size_t goes = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (layout.shown[i] && (goes == 0 || columns_[i].gives_way >= columns_[goes].gives_way)) {
        goes = i;
      }
    }
    if (goes == 0) {
      return layout;  // the first column alone is too wide
    }
    layout.shown[goes] = false;
  }
}

void Table::print_row(const Row& row, const Layout& layout, std::size_t indent,
                      std::ostream& out) const {
  std::vector<std::string> text{row.cells.back()};
  if (layout.text > 0) {
    text = wrap(row.cells.back(), layout.text);
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const bool filled =
        i + 1 == row.cells.size() && layout.text > 0 ? !text[0].empty() : !row.cells[i].empty();
    last = layout.shown[i] && filled ? i : last;
  }
  std::size_t left = indent;
  out << std::string(indent, ' ');
  for (std::size_t i = 0; i <= last; ++i) {
    if (!layout.shown[i]) {
      continue;
    }
    const bool wrapped = i + 1 == row.cells.size() && layout.text > 0;
    const std::string& cell = wrapped ? text[0] : row.cells[i];
    std::string whole = padded(cell, wrapped ? 0 : layout.widths[i], columns_[i].right);
    if (i == last) {
      whole.erase(whole.find_last_not_of(' ') + 1);
    }
    out << (i > 0 ? std::string(kGap, ' ') : "");
    left += i > 0 ? kGap : 0;
    out << StyledText{i == row.styled || row.style == Style::heading ? row.style : Style::plain,
                      whole};
    left += wrapped ? 0 : layout.widths[i];
  }
  out << '\n';
  for (std::size_t i = 1; i < text.size(); ++i) {
    out << std::string(left, ' ') << text[i] << '\n';
  }
}

void Table::print_further(const Row& row, const Layout& layout, std::size_t indent,
                          std::ostream& out) const {
  std::vector<std::string> shown_cells;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!layout.shown[i] && !columns_[i].is_extra && !row.cells[i].empty() && row.cells[i] != "-") {
      shown_cells.push_back(columns_[i].head.empty() ? row.cells[i]
                                                     : columns_[i].head + " " + row.cells[i]);
    }
  }
  if (shown_cells.empty()) {
    return;
  }
  for (const std::string& line :
       wrap(fmt::format("{}", fmt::join(shown_cells, ", ")), page_width() - indent - kDeeper)) {
    out << std::string(indent + kDeeper, ' ') << line << '\n';
  }
}

void Table::print_heads(const Layout& layout, std::size_t indent, std::ostream& out) const {
  Row heads{{}, false, heads_, 0, 0};
  bool any = false;
  for (const TableColumn& column : columns_) {
    heads.cells.push_back(printable(column.head));
    any = any || !column.head.empty();
  }
  if (any) {
    print_row(heads, layout, indent, out);
  }
}

void Table::print_head(std::ostream& out, std::size_t indent) const {
  print_heads(layout(indent), indent, out);
}

void Table::print_row(std::vector<std::string> cells, std::ostream& out, std::size_t indent,
                      Style style) const {
  const Layout layout = this->layout(indent);
  const Row row = row_of(std::move(cells), style, 0);
  print_row(row, layout, indent, out);
  print_further(row, layout, indent, out);
}

void Table::print(std::ostream& out, std::size_t indent) const {
  const Layout layout = this->layout(indent);
  print_heads(layout, indent, out);
  for (const Row& row : rows_) {
    if (row.line) {
      for (const std::string& line : wrap(row.cells.front(), text_width() - indent - row.deeper)) {
        out << std::string(indent + row.deeper, ' ') << line << '\n';
      }
      continue;
    }
    print_row(row, layout, indent, out);
    print_further(row, layout, indent, out);
  }
}

void print_columns(std::vector<std::vector<std::string>> lines, const std::vector<bool>& right,
                   std::size_t indent, std::ostream& out) {
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < right.size(); ++i) {
    columns.push_back({lines.front().at(i), right[i]});
  }
  Table table(std::move(columns), Style::plain);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    table.add(std::move(lines[i]));
  }
  table.print(out, indent);
}

void print_bands(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right,
                 std::size_t indent, std::ostream& out) {
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(printable(line[i])));
    }
  }
  for (std::size_t first = 1; first < right.size();) {
    std::size_t width = indent + widths[0];
    std::size_t end = first;
    while (end < right.size() && (end == first || width + kGap + widths[end] <= page_width())) {
      width += kGap + widths[end++];
    }
    const auto part = [first, end](const auto& all) {
      std::remove_cvref_t<decltype(all)> some{all.front()};
      some.insert(some.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
                  all.begin() + static_cast<std::ptrdiff_t>(end));
      return some;
    };
    std::vector<std::vector<std::string>> band;
    for (const auto& line : lines) {
      band.push_back(part(line));
    }
    out << (first > 1 ? "\n" : "");
    print_columns(std::move(band), part(right), indent, out);
    first = end;
  }
}

}}  // namespace tutti::formats

#include "src/formats/text_table.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace tutti {

std::size_t display_width(std::string_view text) {
  // Bytes 10xxxxxx go on with a character.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
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
  bool first = true;
  for (const std::string& line : wrap(printable(text), kPageWidth - left)) {
    std::string start = first ? std::string(indent, ' ') + std::string(key) : "";
    first = false;
    if (!line.empty()) {
      // A key that fills its column still stands apart.
      start.resize(
          start.size() > left || (start.size() == left && !key.empty()) ? start.size() + 1 : left,
          ' ');
    }
    out << start << line << '\n';
  }
}

void print_columns(std::vector<std::vector<std::string>> lines, const std::vector<bool>& right,
                   std::size_t indent, std::ostream& out) {
  for (auto& line : lines) {
    for (std::string& field : line) {
      field = printable(field);
    }
  }
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  for (const auto& line : lines) {
    std::string text(indent, ' ');
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap(widths[i] - display_width(line[i]), ' ');
      text += (i == 0 ? "" : "  ") + (right[i] ? gap + line[i] : line[i] + gap);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  }
}

}  // namespace tutti

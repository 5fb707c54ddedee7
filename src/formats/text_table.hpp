// Text in columns for people: long cells are wrapped below one another.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

inline constexpr std::size_t kPageWidth = 100;

// Words of `text` in lines of at most `width` characters.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// Characters of UTF-8 text, not its bytes.
[[nodiscard]] std::size_t display_width(std::string_view text);

// "  key       text that is wrapped
//              under itself"
void print_field(std::ostream& out, std::size_t indent, std::size_t key_width, std::string_view key,
                 std::string_view text);

// Lines of cells in columns as wide as their widest cell; `right` says which end of its column a
// cell stands at. Both print texts as printable() has them.
void print_columns(std::vector<std::vector<std::string>> lines, const std::vector<bool>& right,
                   std::size_t indent, std::ostream& out);

}  // namespace tutti

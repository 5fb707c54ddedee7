// Width and colour of standard output. Each program determines them once, when it starts; before
// that, and in tests, standard output counts as a pipe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace tutti { inline namespace formats {

// Width if standard output is not a terminal, and the maximum width of running text on a wide
// terminal.
inline constexpr std::size_t kPageWidth = 100;

// Indentation of the lines below a heading.
inline constexpr std::size_t kIndent = 2;

enum class ColourUse : std::uint8_t { automatic, always, never };
[[nodiscard]] std::optional<ColourUse> colour_use_named(std::string_view text);
// Values of --color, in the order of ColourUse.
inline constexpr std::array<std::string_view, 3> kColourUses{"auto", "always", "never"};

// Returns the number of columns of the terminal. Without a terminal, returns the environment
// variable COLUMNS, or else kPageWidth.
[[nodiscard]] std::size_t page_width();
// Like page_width(), but at most kPageWidth: for sentences.
[[nodiscard]] std::size_t text_width();

// Determines width and colour from standard output and the environment variables COLUMNS, NO_COLOR
// and TERM.
void look_at_page();
// Applies --color. To be called after look_at_page().
void use_colour(ColourUse use);

enum class Style : std::uint8_t { plain, heading, best, warning };

// Text that is printed in a style on a terminal, and without a style to a file. The text itself
// passes through the filter of `out`, so that it cannot control the terminal.
struct StyledText {
  Style style = Style::plain;
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, const StyledText& styled);

}}  // namespace tutti::formats

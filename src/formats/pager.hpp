// What standard output shows: how wide it is, and whether in colour. Every program of ours looks
// once, when it starts; until then, and in tests, it is a pipe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace tutti::inline formats {

// The width where nobody looks, and the most that running text takes of a wide terminal.
inline constexpr std::size_t kPageWidth = 100;

// Blanks before the lines below a heading.
inline constexpr std::size_t kIndent = 2;

enum class ColourUse : std::uint8_t { automatic, always, never };
[[nodiscard]] std::optional<ColourUse> colour_use_named(std::string_view text);
// "auto", "always", "never"
inline constexpr std::array<std::string_view, 3> kColourUses{"auto", "always", "never"};

// Columns of standard output: the terminal's; elsewhere those of the variable COLUMNS, or
// kPageWidth.
[[nodiscard]] std::size_t page_width();
// The same, but at most kPageWidth: for sentences.
[[nodiscard]] std::size_t text_width();

// Looks at standard output and the environment: COLUMNS, NO_COLOR, TERM.
void look_at_page();
// What --color says, after look_at_page().
void use_colour(ColourUse use);

enum class Style : std::uint8_t { plain, heading, best, warning };

// Text that a terminal shows in a style, and a file without. The text goes the way of all text to
// `out`, so that nothing in it can be taken for control of the terminal.
struct Styled {
  Style style = Style::plain;
  std::string_view text;
};
std::ostream& operator<<(std::ostream& out, const Styled& styled);

}  // namespace tutti::inline formats

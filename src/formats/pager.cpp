#include "src/formats/pager.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include "base/text_lines.hpp"
#include "schedules/options/word_list.hpp"
#include "src/formats/standard_streams.hpp"

namespace tutti { inline namespace formats {

namespace {

// With fewer columns, the name of an algorithm does not fit beside its time.
constexpr std::size_t kLeastWidth = 40;
// Larger values of COLUMNS are assumed to be mistakes.
constexpr std::size_t kMostWidth = 10'000;

struct Page {
  std::size_t width = kPageWidth;
  bool terminal = false;
  bool coloured = false;
};

Page& page() {
  static Page page;
  return page;
}

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): at the start
  return value == nullptr ? "" : value;
}

std::size_t columns_of_terminal() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t columns_of_environment() {
  return parsed_number<std::size_t>(variable("COLUMNS")).value_or(0);
}

// Returns the control sequence that begins a style; "" for Style::plain.
std::string_view control_of(Style style) {
  constexpr std::array<std::string_view, 4> kControls{"", "\x1b[1m", "\x1b[1;32m", "\x1b[33m"};
  return kControls[static_cast<std::size_t>(style)];
}

}  // namespace

std::optional<ColourUse> colour_use_named(std::string_view text) {
  return named<ColourUse>(kColourUses, text);
}

std::size_t page_width() { return page().width; }

std::size_t text_width() { return std::min(page().width, kPageWidth); }

void look_at_page() {
  page().terminal = ::isatty(STDOUT_FILENO) == 1;
  std::size_t width = page().terminal ? columns_of_terminal() : 0;
  width = width > 0 ? width : columns_of_environment();
  page().width = width > 0 ? std::clamp(width, kLeastWidth, kMostWidth) : kPageWidth;
  use_colour(ColourUse::automatic);
}

void use_colour(ColourUse use) {
  page().coloured =
      use == ColourUse::always || (use == ColourUse::automatic && page().terminal &&
                                   variable("NO_COLOR").empty() && variable("TERM") != "dumb");
}

std::ostream& operator<<(std::ostream& out, const StyledText& styled) {
  const std::string_view control = page().coloured ? control_of(styled.style) : "";
  if (control.empty() || styled.text.empty()) {
    return out << styled.text;
  }
  std::ostream terminal(unfiltered(out));
  terminal << control;
  out << styled.text;
  terminal << "\x1b[0m";
  return out;
}

}}  // namespace tutti::formats

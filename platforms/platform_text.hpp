// A platform as SimGrid is given it: what was checked, and nothing else. SimGrid reads XML by rules
// of its own; a file written anew from what pugixml has read means the same to both.
#pragma once

#include <pugixml.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// Line by line: nodes come in the order of the text, and each question goes on from the last.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  // From 1. `offset` as pugixml has it: below 0, the first line.
  [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// Elements, attributes and text of a document that was read from `original`: no comments, entities,
// or document type but SimGrid's. Each element begins on the line where it began.
[[nodiscard]] std::string platform_text(const pugi::xml_document& document,
                                        std::string_view original);

// SimGrid reads that out of memory, by the name of a file that is open, and says so in what it has
// to say of it: here under the name that the user gave.
inline constexpr std::string_view kOpenFilesFolder = "/proc/self/fd/";
[[nodiscard]] std::string with_platform_named(std::string text, const std::string& platform);

}  // namespace tutti::inline platforms

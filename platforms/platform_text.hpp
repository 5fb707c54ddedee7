// Writes the platform text that SimGrid reads, with only the checked elements. SimGrid has its own
// rules for XML, so the text is written anew from what pugixml parsed. SimGrid then cannot read it
// differently from pugixml.
#pragma once

#include <pugixml.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace tutti { inline namespace platforms {

// Computes line numbers. Fast if the offsets ascend, since each call continues where the previous
// call stopped.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  // Returns the number of the line, from 1, that contains `offset`. The offset is pugixml's, which
  // is negative if unknown; the line is then 1.
  [[nodiscard]] std::size_t line_of(std::ptrdiff_t offset);

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// Returns the elements, attributes and text of a document parsed from `original`, without comments
// and entities, and with SimGrid's document type only. Each element begins on its original line.
[[nodiscard]] std::string platform_text(const pugi::xml_document& document,
                                        std::string_view original);

// SimGrid reads platform_text() through an open file descriptor, so its messages contain the path
// of the descriptor. with_platform_named() replaces that path in a message by the name that the
// user gave.
inline constexpr std::string_view kOpenFilesFolder = "/proc/self/fd/";
[[nodiscard]] std::string with_platform_named(std::string text, const std::string& platform);

}}  // namespace tutti::platforms

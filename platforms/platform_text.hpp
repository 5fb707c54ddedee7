// Writes the platform text that SimGrid reads, with only the checked elements. SimGrid has its own
// rules for XML, so the text is written anew from what pugixml parsed. It then means the same to
// both.
#pragma once

#include <pugixml.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// Computes line numbers. Fast if the offsets ascend, since each call continues from the last one.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  // Returns the line number, from 1. `offset` is pugixml's; a negative one means the first line.
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

// SimGrid reads this text through an open file descriptor, and its messages contain the
// descriptor's path. Replaces that path in `text` by the name that the user gave.
inline constexpr std::string_view kOpenFilesFolder = "/proc/self/fd/";
[[nodiscard]] std::string with_platform_named(std::string text, const std::string& platform);

}  // namespace tutti::inline platforms

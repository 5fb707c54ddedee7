// Makes text from files and other sources safe for a terminal or JSON.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace tutti::inline base {

// Returns the text as one line of valid UTF-8. Line ends and tabs become blanks. Each byte of a
// control character, of a text-direction mark or of invalid UTF-8 becomes '?'.
[[nodiscard]] std::string printable(std::string_view text);

// True if `text` is valid UTF-8 without control characters other than tabs, and without
// text-direction marks.
[[nodiscard]] bool is_printable(std::string_view text);
// True if `text` is valid UTF-8, whatever its characters.
[[nodiscard]] bool is_utf8(std::string_view text);

// Shortens text for an error message. Cuts the middle out of words of more than 240 bytes and of
// texts of more than 1000 bytes, and says how many bytes are missing.
[[nodiscard]] std::string shortened(std::string_view text);

// Filters what is written to `sink` as printable() does, except that line ends and tabs stay.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf* sink) : sink_(sink) {}

  // Text written directly to the sink is not filtered.
  [[nodiscard]] std::streambuf* sink() const { return sink_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::string_view text);

  std::streambuf* sink_;
  std::string begun_;  // incomplete character: more bytes are to come
};

}  // namespace tutti::inline base

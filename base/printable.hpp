// Text from files and from other people, before it goes to a terminal or into JSON.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace tutti::inline base {

// In UTF-8 and on one line: line ends and tabs become blanks; bytes of control characters, of marks
// of direction and of invalid UTF-8 become '?'.
[[nodiscard]] std::string printable(std::string_view text);

// Whether that changes nothing, tabs aside.
[[nodiscard]] bool is_printable(std::string_view text);
// Whether all of it is UTF-8, whatever the characters.
[[nodiscard]] bool is_utf8(std::string_view text);

// For complaints: a word of more than some 200 bytes is cut in its middle, and a text of more than
// some 1000 too, and it is said how much was left out.
[[nodiscard]] std::string shortened(std::string_view text);

// Filters what is written to `sink` as printable() does, except that line ends and tabs stay.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf* sink) : sink_(sink) {}

  // What is written to it goes out as it is.
  [[nodiscard]] std::streambuf* sink() const { return sink_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::string_view text);

  std::streambuf* sink_;
  std::string begun_;  // a character of which there are more bytes to come
};

}  // namespace tutti::inline base

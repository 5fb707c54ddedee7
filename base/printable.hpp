// Makes text from files and other sources safe for a terminal or JSON.
#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

// Returns the text as one line of valid UTF-8. Line ends and tabs become blanks. Each byte of a
// control character, of a text-direction mark or of invalid UTF-8 becomes '?'.
[[nodiscard]] std::string printable(std::string_view text);

// True if `text` is valid UTF-8 without control characters other than tabs, and without
// text-direction marks.
[[nodiscard]] bool is_printable(std::string_view text);
// Returns the length of the first character of a text in bytes; 0 if it is not valid UTF-8. The
// text must not be empty.
[[nodiscard]] std::size_t character_length(std::string_view text);
// True if `text` is valid UTF-8, whatever characters it contains.
[[nodiscard]] bool is_utf8(std::string_view text);

// Returns the text with ASCII in place of characters that editors and web pages put in its place:
// dashes of any length and the minus sign (-), no-break and thin blanks, the micro sign (u), the
// multiplication sign (x) and the ellipsis (..).
[[nodiscard]] std::string plain_ascii(std::string_view text);

// Shortens text for an error message. Cuts the middle out of words of more than 240 bytes and of
// texts of more than 1000 bytes, and says how many bytes are missing.
[[nodiscard]] std::string shortened(std::string_view text);

// Prepares an error message for printing: removes trailing line ends, escapes control characters,
// and shortens long texts.
[[nodiscard]] std::string one_line(std::string text);

// A stream buffer that filters its text as printable() does and writes it to `sink`. Unlike
// printable(), it keeps line ends and tabs.
class PrintableBuffer : public std::streambuf {
 public:
  explicit PrintableBuffer(std::streambuf* sink) : sink_(sink) {}

  // The underlying buffer. Text that is written directly to it is not filtered.
  [[nodiscard]] std::streambuf* sink() const { return sink_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  bool put(std::string_view text);

  std::streambuf* sink_;
  std::string begun_;  // first bytes of a character whose other bytes have not been written yet
};

}}  // namespace tutti::base

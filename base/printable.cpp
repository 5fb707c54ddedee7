#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti { inline namespace base {

namespace {

struct Character {
  std::size_t bytes = 0;  // length; 0 if the bytes are not valid UTF-8
  char32_t code = 0;
};

std::size_t size_after(std::uint8_t first) { return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2; }

// Decodes the first character of a text, which must not be empty.
Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) {
    return {1, first};
  }
  const std::size_t size = size_after(first);
  if (first < 0xc0 || first >= 0xf8 || text.size() < size) {
    return {};
  }
  char32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) {
      return {};
    }
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr char32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kLeast[size - 2] || surrogate || code > 0x10ffff ? Character{}
                                                                 : Character{size, code};
}

// True for characters that can control a terminal, and for text-direction marks, which can make one
// name look like another.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// Returns `text` with '?' in place of each byte that must not be shown. Control characters in
// `kept` stay, and those in `blanks` become blanks.
std::string shown(std::string_view text, std::string_view kept, std::string_view blanks) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto plain = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7f; });
    result.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) {
      break;
    }
    const Character character = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes > 0 && (!is_control(character.code) || kept.find(text[0]) != kept.npos)) {
      result += text.substr(0, bytes);
    } else {
      result.append(bytes, blanks.find(text[0]) != blanks.npos ? ' ' : '?');
    }
    text.remove_prefix(bytes);
  }
  return result;
}

// Replaces the bytes from `begin` to `end` by a note with their number. Moves `begin` and `end`
// such that no character is split.
std::string without_middle(std::string_view text, std::size_t begin, std::size_t end) {
  const auto inside = [text](std::size_t i) {
    return i < text.size() && (static_cast<std::uint8_t>(text[i]) & 0xc0U) == 0x80U;
  };
  for (int i = 0; i < 3 && begin > 0 && inside(begin); ++i) {
    --begin;
  }
  for (int i = 0; i < 3 && inside(end); ++i) {
    ++end;
  }
  return fmt::format("{}[... {} more bytes ...]{}", text.substr(0, begin), end - begin,
                     text.substr(end));
}

}  // namespace

std::string printable(std::string_view text) { return shown(text, "", "\n\r\t"); }

bool is_printable(std::string_view text) { return shown(text, "\t", "") == text; }

std::size_t character_length(std::string_view text) { return first_of(text).bytes; }

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = character_length(text);
    if (bytes == 0) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kLongWord = 240;
  constexpr std::size_t kWordStart = 120;
  constexpr std::size_t kWordEnd = 40;
  constexpr std::size_t kLongText = 1000;
  constexpr std::size_t kTextStart = 600;
  constexpr std::size_t kTextEnd = 300;
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    result += begin == 0 ? "" : " ";
    if (word.size() > kLongWord) {
      result += without_middle(word, kWordStart, word.size() - kWordEnd);
    } else {
      result += word;
    }
    begin = end + 1;
  }
  return result.size() > kLongText ? without_middle(result, kTextStart, result.size() - kTextEnd)
                                   : result;
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return printable(shortened(text));
}

bool PrintableBuffer::put(std::string_view text) {
  const std::string safe = shown(text, "\n\t", "");
  return sink_->sputn(safe.data(), static_cast<std::streamsize>(safe.size())) ==
         static_cast<std::streamsize>(safe.size());
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  begun_.append(text, static_cast<std::size_t>(size));
  std::size_t rest = 0;  // number of bytes of an incomplete character at the end
  for (std::size_t i = 1; rest == 0 && i <= std::min<std::size_t>(3, begun_.size()); ++i) {
    const auto byte = static_cast<std::uint8_t>(begun_[begun_.size() - i]);
    rest = byte >= 0xc0 && size_after(byte) > i ? i : 0;
  }
  const std::size_t whole = begun_.size() - rest;
  const bool done = put(std::string_view(begun_).substr(0, whole));
  begun_.erase(0, whole);
  return done ? size : 0;
}

std::string plain_ascii(std::string_view text) {
  struct LookAlike {
    std::string_view character;
    std::string_view ascii;
  };
  constexpr std::array kLookAlikes{
      LookAlike{"\u2010", "-"}, LookAlike{"\u2011", "-"}, LookAlike{"\u2012", "-"},
      LookAlike{"\u2013", "-"}, LookAlike{"\u2014", "-"}, LookAlike{"\u2212", "-"},
      LookAlike{"\u00a0", " "}, LookAlike{"\u2009", " "}, LookAlike{"\u202f", " "},
      LookAlike{"\u00b5", "u"}, LookAlike{"\u03bc", "u"}, LookAlike{"\u00d7", "x"},
      LookAlike{"\u2026", ".."}};
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    const auto* const found = std::ranges::find_if(
        kLookAlikes, [&](const LookAlike& each) { return text.starts_with(each.character); });
    const bool is_other = found == kLookAlikes.end();
    plain += is_other ? text.substr(0, 1) : found->ascii;
    text.remove_prefix(is_other ? 1 : found->character.size());
  }
  return plain;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) {
    return traits_type::not_eof(c);
  }
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int PrintableBuffer::sync() {
  const bool done = put(begun_);
  begun_.clear();
  return done ? sink_->pubsync() : -1;
}

}}  // namespace tutti::base

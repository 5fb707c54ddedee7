#include "base/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutti::inline base {

namespace {

struct Character {
  std::size_t bytes = 0;  // 0: no UTF-8
  bool control = false;   // what a terminal might obey
  bool cut = false;       // begins well, but the text ends before it does
};

// The one that the text, which is not empty, begins with.
Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) {
    return {1, first < 0x20 || first == 0x7f, false};
  }
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) {
    return {};
  }
  for (std::size_t i = 1; i < size; ++i) {
    if (i == text.size()) {
      return {0, false, true};
    }
    if ((byte(i) & 0xc0U) != 0x80) {
      return {};
    }
  }
  const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character =
      (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  if (too_long || no_character) {
    return {};
  }
  // The controls of 0x80 to 0x9f; and marks that turn the direction of what follows, with which a
  // name can seem to be another one.
  const bool control =
      (first == 0xc2 && byte(1) < 0xa0) ||
      (first == 0xe2 && ((byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f ||
                                              (byte(2) >= 0xa8 && byte(2) <= 0xae))) ||
                         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9)));
  return {size, control, false};
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

// Bytes at the start that are ASCII which anybody may see.
std::size_t plain_bytes(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) -
                                  text.begin());
}

// `middle` bytes of which the text is without, and where a character begins on both sides.
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

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    if (const std::size_t plain = plain_bytes(text); plain > 0) {
      result += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const Character character = first_of(text);
    const bool shown = character.bytes > 0 && !character.control;
    if (shown) {
      result += text.substr(0, character.bytes);
    } else {
      const char c = text.front();
      const std::size_t marks = std::max<std::size_t>(character.bytes, 1);
      result.append(marks, c == '\n' || c == '\r' || c == '\t' ? ' ' : '?');
    }
    text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
  }
  return result;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.bytes == 0 || (character.control && text.front() != '\t')) {
      return false;
    }
    text.remove_prefix(character.bytes);
  }
  return true;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_of(text).bytes;
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

bool PrintableBuffer::put(std::string_view text) {
  return sink_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

std::streamsize PrintableBuffer::xsputn(const char* text, std::streamsize size) {
  std::string joined;
  std::string_view rest(text, static_cast<std::size_t>(size));
  if (!begun_.empty()) {
    joined = begun_ + std::string(rest);
    begun_.clear();
    rest = joined;
  }
  while (!rest.empty()) {
    const auto end = std::find_if_not(rest.begin(), rest.end(),
                                      [](char c) { return is_plain(c) || c == '\n' || c == '\t'; });
    const auto plain = static_cast<std::size_t>(end - rest.begin());
    if (plain > 0) {
      if (!put(rest.substr(0, plain))) {
        return 0;
      }
      rest.remove_prefix(plain);
      continue;
    }
    const Character character = first_of(rest);
    if (character.cut) {
      begun_ = rest;
      break;
    }
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (!put(character.bytes > 0 && !character.control ? std::string(rest.substr(0, bytes))
                                                       : std::string(bytes, '?'))) {
      return 0;
    }
    rest.remove_prefix(bytes);
  }
  return size;
}

PrintableBuffer::int_type PrintableBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) {
    return traits_type::not_eof(c);
  }
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int PrintableBuffer::sync() { return sink_->pubsync(); }

}  // namespace tutti::inline base

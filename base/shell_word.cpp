#include "base/shell_word.hpp"

#include <algorithm>

namespace tutti { inline namespace base {

std::string shell_word(std::string_view word) {
  constexpr std::string_view kPlain = "_@%+=:,./-";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != kPlain.npos;
  });
  if (plain) {
    return std::string(word);
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + '\'';
}

std::string shell_path(std::string_view path) {
  return path.starts_with('-') ? shell_word("./" + std::string(path)) : shell_word(path);
}

}}  // namespace tutti::base

#include "base/field_names.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <iterator>

namespace tutti { inline namespace base {

namespace {

std::atomic<FieldNames> spelling = FieldNames::plain;

bool is_small_letter(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_of_name(char letter) { return is_small_letter(letter) || letter == '_'; }
// A quotation mark next to a letter or digit may be an apostrophe, as in "Open MPI's". So a mark
// after a letter or digit does not open a quotation, and a mark before one does not close it.
bool is_of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

std::string spelled(std::string_view field) {
  if (spelling == FieldNames::plain) {
    return std::string(field);
  }
  std::string flag = field == "ranks" ? "-p/" : field == "bytes" ? "-n/" : "";
  flag += "--";
  std::ranges::replace_copy(field, std::back_inserter(flag), '_', '-');
  return flag;
}

}  // namespace

void spell_fields_as(FieldNames names) { spelling = names; }

std::string with_fields(std::string_view text) {
  if (text.find('$') == std::string_view::npos) {
    return std::string(text);
  }
  std::string whole;
  char quote = 0;  // the quotation mark of the open quotation; 0: none is open
  for (std::size_t at = 0; at < text.size();) {
    const char here = text[at];
    const bool quotes = here == '\'' || here == '"';
    if (quotes && quote == 0 && (at == 0 || !is_of_word(text[at - 1]))) {
      quote = here;
    } else if (here == quote && (at + 1 == text.size() || !is_of_word(text[at + 1]))) {
      quote = 0;
    }
    std::size_t end = at + 1;
    if (here == '$' && quote == 0 && end < text.size() && is_small_letter(text[end])) {
      while (end < text.size() && is_of_name(text[end])) {
        ++end;
      }
      whole += spelled(text.substr(at + 1, end - at - 1));
    } else {
      whole += here;
    }
    at = end;
  }
  return whole;
}

}}  // namespace tutti::base

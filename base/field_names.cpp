#include "base/field_names.hpp"

#include <algorithm>

namespace tutti::inline base {

namespace {

FieldNames spelling = FieldNames::plain;

bool is_letter(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_of_name(char letter) { return is_letter(letter) || letter == '_'; }

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
  std::string whole;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t dollar = std::min(text.find('$', at), text.size());
    whole += text.substr(at, dollar - at);
    std::size_t end = std::min(dollar + 1, text.size());
    while (end < text.size() && is_of_name(text[end])) {
      ++end;
    }
    const bool field = end > dollar + 1 && is_letter(text[dollar + 1]);
    whole += field ? spelled(text.substr(dollar + 1, end - dollar - 1))
                   : std::string(text.substr(dollar, end - dollar));
    at = end;
  }
  return whole;
}

}  // namespace tutti::inline base

#include "base/field_names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace tutti { inline namespace base {

namespace {

bool is_small_letter(char letter) { return letter >= 'a' && letter <= 'z'; }
bool is_of_name(char letter) { return is_small_letter(letter) || letter == '_'; }
bool is_of_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }
bool is_of_value(char letter) {
  constexpr std::string_view kMarks = ".,*-_";
  return is_of_word(letter) || kMarks.find(letter) != std::string_view::npos;
}

// A quotation mark may be an apostrophe, as in "Open MPI's", or a part of a file's name in a
// quotation. So a mark opens a quotation only after a blank, a bracket or the like, closes it only
// before something other than a letter or digit, and opens none if no mark closes it.
bool closes_quotation(std::string_view text, std::size_t at) {
  return at + 1 == text.size() || !is_of_word(text[at + 1]);
}
bool opens_quotation(std::string_view text, std::size_t at) {
  constexpr std::string_view kBefore = " ([{=:,/";
  if (at > 0 && kBefore.find(text[at - 1]) == std::string_view::npos) {
    return false;
  }
  for (std::size_t end = text.find(text[at], at + 1); end != std::string_view::npos;
       end = text.find(text[at], end + 1)) {
    if (closes_quotation(text, end)) {
      return true;
    }
  }
  return false;
}

// Returns the length of the part of `text` whose characters have the property.
std::size_t length_of(std::string_view text, bool (*has)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, has) - text.begin());
}

// Returns the value in "=64, ...". A point or comma at its end belongs to the sentence.
std::string_view value_after(std::string_view text) {
  if (!text.starts_with('=')) {
    return {};
  }
  std::string_view value = text.substr(1, length_of(text.substr(1), is_of_value));
  while (!value.empty() && !is_of_word(value.back())) {
    value.remove_suffix(1);
  }
  return value;
}

std::string_view letter_of(std::string_view field) {
  return field == "ranks" ? "-p" : field == "bytes" ? "-n" : "";
}

}  // namespace

std::string user_text(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    if (at + 1 < text.size() && is_small_letter(text[at + 1])) {
      const std::string mark = text.find('\'') == std::string_view::npos ? "'" : "\"";
      return mark + std::string(text) + mark;
    }
  }
  return std::string(text);
}

std::string place_in_file(std::string_view file, std::uint64_t line) {
  return user_text(file) + ":" + std::to_string(line);
}

std::string flag_of(std::string_view field) {
  std::string flag = "--";
  std::ranges::replace_copy(field, std::back_inserter(flag), '_', '-');
  return flag;
}

std::string field_of(std::string_view flag) {
  std::string field = "$";
  std::ranges::replace_copy(flag.substr(2), std::back_inserter(field), '-', '_');
  return field;
}

std::string shell_command(std::string_view command) {
  std::string text = "'";
  while (!command.empty()) {
    const std::size_t field = std::min(command.find('$'), command.size());
    text += command.substr(0, field);
    command.remove_prefix(std::min(field + 1, command.size()));
    const std::size_t end = length_of(command, is_of_name);
    text += end == 0 ? "" : flag_of(command.substr(0, end));
    command.remove_prefix(end);
  }
  return text + "'";
}

namespace {

std::string argument_of(std::string_view field) {
  return std::string(field) + (field == "with" || field == "and" ? "_" : "");
}

// Returns the flag in "'--ports' is unknown", which begins with a quotation mark; "" if this is not
// a flag in quotation marks.
std::string_view quoted_flag(std::string_view text) {
  constexpr std::string_view kDashes = "--";
  const std::string_view flag = text.substr(
      1, length_of(text.substr(1), [](char c) { return is_small_letter(c) || c == '-'; }));
  const bool is_closed = text.size() > flag.size() + 1 && text[flag.size() + 1] == text[0];
  return is_closed && flag.starts_with(kDashes) && flag.size() > kDashes.size() ? flag : "";
}

// Returns the argument that has the flag on the command line: "ranks_per_host".
std::string argument_for(std::string_view flag) {
  std::string field(flag.substr(2));
  std::ranges::replace(field, '-', '_');
  return argument_of(field);
}

std::string name_of(std::string_view field, FieldNames names) {
  if (names == FieldNames::arguments) {
    return argument_of(field);
  }
  const std::string_view letter = letter_of(field);
  return letter.empty() ? flag_of(field) : std::string(letter) + "/" + flag_of(field);
}

std::string example_of(std::string_view field, std::string_view value, FieldNames names) {
  if (names == FieldNames::arguments) {
    // A number, or a word that stands for one, as in "COUNT", needs no quotation marks.
    const bool is_plain = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; }) ||
                          std::ranges::all_of(value, [](char c) { return c >= 'A' && c <= 'Z'; });
    const std::string quote = is_plain ? "" : "'";
    return argument_of(field) + "=" + quote + std::string(value) + quote;
  }
  const std::string_view letter = letter_of(field);
  return (letter.empty() ? flag_of(field) : std::string(letter)) + " " + std::string(value);
}

}  // namespace

std::string with_fields(std::string_view text, FieldNames names) {
  std::string whole;
  char quote = 0;  // the quotation mark of the open quotation; 0: none is open
  for (std::size_t at = 0; at < text.size();) {
    const char here = text[at];
    const bool quotes = here == '\'' || here == '"';
    if (quotes && quote == 0 && opens_quotation(text, at)) {
      quote = here;
      const std::string_view flag =
          names == FieldNames::arguments ? quoted_flag(text.substr(at)) : "";
      if (!flag.empty()) {
        whole += here + argument_for(flag);
        at += 1 + flag.size();
        continue;
      }
    } else if (here == quote && closes_quotation(text, at)) {
      quote = 0;
    }
    const std::string_view rest = text.substr(at + 1);
    if (here != '$' || quote != 0 || rest.empty() || !is_small_letter(rest.front())) {
      whole += here;
      ++at;
      continue;
    }
    const std::string_view field = rest.substr(0, length_of(rest, is_of_name));
    const std::string_view value = value_after(rest.substr(field.size()));
    whole += value.empty() ? name_of(field, names) : example_of(field, value, names);
    at += 1 + field.size() + (value.empty() ? 0 : 1 + value.size());
  }
  return whole;
}

}}  // namespace tutti::base

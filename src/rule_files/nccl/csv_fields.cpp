#include "src/rule_files/nccl/csv_fields.hpp"

#include <limits>

#include "base/characters.hpp"
#include "base/text_cursor.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

CsvFields csv_fields_of(std::string_view line) {
  CsvFields fields;
  for (const std::string_view field : split(line, ',')) {
    if (field.empty()) {
      fields.left_out = true;
    } else {
      fields.kept.push_back(trimmed(field, " \t"));
    }
  }
  return fields;
}

CNumber c_number(std::string_view text) {
  TextCursor cursor(text);
  CNumber number;
  const bool spaces = !cursor.take_while(is_space).empty();
  const bool plus = cursor.take("+");
  number.negative = !plus && cursor.take("-");
  const std::string_view digits = cursor.take_while([](char c) { return is_digit(c); });
  const auto value = parsed_number<std::uint64_t>(digits);
  number.fits = value || digits.empty();
  number.digits = value.value_or(number.fits ? 0 : std::numeric_limits<std::uint64_t>::max());
  number.whole = !spaces && !plus && !digits.empty() && cursor.at_end();
  return number;
}

}}  // namespace tutti::rule_files

#include "src/rule_files/forms/rule_form.hpp"

#include <algorithm>

#include "base/text_lines.hpp"

namespace tutti::inline rule_files {

namespace rule_forms {
#define TUTTI_RULE_FORM(form) extern const RuleForm form;
#include "src/rule_files/forms/rule_forms.def"
#undef TUTTI_RULE_FORM
}  // namespace rule_forms

const RuleForm& rule_form(RuleFormat format) {
  switch (format) {
#define TUTTI_RULE_FORM(form) \
  case RuleFormat::form:      \
    return rule_forms::form;
#include "src/rule_files/forms/rule_forms.def"
#undef TUTTI_RULE_FORM
  }
  return rule_forms::tutti;
}

TextLook look_of_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    return TextLook::json;
  }
  std::string_view line;
  while (next_line(text, line)) {
    const std::string_view content = line.substr(0, line.find('#'));
    if (content.find(',') != content.npos) {
      return TextLook::commas;
    }
    if (content.find("rule-file-version") != content.npos) {
      return TextLook::version;
    }
  }
  return TextLook::plain;
}

}  // namespace tutti::inline rule_files

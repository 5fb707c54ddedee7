#include "src/rule_files/rule_form.hpp"

#include <array>

namespace tutti { inline namespace rule_files {

const RuleForm& rule_form(RuleFormat format) {
  static constexpr std::array kForms{
#define TUTTI_RULE_FORM(form) &forms::form,
#include "src/rule_files/forms.def"
#undef TUTTI_RULE_FORM
  };
  return *kForms[static_cast<std::size_t>(format)];
}

}}  // namespace tutti::rule_files

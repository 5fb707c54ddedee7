#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/han_rules.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_han(std::string_view text) {
  return look_of_text(text) == TextLook::plain && names_a_component(text);
}

}  // namespace

// Rules by which Open MPI's coll/han chooses the component that runs a collective.
// write_han_rules() writes files in this format.
extern const RuleForm han{
    .name = "han",
    .description = "rules of Open MPI's coll/han",
    .family = "Open MPI",
    .load = kLoadHan,
    .release = 500,
    .decides_the_rest = true,
    .recognises = recognises_han,
    .read = read_han_rules,
};

}  // namespace tutti::inline rule_files::rule_forms

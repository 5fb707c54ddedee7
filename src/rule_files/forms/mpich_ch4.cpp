#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_mpich_ch4(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("\"composition=") != text.npos;
}

RuleFile read_mpich_ch4(std::string_view text, int release) {
  return read_mpich_json(text, {RuleFormat::mpich_ch4, MpichLevel::composition, release});
}

}  // namespace

// Rules by which MPICH's device ch4 composes a collective from other collectives. ch4 applies these
// rules before any algorithm is selected. write_compositions() writes files in this format.
extern const RuleForm mpich_ch4{
    .name = "mpich_ch4",
    .description = "JSON compositions of MPICH's ch4",
    .family = "MPICH",
    .load = kLoadMpichCh4,
    .release = kLatest,
    .decides_the_rest = true,
    .recognises = recognises_mpich_ch4,
    .read = read_mpich_ch4,
};

}  // namespace tutti::inline rule_files::rule_forms

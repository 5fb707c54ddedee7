#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_mpich_posix(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("=MPIDI_POSIX_") != text.npos;
}

RuleFile read_mpich_posix(std::string_view text, int release) {
  return read_mpich_json(text, {RuleFormat::mpich_posix, MpichLevel::posix, release});
}

}  // namespace

// Rules that choose algorithms in a node's shared memory. For collectives without an entry, the
// selection tree decides. write_posix_rules() writes files in this format.
extern const RuleForm mpich_posix{
    .name = "mpich_posix",
    .description = "JSON selection of MPICH's ch4 in shared memory",
    .family = "MPICH",
    .load = kLoadMpichPosix,
    .release = kLatest,
    .decides_the_rest = true,
    .recognises = recognises_mpich_posix,
    .read = read_mpich_posix,
};

}  // namespace tutti::inline rule_files::rule_forms

#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

constexpr int kFirstRelease = 403;

// Recognises a text that names an algorithm that MPICH 4.0 does not know. Later releases know all
// names of 4.0, so a text without newer names does not show its release.
bool recognises_mpich43(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("\"collective=") != text.npos &&
         has_mpich_name_after(text, 400);
}

RuleFile read_mpich43(std::string_view text, int release) {
  return read_mpich_json(text, {RuleFormat::mpich43, MpichLevel::coll, release});
}

void write_mpich43(std::span<const RulesToWrite> rules, std::ostream& out) {
  write_mpich_json(rules, RuleFormat::mpich43, kFirstRelease, out);
}

}  // namespace

// Selection tree of MPICH 4.3 and 5.0.
extern const RuleForm mpich43{
    .name = "mpich43",
    .description = "JSON selection tree of MPICH 4.3 and later",
    .serves = "4.3 and later",
    .family = "MPICH",
    .load = kLoadMpichColl,
    .release = kLatest,
    .first_release = kFirstRelease,
    .algorithms = mpich_algorithms,
    .major_version = 7,
    .cuts = "mpich",
    .recognises = recognises_mpich43,
    .read = read_mpich43,
    .write = write_mpich43,
};

}  // namespace tutti::inline rule_files::rule_forms

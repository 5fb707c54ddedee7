#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

constexpr int kFirstRelease = 400;

bool recognises_mpich(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("\"tutti-decisions/") == text.npos &&
         text.find("\"collectives\"") == text.npos &&
         text.find("\"rule_file_version\"") == text.npos;
}

RuleFile read_mpich(std::string_view text, int release) {
  return read_mpich_json(text, {RuleFormat::mpich, MpichLevel::coll, release});
}

void write_mpich(std::span<const RulesToWrite> rules, std::ostream& out) {
  write_mpich_json(rules, RuleFormat::mpich, kFirstRelease, out);
}

}  // namespace

// Selection tree of MPICH 4.0. The environment variable MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE
// names the file.
extern const RuleForm mpich{
    .name = "mpich",
    .description = "JSON selection tree of MPICH 4.0",
    .serves = "4.0",
    .family = "MPICH",
    .load = kLoadMpichColl,
    .release = 400,
    .first_release = kFirstRelease,
    .algorithms = mpich_algorithms,
    .major_version = 4,
    .cuts = "mpich",
    .recognises = recognises_mpich,
    .read = read_mpich,
    .write = write_mpich,
};

}  // namespace tutti::inline rule_files::rule_forms

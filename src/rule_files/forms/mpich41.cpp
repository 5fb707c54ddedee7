#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/mpich_json.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

constexpr int kFirstRelease = 401;

// Recognises a text in which the first tree type is a number. Texts without a tree type have the
// same meaning in the format mpich43, which recognises them.
bool recognises_mpich41(std::string_view text) {
  constexpr std::string_view kTree = "\"tree_type=";
  const std::size_t tree = text.find(kTree);
  return look_of_text(text) == TextLook::json && has_mpich_name_after(text, 400) &&
         tree != text.npos && tree + kTree.size() < text.size() &&
         text[tree + kTree.size()] >= '0' && text[tree + kTree.size()] <= '9';
}

RuleFile read_mpich41(std::string_view text, int release) {
  return read_mpich_json(text, {RuleFormat::mpich41, MpichLevel::coll, release});
}

void write_mpich41(std::span<const RulesToWrite> rules, std::ostream& out) {
  write_mpich_json(rules, RuleFormat::mpich41, kFirstRelease, out);
}

}  // namespace

// Selection tree of MPICH 4.1 and 4.2, in which types of trees have numbers; from 4.3 on, they have
// names.
extern const RuleForm mpich41{
    .name = "mpich41",
    .description = "JSON selection tree of MPICH 4.1 and 4.2",
    .serves = "4.1, 4.2",
    .family = "MPICH",
    .load = kLoadMpichColl,
    .release = 402,
    .first_release = kFirstRelease,
    .algorithms = mpich_algorithms,
    .major_version = 5,
    .cuts = "mpich",
    .recognises = recognises_mpich41,
    .read = read_mpich41,
    .write = write_mpich41,
};

}  // namespace tutti::inline rule_files::rule_forms

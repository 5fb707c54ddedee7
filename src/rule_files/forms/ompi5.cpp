#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/ompi_collectives.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_ompi5(std::string_view text) { return look_of_text(text) == TextLook::version; }

RuleFile read_ompi5(std::string_view text, int /*release*/) {
  return read_ompi_classic(text, RuleFormat::ompi5);
}

void write_ompi5(std::span<const RulesToWrite> rules, std::ostream& out) {
  write_ompi_classic(rules, RuleFormat::ompi5, out);
}

}  // namespace

// Classic rules of Open MPI from 5.0.7 on. They may have a header, and a fifth number in each rule.
extern const RuleForm ompi5{
    .name = "ompi5",
    .description = "rules of Open MPI 5.0.7 and later",
    .serves = "from 5.0.7",
    .family = "Open MPI",
    .load = kLoadTuned,
    .release = 500,
    .algorithms = open_mpi_algorithms,
    .major_version = 5,
    .cuts = "open_mpi",
    .recognises = recognises_ompi5,
    .read = read_ompi5,
    .write = write_ompi5,
};

}  // namespace tutti::inline rule_files::rule_forms

#include "src/rule_files/forms/rule_form.hpp"
#include "src/rule_files/ompi_collectives.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_ompi4(std::string_view text) { return look_of_text(text) == TextLook::plain; }

RuleFile read_ompi4(std::string_view text, int /*release*/) {
  return read_ompi_classic(text, RuleFormat::ompi4);
}

void write_ompi4(std::span<const RulesToWrite> rules, std::ostream& out) {
  write_ompi_classic(rules, RuleFormat::ompi4, out);
}

}  // namespace

// Classic rules of Open MPI 4.1, and of 5.0 up to 5.0.6. The parameter
// coll_tuned_dynamic_rules_filename names the file.
extern const RuleForm ompi4{
    .name = "ompi4",
    .description = "rules of Open MPI 4.1 to 5.0.6",
    .serves = "Open MPI 4.1 to 5.0.6",
    .family = "Open MPI",
    .load = kLoadTuned,
    .release = 401,
    .algorithms = open_mpi_algorithms,
    .major_version = 4,
    .cuts = "open_mpi",
    .recognises = recognises_ompi4,
    .read = read_ompi4,
    .write = write_ompi4,
};

}  // namespace tutti::inline rule_files::rule_forms

#include <array>

#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/ucc/conf.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kLoadUcc{FormSetting{"UCC_CONFIG_FILE"}};

}  // namespace

// Configuration file of UCC, whose sections choose the algorithms of TL/UCP.
constexpr RuleForm forms::ucc{
    .name = "ucc",
    .description = "configuration file of UCC",
    .family = "UCC",
    .load = kLoadUcc,
    .release = 108,
    .first_release = 104,
    .names_algorithms = true,
    .decides_the_rest = true,
    .recognises = [](const RuleText& text) { return text.syntax == TextForm::ucc; },
    .read = [](std::string_view text, RuleFormat, int) { return read_ucc_conf(text); },
    .write = [](std::span<const RulesToWrite> rules, RuleFormat,
                std::ostream& out) { write_ucc_conf(rules, out); },
    .decided_before =
        [](RuleFormat, int, std::span<const Collective>) {
          return std::string(
              "UCC reads a single file: this one replaces $HOME/ucc.conf and UCC's own "
              "share/ucc.conf. The variable UCC_TL_UCP_TUNE takes precedence over the file. Open "
              "MPI "
              "uses UCC only with --mca coll_ucc_enable 1.");
        },
};

}}  // namespace tutti::rule_files

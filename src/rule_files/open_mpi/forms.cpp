// The forms of Open MPI's rule files. Sources: the priorities of coll/han and coll/tuned in
// ompi/mca/coll (0 and 30 at v4.1.4; 35 and 30 at v5.0.6 and main); coll_han_module.c (the
// collectives that coll/han has).
#include <fmt/format.h>

#include <array>

#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/open_mpi/files.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::array kLoadTuned{FormSetting{"coll_tuned_use_dynamic_rules", "1"},
                                FormSetting{"coll_tuned_dynamic_rules_filename"}};
constexpr std::array kLoadHan{FormSetting{"coll_han_use_dynamic_file_rules", "1"},
                              FormSetting{"coll_han_dynamic_rules_filename"}};

std::string before_tuned(RuleFormat format, int release, std::span<const Collective> collectives) {
  constexpr int kHanFirst = 500;
  if (release != 0 && release < kHanFirst) {
    return "";
  }
  const std::string taken = names_where(collectives, [&](Collective each) {
    return han_has(each, release == 0 ? rule_form(format).release : release);
  });
  if (taken.empty()) {
    return "";
  }
  return fmt::format(
      "{}oll/han decides first for {} {}: there, these rules are used at most for the parts of a "
      "call, never for all ranks. To use them for all ranks, set --mca coll_han_priority 0, or "
      "name tuned in the rules of coll/han.",
      release == 0 && format == RuleFormat::ompi4 ? "From Open MPI 5.0 on c" : "C", taken,
      kOnSpreadCommunicators);
}

RuleFile read_classic(std::string_view text, RuleFormat format, int) {
  return read_ompi_classic(text, format);
}

struct TunedName {
  std::string_view name;
  std::string_view description;
  std::string_view serves;
};

// Rules of coll/tuned.
constexpr RuleForm tuned_form(const TunedName& name, int first_release,
                              decltype(RuleForm::recognises) recognises,
                              decltype(RuleForm::read) read, decltype(RuleForm::write) write) {
  return {.name = name.name,
          .description = name.description,
          .serves = name.serves,
          .family = "Open MPI",
          .load = kLoadTuned,
          .release = first_release,
          .first_release = first_release,
          .names_algorithms = true,
          .cuts = "open_mpi",
          .recognises = recognises,
          .read = read,
          .write = write,
          .decided_before = before_tuned};
}

}  // namespace

// Rules by which coll/han chooses the component that runs a collective.
constexpr RuleForm forms::han{
    .name = "han",
    .description = "rules of Open MPI's coll/han",
    .family = "Open MPI",
    .load = kLoadHan,
    .release = 500,
    .replaces = "the component (coll/han)",
    .decides_the_rest = true,
    .recognises =
        [](const RuleText& text) {
          return text.syntax == TextForm::plain && names_a_component(text.text);
        },
    .read = [](std::string_view text, RuleFormat,
               int release) { return read_han_rules(text, release); },
    .decided_before =
        [](RuleFormat, int release, std::span<const Collective>) {
          return std::string(
              release < 500 ? "Open MPI 4.1 uses coll/han only if --mca coll_han_priority is above "
                              "30, the priority of coll/tuned."
                            : "");
        },
};

// Classic rules of Open MPI 4.1, and of 5.0 up to 5.0.6.
constexpr RuleForm forms::ompi4 = tuned_form(
    {"ompi4", "rules of Open MPI 4.1 to 5.0.6", "Open MPI 4.1 to 5.0.6"}, 401,
    [](const RuleText& text) { return text.syntax == TextForm::plain; }, read_classic,
    write_ompi_classic);

// Classic rules of Open MPI from 5.0.7 on. They may have a header, and a fifth number in each rule.
constexpr RuleForm forms::ompi5 = tuned_form(
    {"ompi5", "rules of Open MPI 5.0.7 and later", "from 5.0.7"}, 500,
    [](const RuleText& text) { return text.syntax == TextForm::version; }, read_classic,
    write_ompi_classic);

// Rules in JSON, which Open MPI reads from 6.0 on.
constexpr RuleForm forms::ompi6 = tuned_form(
    {"ompi6", "JSON rules of Open MPI 6", ""}, 600,
    [](const RuleText& text) {
      return text.syntax == TextForm::json &&
             (text.has("\"collectives\"") || text.has("\"rule_file_version\""));
    },
    [](std::string_view text, RuleFormat, int) { return read_ompi_json(text); },
    [](std::span<const RulesToWrite> rules, RuleFormat, std::ostream& out) {
      write_ompi_json(rules, out);
    });

}}  // namespace tutti::rule_files

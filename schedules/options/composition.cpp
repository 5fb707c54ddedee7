// --composition: the way in which the stages of a hierarchy are composed, named after a library.
#include "schedules/options/composition.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::composition, kHierarchyForms>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType composition{
    .option = Option::composition,
    .word = "composition",
    .type_name = "WHOSE",
    .help =
        [] {
          return std::string(
              "How to compose the stages of a hierarchy: han (as in Open MPI) [default], "
              "mpich_alpha or mpich_beta (MPICH's compositions alpha and beta)");
        },
    .json_key = "composition",
    .recorded = RecordPolicy::in_words,
    .words = kHierarchyForms,
    .parse = parse_word<&Problem::composition, kHierarchyForms>,
    .print = print_word<&Problem::composition, kHierarchyForms>,
    .is_default = is_default<&Problem::composition>,
    .copy = copy_member<&Problem::composition>,
    .value = word_value<&Problem::composition, kHierarchyForms>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

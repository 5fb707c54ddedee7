// --cuts: the rounding of blocks and segments, and the order of receives, named after a library.
#include "schedules/options/cuts.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::cuts, kCutsNames>(problem,
                                                 [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType cuts{
    .option = Option::cuts,
    .word = "cuts",
    .type_name = "WHOSE",
    .help =
        [] {
          return std::string(
              "How to round the sizes of blocks and segments: even [default], or as in a library: "
              "open_mpi (which also sets the order of receives) or mpich");
        },
    .json_key = "cuts",
    .recorded = RecordPolicy::in_results,
    .words = kCutsNames,
    .parse = parse_word<&Problem::cuts, kCutsNames>,
    .print = print_word<&Problem::cuts, kCutsNames>,
    .is_default = is_default<&Problem::cuts>,
    .copy = copy_member<&Problem::cuts>,
    .value = word_value<&Problem::cuts, kCutsNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

// --fold: the pairing of ranks if their number is not a power of two.
#include "schedules/options/fold.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::fold, kFoldNames>(problem,
                                                 [](std::size_t) { return TriedFor::libraries; });
}

}  // namespace

extern const OptionType fold{
    .option = Option::fold,
    .word = "fold",
    .type_name = "HOW",
    .help =
        [] {
          return std::string(
              "Pairing of ranks if their number is not a power of two: neighbours (adjacent ranks) "
              "[default] or far (ranks beyond the largest power of two with the first ranks)");
        },
    .json_key = "fold",
    .recorded = RecordPolicy::always,
    .shown_by_default = true,
    .words = kFoldNames,
    .parse = parse_word<&Problem::fold, kFoldNames>,
    .print = print_word<&Problem::fold, kFoldNames>,
    .is_default = is_default<&Problem::fold>,
    .copy = copy_member<&Problem::fold>,
    .value = word_value<&Problem::fold, kFoldNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

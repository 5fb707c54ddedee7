// --copies: the blocks that circulant reduce-scatters copy before their first round.
#include "schedules/options/copies.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::copies, kCopiesNames>(problem,
                                                     [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType copies{
    .option = Option::copies,
    .word = "copies",
    .type_name = "HOW",
    .help =
        [] {
          return std::string(
              "Blocks that a circulant reduce-scatter copies before its first round: all "
              "[default], or half (those that the first round does not send)");
        },
    .json_key = "copies",
    .words = kCopiesNames,
    .parse = parse_word<&Problem::copies, kCopiesNames>,
    .print = print_word<&Problem::copies, kCopiesNames>,
    .is_default = is_default<&Problem::copies>,
    .copy = copy_member<&Problem::copies>,
    .value = word_value<&Problem::copies, kCopiesNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

// --fallback: the behaviour of bcast/split_binary_tree if a segment is longer than half of the
// vector.
#include "schedules/options/fallback.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::fallback, kFallbackNames>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType fallback{
    .option = Option::fallback,
    .word = "fallback",
    .type_name = "WHICH",
    .help =
        [] {
          return std::string(
              "What split_binary_tree does if a segment is longer than half of the vector: none "
              "(send each half as one segment) [default] or linear (use the linear broadcast)");
        },
    .json_key = "fallback",
    .words = kFallbackNames,
    .parse = parse_word<&Problem::fallback, kFallbackNames>,
    .print = print_word<&Problem::fallback, kFallbackNames>,
    .is_default = is_default<&Problem::fallback>,
    .copy = copy_member<&Problem::fallback>,
    .value = word_value<&Problem::fallback, kFallbackNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

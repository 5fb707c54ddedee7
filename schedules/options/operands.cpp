// --operands: the choice of the left operand when two ranks exchange data in
// allreduce/recursive_doubling.
#include "schedules/options/operands.hpp"

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::vector<OptionTrial> trials(const Problem& problem) {
  return word_trials<&Problem::operands, kOperandsNames>(
      problem, [](std::size_t) { return TriedFor::tests; });
}

}  // namespace

extern const OptionType operands{
    .option = Option::operands,
    .word = "operands",
    .type_name = "ORDER",
    .help =
        [] {
          return std::string(
              "Left operand when two ranks exchange data: by_rank (the lower rank's data) "
              "[default] or received_first (the received data, as in MPICH for commutative "
              "operators)");
        },
    .json_key = "operands",
    .words = kOperandsNames,
    .parse = parse_word<&Problem::operands, kOperandsNames>,
    .print = print_word<&Problem::operands, kOperandsNames>,
    .is_default = is_default<&Problem::operands>,
    .copy = copy_member<&Problem::operands>,
    .value = word_value<&Problem::operands, kOperandsNames>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

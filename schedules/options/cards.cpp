// --cards-per-node: the number of GPUs of a node that have network cards.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Number of network cards of a node, spread evenly over its ranks: NCCL's channels enter "
         "at ranks with a card [one for each rank of the node]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t count = parse_count(what, text);
  if (count == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  into.cards = count;
}

std::string print(const Problem& problem) {
  return problem.cards == 0 ? "" : fmt::format("{}", problem.cards);
}

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const std::uint32_t value : {0U, 1U}) {
    trials.push_back({problem, TriedFor::tests});
    trials.back().problem.cards = value;
  }
  return trials;
}

}  // namespace

extern const OptionType cards{
    .option = Option::cards,
    .word = "cards-per-node",
    .type_name = "COUNT",
    .help = help,
    .json_key = "cards_per_node",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::cards>,
    .copy = copy_member<&Problem::cards>,
    .value = number_value<&Problem::cards>,
    .set = set_number<&Problem::cards>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

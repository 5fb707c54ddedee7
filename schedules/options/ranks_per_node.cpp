// --cores-per-node: the number of consecutive ranks that form a node.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Number of consecutive ranks on a node, for algorithms that distinguish nodes "
         "[same as $ranks_per_host]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t ranks = parse_count(what, text);
  if (ranks == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  into.ranks_per_node = ranks;
}

void set(const OptionValue& value, Problem& into) {
  if (std::get<std::uint64_t>(value) == 0) {
    throw UserError("0: must be at least 1");
  }
  set_number<&Problem::ranks_per_node>(value, into);
}

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const std::uint32_t ranks : {2U, 5U}) {
    trials.push_back({problem, TriedFor::tests});
    trials.back().problem.ranks_per_node = ranks;
  }
  return trials;
}

}  // namespace

extern const OptionType ranks_per_node{
    .option = Option::ranks_per_node,
    .word = "cores-per-node",
    .type_name = "COUNT",
    .help = help,
    .json_key = "cores_per_node",
    .recorded = RecordPolicy::always,
    .parse = parse,
    .print = print_number<&Problem::ranks_per_node>,
    .is_default = is_default<&Problem::ranks_per_node>,
    .copy = copy_member<&Problem::ranks_per_node>,
    .value = number_value<&Problem::ranks_per_node>,
    .set = set,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

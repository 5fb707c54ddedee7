// --aggregate: the largest number of blocks in a message.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() { return "Maximum number of blocks in a message [no limit]"; }

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t count = parse_count(what, text);
  if (count == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  into.aggregate = count;
}

std::string print(const Problem& problem) {
  return problem.aggregate == 0 ? "" : fmt::format("{}", problem.aggregate);
}

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const auto& [value, from] :
       {std::pair{0U, TriedFor::deciding}, std::pair{1U, TriedFor::tests},
        std::pair{3U, TriedFor::tests}}) {
    trials.push_back({problem, from});
    trials.back().problem.aggregate = value;
  }
  return trials;
}

}  // namespace

extern const OptionType aggregate{
    .option = Option::aggregate,
    .word = "aggregate",
    .type_name = "BLOCKS",
    .help = help,
    .json_key = "aggregate",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::aggregate>,
    .copy = copy_member<&Problem::aggregate>,
    .value = number_value<&Problem::aggregate>,
    .set = set_number<&Problem::aggregate>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

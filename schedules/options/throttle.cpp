// --throttle: the largest number of messages that a rank has in flight.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() { return "Maximum number of messages that a rank has in flight [no limit]"; }

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t count = parse_count(what, text);
  if (count == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  into.throttle = count;
}

std::string print(const Problem& problem) {
  return problem.throttle == 0 ? "" : fmt::format("{}", problem.throttle);
}

// Tries 32 for libraries, because MPICH's alltoall uses 32.
std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const auto& [value, from] :
       {std::pair{0U, TriedFor::deciding}, std::pair{32U, TriedFor::libraries},
        std::pair{2U, TriedFor::tests}, std::pair{5U, TriedFor::tests}}) {
    trials.push_back({problem, from});
    trials.back().problem.throttle = value;
  }
  return trials;
}

}  // namespace

extern const OptionType throttle{
    .option = Option::throttle,
    .word = "throttle",
    .type_name = "COUNT",
    .help = help,
    .json_key = "throttle",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::throttle>,
    .copy = copy_member<&Problem::throttle>,
    .value = number_value<&Problem::throttle>,
    .set = set_number<&Problem::throttle>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

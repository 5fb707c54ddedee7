// --channels: the number of rings or trees that work at the same time.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Number of parallel rings or trees, each with its share of the vector [1 for most "
         "algorithms]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t count = parse_count(what, text);
  if (count == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1", what));
  }
  into.channels = count;
}

std::string print(const Problem& problem) {
  return problem.channels == 0 ? "" : fmt::format("{}", problem.channels);
}

std::vector<OptionTrial> trials(const Problem& problem) {
  std::vector<OptionTrial> trials;
  for (const auto& [value, from] :
       {std::pair{0U, TriedFor::deciding}, std::pair{2U, TriedFor::deciding},
        std::pair{3U, TriedFor::tests}}) {
    trials.push_back({problem, from});
    trials.back().problem.channels = value;
  }
  return trials;
}

}  // namespace

extern const OptionType channels{
    .option = Option::channels,
    .word = "channels",
    .type_name = "COUNT",
    .help = help,
    .json_key = "channels",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::channels>,
    .copy = copy_member<&Problem::channels>,
    .value = number_value<&Problem::channels>,
    .set = set_number<&Problem::channels>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

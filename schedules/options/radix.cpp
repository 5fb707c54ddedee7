// --radix: the k of k-nomial and k-ary trees, or the base in which exchange algorithms write rank
// numbers.
#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "The k of k-nomial and k-ary trees, the number of chains from a root, or the base in "
         "which exchange algorithms write the rank numbers [set by the algorithm]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  const std::uint32_t count = parse_count(what, text);
  if (count == 0) {
    throw UserError(
        fmt::format("{} '0': must be at least 1, or at least 2 for most algorithms", what));
  }
  into.radix = count;
}

std::string print(const Problem& problem) {
  return problem.radix == 0 ? "" : fmt::format("{}", problem.radix);
}

// A radix of 0 means the algorithm's default. Some trees have a fixed radix, so only the default is
// tried for them.
std::vector<OptionTrial> trials(const Problem& problem) {
  if (problem.tree == Tree::binary || problem.tree == Tree::binomial ||
      problem.tree == Tree::doubling) {
    return {{problem, TriedFor::deciding}};
  }
  std::vector<OptionTrial> trials;
  for (const auto& [value, from] :
       {std::pair{0U, TriedFor::deciding}, std::pair{4U, TriedFor::deciding},
        std::pair{8U, TriedFor::deciding}, std::pair{3U, TriedFor::tests}}) {
    trials.push_back({problem, from});
    trials.back().problem.radix = value;
  }
  return trials;
}

}  // namespace

extern const OptionType radix{
    .option = Option::radix,
    .word = "radix",
    .type_name = "K",
    .help = help,
    .json_key = "radix",
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::radix>,
    .copy = copy_member<&Problem::radix>,
    .value = number_value<&Problem::radix>,
    .set = set_number<&Problem::radix>,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

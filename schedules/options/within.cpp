// --within: the algorithms among the ranks of a group.
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Algorithms within a group, for hierarchical algorithms, in the order in which they run, "
         "such as binomial+linear for a reduction and a broadcast; each is "
         "NAME[:TREE][:SEGMENT][:radix=K][:CUTS]; commas separate levels; slashes separate the "
         "algorithms for the first segment, the others and the last one (linear/binomial/linear)";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  into.within = parse_stage_parts(what, text);
}

std::string print(const Problem& problem) { return to_text(problem.within); }

OptionValue value(const Problem& problem) { return to_text(problem.within); }

// Tries lists of one and of two algorithms, because the algorithms of a collective differ in the
// number of collectives that they run within a group.
std::vector<OptionTrial> trials(const Problem& problem) {
  const StagePart linear{{.algorithm = "linear"}, std::nullopt, std::nullopt};
  const StagePart ring{{.algorithm = "ring"}, std::nullopt, std::nullopt};
  std::vector<std::vector<StagePart>> tried;
  switch (problem.collective) {
    case Collective::allreduce:
      tried = {{linear, linear}, {ring, ring}};
      break;
    case Collective::allgather:
      tried = {{linear, linear}, {ring}};
      break;
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      tried = {{ring}};
      break;
    case Collective::bcast:
      tried = {{linear}, {linear, linear}};
      break;
    case Collective::reduce:
      tried = {{linear}, {ring, linear}};
      break;
    default:
      tried = {{linear}};
  }
  std::vector<OptionTrial> trials;
  for (const std::vector<StagePart>& parts : tried) {
    trials.push_back({problem, TriedFor::tests});
    trials.back().problem.within.levels = {parts};
  }
  return trials;
}

}  // namespace

extern const OptionType within{
    .option = Option::within,
    .word = "within",
    .type_name = "PARTS",
    .help = help,
    .json_key = "within",
    .recorded = RecordPolicy::in_words,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::within>,
    .copy = copy_member<&Problem::within>,
    .value = value,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

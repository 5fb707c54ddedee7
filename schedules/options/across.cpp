// --across: the algorithm between groups.
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Algorithm between groups, for hierarchical algorithms, written as in $within; an "
         "allreduce may instead use a reduction and a broadcast, such as binomial+binomial";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  into.across = parse_stage_parts(what, text);
  if (into.across.levels.size() > 1) {
    throw UserError(
        fmt::format("{} '{}': expected one level of algorithms, without a comma; further levels "
                    "belong in $within",
                    what, text));
  }
}

std::string print(const Problem& problem) { return to_text(problem.across); }

OptionValue value(const Problem& problem) { return to_text(problem.across); }

std::vector<OptionTrial> trials(const Problem& problem) {
  Problem linear = problem;
  linear.across.levels = {{StagePart{{.algorithm = "linear"}, std::nullopt, std::nullopt}}};
  std::string& part = linear.across.levels[0][0].first.algorithm;
  if (problem.collective == Collective::allreduce) {
    part = "basic_linear";
  } else if (problem.collective == Collective::reduce_scatter ||
             problem.collective == Collective::reduce_scatter_block) {
    part = "ring";
  }
  return {{linear, TriedFor::tests}};
}

}  // namespace

extern const OptionType across{
    .option = Option::across,
    .word = "across",
    .type_name = "PART",
    .help = help,
    .json_key = "across",
    .recorded = RecordPolicy::in_words,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::across>,
    .copy = copy_member<&Problem::across>,
    .value = value,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options

#include "src/experiments/decisions/table_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "schedules/registry.hpp"
#include "src/rule_files/rule_checks.hpp"

namespace tutti { inline namespace experiments {

namespace {

CaseRun run_of(const Choice& choice, const ProblemTemplate& problem_template,
               const Problem& problem) {
  const Algorithm& algorithm =
      algorithm_named(fmt::format("{}/{}", name(problem.collective), choice.algorithm));
  Contender contender{&algorithm, problem_template.applicable_to(algorithm), in_words(choice)};
  ProblemTemplate& own = contender.problem_template;
  for (const OptionType* type : choice_options()) {
    own.drop(type->option);
    if (choice.options.has(type->option)) {
      own.give(type->option, choice.options.values());
    }
  }
  own.drop(Option::segment);
  if (takes(algorithm, Option::segment) && problem.bytes > 0 && !choice.default_segments) {
    Problem cut;
    cut.segment_bytes = choice.segment_bytes;
    if (choice.options.values().cuts != Cuts::open_mpi) {
      // No segmentation, or a segment longer than the vector, is the same as one segment of the
      // vector's size. Open MPI has its own rules for both.
      cut.segment_bytes =
          choice.segment_bytes == 0 ? problem.bytes : std::min(choice.segment_bytes, problem.bytes);
    }
    if (cut.segment_bytes != 0) {
      own.give(Option::segment, cut);
    }
  }
  return first_look(contender, problem.ranks, problem.bytes);
}

}  // namespace

TableRun table_run(const DecisionTable& table, const Choice& choice,
                   const ProblemTemplate& problem_template, const Problem& problem) {
  TableRun run;
  run.choice = choice;
  // Try once more for each substitute in the table, since a substitute may itself need a
  // substitute.
  for (std::size_t tries = 0; tries <= table.substitutes.size(); ++tries) {
    if (run.choice.algorithm.empty()) {
      if (run.choice.left_to_library) {
        run.refusal = "the table leaves this call to the library's built-in choice";
      } else if (run.refusal.empty()) {
        run.refusal = fmt::format("tutti has no {} like the library's {}", name(table.collective),
                                  run.choice.library_algorithm);
      }
      return run;
    }
    std::string refusal = why_unserved(run.choice, problem.ranks).value_or("");
    if (refusal.empty()) {
      CaseRun chosen = run_of(run.choice, problem_template, problem);
      if (chosen.outcome.open()) {
        run.what = std::move(chosen);
        return run;
      }
      refusal = chosen.outcome.why_not();
    } else if (run.choice.served == ServedRanks::two) {
      run.refusal = std::move(refusal);
      return run;
    }
    if (run.refusal.empty()) {
      run.refusal = std::move(refusal);
    }
    const auto substitute = std::find_if(
        table.substitutes.begin(), table.substitutes.end(),
        [&](const Substitute& each) { return each.algorithm == run.choice.algorithm; });
    if (substitute == table.substitutes.end()) {
      return run;
    }
    const std::uint64_t segment_bytes = run.choice.segment_bytes;
    run.choice = substitute->instead;
    const Algorithm* instead = find_algorithm(table.collective, run.choice.algorithm);
    if (run.choice.segment_bytes == 0 && instead != nullptr && takes(*instead, Option::segment)) {
      run.choice.segment_bytes = segment_bytes;
    }
  }
  return run;
}

Problem plain_problem(Collective collective, const ProblemTemplate& problem_template,
                      std::uint32_t ranks, std::optional<std::uint64_t> bytes) {
  Algorithm any{};
  any.collective = collective;
  // Options that change the problem apply to every algorithm.
  for (const OptionType* type : option_types()) {
    any.options |= type->changes_problem ? bit(type->option) : 0;
  }
  Problem problem = problem_template.applicable_to(any).problem(any, ranks, bytes);
  if (const auto why = why_not_whole_elements(problem)) {
    throw UserError(why->text);
  }
  return problem;
}

}}  // namespace tutti::experiments

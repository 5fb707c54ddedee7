#include "tutti/decision.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "base/messages.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/public_api/inside.hpp"

namespace tutti::v1 {

std::vector<Rule> decide(const Grid& grid, double tolerance, double crossover) {
  return guarded([&] {
    if (!(tolerance >= 0 && tolerance < 1 && crossover >= 0 && crossover < 1)) {
      throw UserError(
          fmt::format("tolerance {} and crossover {}: each must be at least 0 and less than 1",
                      tolerance, crossover));
    }
    InnerGrid inside = inner(grid);
    DecisionRequest request;
    request.collective = inside.collective;
    request.limits.tolerance = tolerance;
    request.crossover = crossover;
    request.problems = std::move(inside.problems);
    request.machine = std::move(inside.machine);
    Decision decision = prepare_decision(std::move(request)).decision;
    KeptMessages messages;
    const auto runner = local_runner(decision.machines.front(), inside.jobs, messages);
    carry_out(decision, runner.get(), inside.jobs, false);
    if (runner->sum_up()) {
      // The candidate of the failed run might have won.
      throw std::runtime_error(line_of(messages.all().back(), tutti::FieldNames::arguments));
    }
    check_something_runs(decision);
    std::vector<Rule> rules;
    for (const RankDecision& each : decision.decisions) {
      for (const SizeInterval& interval : each.intervals) {
        const Contender& taken = decision.candidates[interval.candidate].contender;
        tutti::Problem problem = first_look(taken, each.ranks, interval.from_bytes).problem;
        problem.segment_bytes = interval.segment_bytes;
        rules.push_back({each.ranks, interval.from_bytes, taken.algorithm->full_name(),
                         outer(problem, *taken.algorithm).options});
      }
    }
    return rules;
  });
}

}  // namespace tutti::v1

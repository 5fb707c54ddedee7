#include "tutti/decision.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "schedules/options/option_type.hpp"
#include "src/experiments/decisions/decide.hpp"
#include "src/experiments/decisions/decision_request.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/library/grid.hpp"
#include "src/library/inside.hpp"

namespace tutti::v1 {

std::vector<Rule> decide(const Grid& grid, double tolerance, double crossover) {
  return guarded([&] {
    if (!(tolerance >= 0 && tolerance < 1 && crossover >= 0 && crossover < 1)) {
      throw UserError(
          fmt::format("tolerance {} and crossover {}: accepted are shares from 0 to less than 1",
                      tolerance, crossover));
    }
    InnerGrid inside = inner(grid);
    DecisionRequest request;
    request.collective = static_cast<tutti::Collective>(grid.collective);
    request.limits.tolerance = tolerance;
    request.crossover = crossover;
    request.problems = std::move(inside.problems);
    request.machine = std::move(inside.machine);
    Decision decision = prepare_decision(std::move(request)).decision;
    std::ostringstream said;
    const auto runner = local_runner(decision.machines.front(), inside.jobs, said);
    carry_out(decision, runner.get(), inside.jobs, false);
    if (runner->sum_up()) {
      throw std::runtime_error(said.str());  // another candidate might have won
    }
    check_something_runs(decision);

    std::vector<Rule> rules;
    for (const RankDecision& each : decision.decisions) {
      for (const Reign& reign : each.reigns) {
        const Candidate& candidate = decision.candidates[reign.candidate];
        Rule rule{each.ranks, reign.from_bytes, candidate.contender.algorithm->full_name(), {}};
        for (const OptionType* type : option_types()) {
          if (candidate.choice.options.has(type->option)) {
            rule.options.emplace(type->word, candidate.choice.options.text(type->option));
          }
        }
        const tutti::Algorithm& algorithm = *candidate.contender.algorithm;
        if (takes(algorithm, Option::ranks_per_node) && grid.machine.ranks_per_host > 1) {
          rule.options.try_emplace("cores-per-node",
                                   fmt::format("{}", grid.machine.ranks_per_host));
        }
        if (reign.segment_bytes != 0) {
          rule.options["segment"] = fmt::format("{}", reign.segment_bytes);
        }
        rules.push_back(std::move(rule));
      }
    }
    return rules;
  });
}

}  // namespace tutti::v1

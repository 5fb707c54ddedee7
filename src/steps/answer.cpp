#include "src/steps/answer.hpp"

#include <utility>

namespace tutti { inline namespace steps {

StepAnswer answer_of(StepDescription step, StepMachine machine) {
  StepAnswer answer{std::move(step), std::move(machine), {}, {}, {}, {}, {}, {}};
  answer.choices = choose_algorithms(answer.step, answer.machine);
  CallParts parts = parts_of(answer.choices, answer.machine);
  const StepRun run = run_step(answer.step, parts, answer.machine);
  answer.work = work_of(run);
  answer.facts = run.run.machine;
  answer.comparison = run.run.comparison;
  answer.account = account_of(run);
  return answer;
}

}}  // namespace tutti::steps

#include "src/steps/answer.hpp"

#include <utility>

namespace tutti { inline namespace steps {

StepAnswer answer_of(StepDescription step, StepMachine machine) {
  StepAnswer answer{std::move(step), std::move(machine), {}, {}, 0, 0, {}, {}};
  answer.choices = choose_algorithms(answer.step, answer.machine);
  CallParts parts;
  for (const CallChoice& choice : answer.choices) {
    parts.push_back(choice.part);
  }
  const StepSchedule schedule = schedule_of(answer.step, parts);
  answer.ops = schedule.schedule.size();
  answer.messages = schedule.schedule.messages();
  const EngineRun run = run_engine(schedule.schedule, answer.machine.machine);
  answer.facts = run.machine;
  answer.comparison = run.comparison;
  answer.account = account_of(answer.step, schedule, run.timeline);
  return answer;
}

}}  // namespace tutti::steps

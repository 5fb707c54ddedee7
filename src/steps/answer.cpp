#include "src/steps/answer.hpp"

#include <numeric>
#include <utility>

#include "src/steps/step_limit.hpp"

namespace tutti { inline namespace steps {

StepAnswer answer_of(StepDescription step, StepMachine machine, const StepRequest& request) {
  std::vector<CallChoice> choices = choose_algorithms(step, machine, request.next_algorithms);
  StepAnswer answer =
      simulated_step(std::move(step), std::move(machine), std::move(choices), request);
  answer.limit_s = step_limit_s(answer.step, answer.choices, answer.machine.plain.element_bytes);
  return answer;
}

StepAnswer simulated_step(StepDescription step, StepMachine machine,
                          std::vector<CallChoice> choices, const StepRequest& request) {
  StepAnswer answer;
  answer.step = std::move(step);
  answer.machine = std::move(machine);
  answer.choices = std::move(choices);
  CallParts parts = parts_of(answer.choices, answer.machine);
  StepMachine watched = answer.machine;
  watched.repetition = watched.repetition && request.streams == 0;
  if (request.contention) {
    watch_contention(watched);
  }
  const StepRun run = run_step(answer.step, parts, watched);
  answer.work = work_of(run);
  answer.facts = run.run.machine;
  answer.comparison = run.run.comparison;
  answer.account = account_of(run);
  if (request.contention) {
    answer.contention = contention_of(run);
  }
  if (request.streams > 0) {
    std::vector<Rank> shown = ranks_to_show(answer.step, answer.account, request.streams);
    if (request.streams == kAllRanks) {
      shown.resize(answer.step.ranks);
      std::iota(shown.begin(), shown.end(), Rank{0});
    }
    answer.streams = streams_of(run, answer.account, shown);
  }
  return answer;
}

}}  // namespace tutti::steps

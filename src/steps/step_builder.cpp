#include "src/steps/step_builder.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tutti { inline namespace steps {

namespace {

// Stage, chunk, micro-batch and direction of the turn that receives a message.
using Arrival = std::array<std::uint32_t, 4>;

Arrival arrival_of(const PipelineTurn& turn) {
  return {turn.stage, turn.chunk, turn.micro, turn.forward ? 1U : 0U};
}

// Returns the most rounds in a row with the same number of actions. The first and the last passes
// may have others. `begins` has the first action of each turn, and that behind the last one.
StepLoop longest_loop(const SteadyRounds& rounds, const std::vector<std::size_t>& begins) {
  StepLoop longest;
  StepLoop now;
  for (std::size_t round = 0; round < rounds.times; ++round) {
    const std::size_t begin = begins[rounds.begin + round * rounds.turns];
    const std::size_t period = begins[rounds.begin + (round + 1) * rounds.turns] - begin;
    if (round == 0 || period != now.period) {
      now = {begin, period, 0};
    }
    ++now.times;
    longest = now.times > longest.times ? now : longest;
  }
  return longest;
}

}  // namespace

std::uint32_t StepBuilder::add_line(std::uint32_t number, std::string text) {
  step_.lines.push_back({number, std::move(text)});
  return static_cast<std::uint32_t>(step_.lines.size() - 1);
}

std::uint32_t StepBuilder::index_of_call(const StepCall& call) {
  const auto found = std::ranges::find(step_.calls, call);
  const auto index = static_cast<std::uint32_t>(found - step_.calls.begin());
  if (found == step_.calls.end()) {
    step_.calls.push_back(call);
  }
  return index;
}

void StepBuilder::add(StepAction::Kind kind, std::uint32_t line, std::uint32_t what) {
  StepAction action;
  action.kind = kind;
  action.line = line;
  action.what = what;
  action.stage = stage_;
  step_.actions.push_back(action);
}

void StepBuilder::compute(std::uint32_t line, std::uint64_t picoseconds) {
  add(StepAction::Kind::compute, line, 0);
  step_.actions.back().picoseconds = picoseconds;
}

std::uint32_t StepBuilder::begin(std::uint32_t line, std::uint32_t call, bool beside) {
  add(beside ? StepAction::Kind::beside : StepAction::Kind::collective, line, call);
  return begun_++;
}

void StepBuilder::wait_for_call(std::uint32_t line, std::uint32_t number) {
  add(StepAction::Kind::wait_call, line, number);
}

void StepBuilder::wait_for_group(std::uint32_t line, std::uint32_t group) {
  add(StepAction::Kind::wait_group, line, group);
}

void StepBuilder::pipeline(const StepPipeline& pipeline,
                           const std::function<void(const PipelineTurn&)>& pass) {
  step_.stage_of_rank = positions_on(step_.layout, pipeline.axis);
  const std::uint32_t stages = step_.layout[pipeline.axis].size;
  StepCall message;
  message.collective = Collective::application;
  message.bytes = pipeline.handover_bytes;
  message.group = static_cast<std::uint32_t>(pipeline.axis);
  std::map<Arrival, std::uint32_t> arriving;  // the number of the message
  const std::vector<PipelineTurn> order =
      one_forward_one_backward(stages, pipeline.micro_batches, pipeline.chunks);
  std::vector<std::size_t> begins;  // by turn: its first action
  for (const PipelineTurn& turn : order) {
    begins.push_back(step_.actions.size());
    stage_ = turn.stage;
    if (const auto found = arriving.find(arrival_of(turn)); found != arriving.end()) {
      wait_for_call(pipeline.line, found->second);
      arriving.erase(found);
    }
    pass(turn);
    if (const auto next = turn_after(turn, stages, pipeline.chunks);
        next && next->stage != turn.stage) {
      add(StepAction::Kind::handover, pipeline.line, index_of_call(message));
      step_.actions.back().to_stage = next->stage;
      arriving.emplace(arrival_of(*next), begun_++);
    }
  }
  stage_.reset();
  begins.push_back(step_.actions.size());
  const SteadyRounds rounds = steady_rounds(order, stages, pipeline.chunks);
  StepLoop loop = longest_loop(rounds, begins);
  if (loop.times > 1) {
    loop.line = step_.lines[pipeline.line].number;
    if (pipeline.chunks == 1) {
      loop.overlap = 2 * stages;
      loop.cycle = std::max(stages - 1, 1U);
    }
    step_.loops.push_back(loop);
  }
}

}}  // namespace tutti::steps

#include "src/steps/pipeline.hpp"

#include <algorithm>

namespace tutti { inline namespace steps {

namespace {

std::vector<PipelineTurn> turns_of_stage(std::uint32_t stage, std::uint32_t stages,
                                         std::uint32_t micro_batches) {
  std::vector<PipelineTurn> turns;
  const std::uint32_t ahead = std::min(stages - 1 - stage, micro_batches);
  for (std::uint32_t micro = 0; micro < micro_batches + ahead; ++micro) {
    if (micro < micro_batches) {
      turns.push_back({stage, micro, true});
    }
    if (micro >= ahead) {
      turns.push_back({stage, micro - ahead, false});
    }
  }
  return turns;
}

}  // namespace

std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t stages,
                                                   std::uint32_t micro_batches) {
  std::vector<std::vector<PipelineTurn>> turns;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    turns.push_back(turns_of_stage(stage, stages, micro_batches));
  }
  // By stage: turns taken, and among them forward and backward passes.
  std::vector<std::size_t> taken(stages);
  std::vector<std::uint32_t> forward(stages);
  std::vector<std::uint32_t> backward(stages);
  std::vector<PipelineTurn> order;
  const std::size_t all = std::size_t{2} * stages * micro_batches;
  while (order.size() < all) {
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      if (taken[stage] == turns[stage].size()) {
        continue;
      }
      const PipelineTurn& turn = turns[stage][taken[stage]];
      const bool ready = turn.forward ? stage == 0 || forward[stage - 1] > turn.micro
                                      : stage + 1 == stages || backward[stage + 1] > turn.micro;
      if (ready) {
        order.push_back(turn);
        ++taken[stage];
        ++(turn.forward ? forward : backward)[stage];
      }
    }
  }
  return order;
}

SteadyRounds steady_rounds(const std::vector<PipelineTurn>& order, std::uint32_t stages) {
  SteadyRounds longest;
  longest.turns = std::size_t{2} * stages;
  std::size_t begin = 0;  // of the rounds that are alike so far
  for (std::size_t i = 0; i + longest.turns < order.size(); ++i) {
    PipelineTurn next = order[i];
    next.micro += 1;
    if (next != order[i + longest.turns]) {
      begin = i + 1;
    }
    const std::size_t times = (i + 1 - begin) / longest.turns + 1;
    if (i + 1 > begin && times > longest.times) {
      longest.begin = begin;
      longest.times = times;
    }
  }
  return longest;
}

}}  // namespace tutti::steps

#include "src/steps/pipeline.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace steps {

namespace {

// Sizes of a pipeline.
struct PipelineSizes {
  std::uint32_t stages = 1;
  std::uint32_t micro_batches = 1;
  std::uint32_t chunks = 1;

  [[nodiscard]] std::uint32_t passes() const { return micro_batches * chunks; }
  [[nodiscard]] std::uint32_t parts() const { return stages * chunks; }

  // Returns the number of the part that a turn is about, in the order of its direction.
  [[nodiscard]] std::uint32_t part(const PipelineTurn& turn) const {
    const std::uint32_t part = turn.chunk * stages + turn.stage;
    return turn.forward ? part : parts() - 1 - part;
  }

  // Returns the number-th forward or backward pass of a stage.
  [[nodiscard]] PipelineTurn pass(std::uint32_t stage, std::uint32_t number, bool forward) const {
    if (chunks == 1) {
      return {stage, number, forward};
    }
    const std::uint32_t round = number / (stages * chunks);
    const std::uint32_t within = number % (stages * chunks);
    const std::uint32_t chunk = within / stages;
    return {stage, round * stages + within % stages, forward, forward ? chunk : chunks - 1 - chunk};
  }

  [[nodiscard]] std::vector<PipelineTurn> turns_of_stage(std::uint32_t stage) const {
    std::vector<PipelineTurn> turns;
    const std::uint32_t behind = stages - 1 - stage;
    const std::uint32_t ahead =
        std::min(chunks == 1 ? behind : 2 * behind + (chunks - 1) * stages, passes());
    for (std::uint32_t number = 0; number < passes() + ahead; ++number) {
      if (number < passes()) {
        turns.push_back(pass(stage, number, true));
      }
      if (number >= ahead) {
        turns.push_back(pass(stage, number - ahead, false));
      }
    }
    return turns;
  }
};

}  // namespace

std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t stages,
                                                   std::uint32_t micro_batches,
                                                   std::uint32_t chunks) {
  TUTTI_INVARIANT(chunks == 1 || micro_batches % stages == 0);
  const PipelineSizes sizes{stages, micro_batches, chunks};
  std::vector<std::vector<PipelineTurn>> turns;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    turns.push_back(sizes.turns_of_stage(stage));
  }
  std::vector<std::size_t> taken(stages);  // turns of each stage
  // Parts that are done, forward and then backward, by micro-batch.
  std::vector<std::uint32_t> forward(micro_batches);
  std::vector<std::uint32_t> backward(micro_batches);
  std::vector<PipelineTurn> order;
  const std::size_t all = std::size_t{2} * stages * sizes.passes();
  while (order.size() < all) {
    const std::size_t before = order.size();
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      if (taken[stage] == turns[stage].size()) {
        continue;
      }
      const PipelineTurn& turn = turns[stage][taken[stage]];
      std::uint32_t& done = (turn.forward ? forward : backward)[turn.micro];
      if (done == sizes.part(turn) && (turn.forward || forward[turn.micro] == sizes.parts())) {
        order.push_back(turn);
        ++taken[stage];
        ++done;
      }
    }
    TUTTI_INVARIANT(order.size() > before);
  }
  return order;
}

SteadyRounds steady_rounds(const std::vector<PipelineTurn>& order, std::uint32_t stages,
                           std::uint32_t chunks) {
  const std::uint32_t micro_batches = chunks == 1 ? 1 : stages;  // of a round
  SteadyRounds longest;
  longest.turns = std::size_t{2} * stages * chunks * micro_batches;
  std::size_t begin = 0;  // of the rounds that are alike so far
  for (std::size_t i = 0; i + longest.turns < order.size(); ++i) {
    PipelineTurn next = order[i];
    next.micro += micro_batches;
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

std::optional<PipelineTurn> turn_after(const PipelineTurn& turn, std::uint32_t stages,
                                       std::uint32_t chunks) {
  const std::uint32_t part = turn.chunk * stages + turn.stage;
  if (part == (turn.forward ? stages * chunks - 1 : 0)) {
    return std::nullopt;
  }
  const std::uint32_t next = turn.forward ? part + 1 : part - 1;
  return PipelineTurn{next % stages, turn.micro, turn.forward, next / stages};
}

}}  // namespace tutti::steps

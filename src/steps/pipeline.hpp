// The order in which the stages of a pipeline work.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti { inline namespace steps {

// Largest number of micro-batches.
inline constexpr std::uint32_t kMostMicroBatches = 1U << 16U;

// One pass of one micro-batch through one stage.
struct PipelineTurn {
  std::uint32_t stage = 0;
  std::uint32_t micro = 0;
  bool forward = true;

  friend bool operator==(const PipelineTurn&, const PipelineTurn&) = default;
};

// Returns all turns in the order 1F1B. A stage begins with as many forward passes as there are
// stages behind it, and then carries out a forward and a backward pass in turn. Each turn is behind
// those that it needs: a forward pass needs that of the stage before, a backward pass that of the
// stage behind.
[[nodiscard]] std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t stages,
                                                                 std::uint32_t micro_batches);

// Rounds in which each stage carries out one forward and one backward pass, always in this order.
// Each round has the micro-batches behind those of the round before.
struct SteadyRounds {
  std::size_t begin = 0;  // index of the first turn
  std::size_t turns = 0;  // of a round
  std::size_t times = 0;  // 0 if there are too few micro-batches
};
[[nodiscard]] SteadyRounds steady_rounds(const std::vector<PipelineTurn>& order,
                                         std::uint32_t stages);

}}  // namespace tutti::steps

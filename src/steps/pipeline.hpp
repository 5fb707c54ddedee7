// The order in which the stages of a pipeline work.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti { inline namespace steps {

// Largest number of micro-batches.
inline constexpr std::uint32_t kMostMicroBatches = 1U << 16U;
// Largest number of parts of the model at each stage.
inline constexpr std::uint32_t kMostChunks = 1024;

// One pass of one micro-batch through one chunk of the model at one stage.
struct PipelineTurn {
  std::uint32_t stage = 0;
  std::uint32_t micro = 0;
  bool forward = true;
  std::uint32_t chunk = 0;

  friend bool operator==(const PipelineTurn&, const PipelineTurn&) = default;
};

// Returns all turns in the order 1F1B. A stage begins with as many forward passes as there are
// stages behind it, and then carries out a forward and a backward pass in turn. Each turn is behind
// those that it needs: a forward pass needs that of the stage before, a backward pass that of the
// stage behind.
//
// With several chunks, the order is Megatron-LM's interleaved one: chunk c of stage s has part
// c * stages + s of the model, and a stage carries out a chunk for `stages` micro-batches before
// the next chunk. The number of micro-batches must then be a multiple of the number of stages.
// Source: Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM, SC 2021, section 2.2.
[[nodiscard]] std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t stages,
                                                                 std::uint32_t micro_batches,
                                                                 std::uint32_t chunks = 1);

// Returns the turn that needs the result of `turn`, in the same direction; nothing for the last
// part of the model, or the first one if it is a backward pass.
[[nodiscard]] std::optional<PipelineTurn> turn_after(const PipelineTurn& turn, std::uint32_t stages,
                                                     std::uint32_t chunks);

// Rounds in which each stage carries out the same passes, in the same order: one forward and one
// backward pass or, with several chunks, those of as many micro-batches as there are stages. Each
// round has the micro-batches behind those of the round before.
struct SteadyRounds {
  std::size_t begin = 0;  // index of the first turn
  std::size_t turns = 0;  // of a round
  std::size_t times = 0;  // 0 if there are too few micro-batches
};
[[nodiscard]] SteadyRounds steady_rounds(const std::vector<PipelineTurn>& order,
                                         std::uint32_t stages, std::uint32_t chunks);

}}  // namespace tutti::steps

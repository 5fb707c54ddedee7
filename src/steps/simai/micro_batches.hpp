// Where the micro-batches are among the layers of a SimAI workload.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/steps/simai/workload.hpp"

namespace tutti { inline namespace steps {

// Layers `first` to `first + size - 1` are the first micro-batch. The others follow, with layers
// that are equal apart from the times of computing. Layers before the first one, and after the last
// one, belong to the step as a whole.
struct SimaiMicroBatches {
  std::size_t first = 0;
  std::size_t size = 0;  // layers of a micro-batch
};

// A micro-batch begins with embedding_layer, if the file has such layers. A single micro-batch ends
// with the last layer that is named neither cross_entropy... nor optimizer.... Several ones have at
// least half of the layers. Returns nothing if the layers have no such form.
[[nodiscard]] std::optional<SimaiMicroBatches> micro_batches_of(const SimaiWorkload& workload);

// Divides the layers of a micro-batch into `chunks` parts that are equal in the same sense: chunk i
// has the layers from result[i] to result[i + 1] - 1. The first one also has the leading
// embedding_layer, and the last one what is left at the end. Returns nothing if there are no such
// parts.
[[nodiscard]] std::optional<std::vector<std::size_t>> chunks_of(
    std::span<const SimaiLayer> micro_batch, std::uint32_t chunks);

[[nodiscard]] bool is_embedding(const SimaiLayer& layer);

}}  // namespace tutti::steps

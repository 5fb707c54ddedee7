#include "schedules/patterns/nccl_chunks.hpp"

#include <bit>

#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Sizes in bytes. A line of LL128 has 120 bytes of data; the threads of a warp move 16 of them.
constexpr std::uint64_t kSimpleStep = 512U << 10U;
constexpr std::uint64_t kLlStep = 32U << 10U;
constexpr std::uint64_t kLl128Step = 576'000;
constexpr std::uint64_t kLl128Grain = 1'920;

// Returns the chunk of a tree in bytes. With LL128, it is halved until the chunks fill a pipeline
// over the whole tree.
std::uint64_t tree_chunk_bytes(const Problem& problem, std::uint64_t part_bytes) {
  if (problem.protocol == Protocol::simple) {
    return kSimpleStep;
  }
  if (problem.protocol == Protocol::ll) {
    return kLlStep;
  }
  const NcclChannels channels(problem);
  const double gpus = static_cast<double>(problem.ranks) / channels.nodes();
  const double depth = static_cast<double>(std::bit_width(channels.nodes())) + 0.1 * gpus;
  std::uint64_t chunk = kLl128Step;
  const auto halve = [&](double chunks, std::uint64_t least) {
    while (static_cast<double>(part_bytes / chunk) < chunks * depth / gpus && chunk > least) {
      chunk /= 2;
    }
  };
  halve(64, 131'072);
  halve(16, 32'768);
  return chunk / kLl128Grain * kLl128Grain;
}

}  // namespace

std::uint64_t nccl_ring_chunk_bytes(const Problem& problem) {
  constexpr std::uint64_t kStepsOfChunk = 4;
  switch (problem.protocol) {
    case Protocol::ll:
      return kLlStep;
    case Protocol::ll128:
      return kLl128Step;
    case Protocol::simple:
      break;
  }
  const bool along_chain =
      problem.collective == Collective::bcast || problem.collective == Collective::reduce;
  return along_chain ? kSimpleStep : kStepsOfChunk * kSimpleStep;
}

std::uint64_t nccl_tree_chunk(const Problem& problem, std::uint64_t part_elements) {
  return segment_elements(problem,
                          tree_chunk_bytes(problem, part_elements * problem.element_bytes));
}

std::uint32_t nccl_tree_steps(const Problem& problem, std::uint64_t chunk) {
  const std::uint64_t usual = problem.protocol == Protocol::simple ? kSimpleStep
                              : problem.protocol == Protocol::ll   ? kLlStep
                                                                   : kLl128Step;
  return nccl_steps(problem, usual, chunk);
}

std::uint64_t nccl_nvls_chunk(const Problem& problem, std::uint64_t part_elements) {
  const NcclChannels channels(problem);
  const bool alone = channels.nodes() == 1;
  // On several nodes, each channel has a head at every entry; on a single node, at every GPU.
  const std::uint64_t heads = alone ? channels.gpus() : channels.different();
  const std::uint64_t part_bytes = part_elements * problem.element_bytes;
  std::uint64_t chunk = channels.nodes() >= 4 ? 64U << 10U : 128U << 10U;
  const auto limit = [&](std::uint64_t chunks, std::uint64_t most) {
    if (chunk > most && part_bytes < chunks * heads * chunk) {
      chunk = most;
    }
  };
  limit(alone ? 64 : 4, 64U << 10U);
  limit(alone ? 8 : 1, 32U << 10U);
  if (alone) {
    limit(2, 16U << 10U);
  }
  return segment_elements(problem, chunk);
}

}}  // namespace tutti::schedules

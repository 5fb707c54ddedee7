// The parts of the vector that NCCL's channels move, and the largest chunk of a part that one step
// of a channel moves.
//
// Source: NCCL 2.30.7, src/enqueue.cc (scheduleCollTasksToPlan, calcCollChunking) and src/init.cc
// (computeBuffSizes). NCCL cuts the vector between channels at multiples of 4 or 16 KiB.
#pragma once

#include <algorithm>
#include <cstdint>

#include "schedules/patterns/nccl_channels.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// The split of a vector between channels. All parts have elements, unless the vector is empty. It
// then is a single part.
class ChannelParts {
 public:
  ChannelParts(const Problem& problem, std::uint32_t channels)
      : count_(
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>(problem.elements(), 1, channels))),
        shorter_(problem.elements() / count_),
        longer_parts_(static_cast<std::uint32_t>(problem.elements() % count_)) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }
  // Number of parts with one element more than the others. These are the first ones.
  [[nodiscard]] std::uint32_t longer_parts() const { return longer_parts_; }
  [[nodiscard]] std::uint64_t elements(std::uint32_t channel) const {
    return shorter_ + (channel < longer_parts_ ? 1 : 0);
  }

 private:
  std::uint32_t count_;
  std::uint64_t shorter_;
  std::uint32_t longer_parts_;
};

// Number of steps of the buffer of a connection. Each holds a chunk.
inline constexpr std::uint32_t kNcclSteps = 8;
// Returns the number of steps of a buffer whose chunks have `chunk` elements, where NCCL's chunks
// have `usual` bytes: the buffer has the same size if chunks are shorter.
[[nodiscard]] inline std::uint32_t nccl_steps(const Problem& problem, std::uint64_t usual,
                                              std::uint64_t chunk) {
  return kNcclSteps *
         static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
             usual / std::max<std::uint64_t>(chunk * problem.element_bytes, 1), 1, 1024));
}

// Returns the number of messages of a connection that may be on their way at a time, if its buffer
// has `steps` steps. A machine with Problem::in_order fills the buffer. On others, there are only a
// few, with which LL and LL128 fill the network.
[[nodiscard]] inline std::uint32_t nccl_messages_at_once(const Problem& problem,
                                                         std::uint32_t steps) {
  constexpr std::uint32_t kOfLines = 4;
  return problem.in_order ? steps : problem.protocol == Protocol::simple ? 1 : kOfLines;
}

// Returns the number of bytes of a chunk that NCCL chooses for rings.
[[nodiscard]] std::uint64_t nccl_ring_chunk_bytes(const Problem& problem);
// Returns the number of elements of a chunk of a tree: --segment, or by default the number that
// NCCL chooses for a channel that moves `part_elements`.
[[nodiscard]] std::uint64_t nccl_tree_chunk(const Problem& problem, std::uint64_t part_elements);
// Returns nccl_steps() of a tree with chunks of `chunk` elements.
[[nodiscard]] std::uint32_t nccl_tree_steps(const Problem& problem, std::uint64_t chunk);
// As nccl_tree_chunk(), for NVLS and NVLS trees. The chunks that NCCL 2.30 has for NVLS trees on
// Blackwell are not modelled.
[[nodiscard]] std::uint64_t nccl_nvls_chunk(const Problem& problem, std::uint64_t part_elements);

}}  // namespace tutti::schedules

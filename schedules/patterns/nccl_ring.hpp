// NCCL's rings: every channel moves its share of the vector around a ring of its own, in chunks.
//
// Each rank has a buffer with room for 8 steps for the messages from the rank before it. A step is
// a scratch slot; a slice of two steps is one slot too. A rank combines or copies what has arrived,
// which empties the slot, and sends from its own vector. It handles the messages of a channel in
// turn.
//
// Source: NCCL 2.30.7, src/device/all_reduce.h, all_gather.h, reduce_scatter.h, broadcast.h,
// reduce.h and prims_simple.h; src/include/collectives.h for steps and slices; src/enqueue.cc for
// chunks. NCCL cuts the vector into channels in cells of 16 KiB, and uses fewer channels for small
// vectors. Here the channels' numbers of elements differ by at most one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/nccl_channels.hpp"

namespace tutti { inline namespace schedules {

// The sizes of the pieces in which the rings of a collective move data, in elements.
struct NcclPieces {
  explicit NcclPieces(const Problem& problem);

  std::uint64_t chunk;
  // Largest number of slices of a chunk. With two slices, a rank sends the first one on before the
  // second one has arrived.
  std::uint32_t slices;
  // Number of slots for the messages from one rank in one channel.
  std::uint32_t slots;
  // The chunks of an allreduce's last loop are rounded up to a multiple of `grain`.
  std::uint64_t grain;

  // Length of the first slice of a chunk of `length` elements. The second slice has the rest.
  [[nodiscard]] std::uint64_t first_slice(std::uint64_t length) const;
  [[nodiscard]] std::uint32_t slices_of(std::uint64_t length) const {
    return first_slice(length) < length ? 2 : 1;
  }
};

// The loops in which a channel moves its share. In each loop, p chunks go around the ring. In an
// allreduce, the chunks of a loop follow each other in the vector. In an allgather and a
// reduce-scatter, each chunk is part of the block of another rank.
class NcclLoops {
 public:
  struct Loop {
    // First block of the loop, within the vector or within the block of each rank.
    std::uint32_t first_block = 0;
    std::uint32_t slices = 1;  // of each chunk; a slice of a shorter chunk may be empty
  };

  explicit NcclLoops(const Problem& problem);

  [[nodiscard]] std::uint32_t channels() const {
    return static_cast<std::uint32_t>(of_channel_.size());
  }
  [[nodiscard]] const std::vector<Loop>& of(std::uint32_t channel) const {
    return of_channel_[channel];
  }
  // Number of loops of channel 0, which has the most.
  [[nodiscard]] std::size_t most() const { return of_channel_.front().size(); }
  // Number of slices that start at each rank, over all loops of all channels.
  [[nodiscard]] std::uint32_t slices() const { return slices_; }
  // The block of a slice of a chunk, which is numbered by the rank whose block has the chunk or, in
  // an allreduce, by its place in the loop.
  [[nodiscard]] std::uint32_t block(const Loop& loop, std::uint32_t chunk,
                                    std::uint32_t slice) const {
    return loop.first_block + chunk * (of_ranks_ ? slices_ : loop.slices) + slice;
  }
  [[nodiscard]] bool of_ranks() const { return of_ranks_; }
  // True if the chunks of each loop have equal lengths.
  [[nodiscard]] bool even() const { return even_; }
  // Number of elements of each block.
  [[nodiscard]] const std::vector<std::uint64_t>& lengths() const { return lengths_; }

 private:
  void cut_vector(const Problem& problem, const NcclPieces& pieces);
  void cut_blocks_of_ranks(const Problem& problem, const NcclPieces& pieces);
  void push_chunk(const NcclPieces& pieces, std::uint64_t length, std::uint32_t slices);

  bool of_ranks_;
  bool even_ = true;
  std::uint32_t slices_ = 0;
  std::vector<std::vector<Loop>> of_channel_;
  std::vector<std::uint64_t> lengths_;
};

// Functions of an Algorithm in which all ranks send all the time: allreduce, allgather and
// reduce_scatter.
struct NcclRing {
  static std::optional<Sentence> refusal(const Problem& problem);
  static BlockLayout layout(const Problem& problem);
  // Nodes are equivalent, or every second node is if rings are crossed.
  static RankSymmetry symmetry(const Problem& problem);
  static void emit(const Problem& problem, ScheduleBuilder& builder);
};

// Functions of an Algorithm in which the chunks follow each other along a chain of all ranks. The
// chain begins at the root of a bcast, or ends at the root of a reduce.
struct NcclChain {
  static std::optional<Sentence> refusal(const Problem& problem);
  static BlockLayout layout(const Problem& problem);
  static void emit(const Problem& problem, ScheduleBuilder& builder);
};

inline constexpr std::array<std::string_view, 2> kNcclRingLimits{
    NcclChannels::kLimits[0], "more segments than can be numbered"};

inline constexpr std::array kNcclRingNumbers{kNcclRings, kNcclCards};

// Adds to `own` the members that all of NCCL's rings share.
template <typename Functions>
[[nodiscard]] constexpr Algorithm nccl_ring_algorithm(Algorithm own) {
  own.options = bit(Option::segment) | bit(Option::channels) | bit(Option::ranks_per_node) |
                bit(Option::cards) | bit(Option::ring_order) | bit(Option::protocol);
  own.own_numbers = kNcclRingNumbers;
  own.refusal = Functions::refusal;
  own.limits = kNcclRingLimits;
  own.remark =
      "NCCL cuts the vector over channels in cells of 16 KiB, and leaves channels out if it is "
      "small";
  own.layout = Functions::layout;
  if constexpr (requires { Functions::symmetry; }) {
    own.symmetry = Functions::symmetry;
  }
  own.emit = Functions::emit;
  return own;
}

}}  // namespace tutti::schedules

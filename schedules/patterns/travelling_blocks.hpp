// All-to-all by hops: in every round all ranks send the same set of blocks, numbered by distance,
// to the rank at the same distance. Block k of a rank is always one that was k ranks from its
// destination at the start.
#pragma once

#include <span>

#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class TravellingBlocks {
 public:
  // Begins by copying `input` into `work`, from which blocks are sent.
  TravellingBlocks(Rounds& rounds, std::uint32_t p) : rounds_(rounds), p_(p) {
    rounds_.start_with_copy({0, p});
  }

  // `blocks`: a BlockSet, or a list of pairs of equal numbers.
  template <typename Blocks>
  void hop(std::uint32_t skip, const Blocks& blocks) {
    rounds_.next();
    for (const Rank rank : rounds_.emitted_ranks()) {
      send(rank, static_cast<Rank>((std::uint64_t{rank} + skip) % p_), blocks);
    }
    // A received block takes the place of the block with the same number that was sent.
    for (const Rank rank : rounds_.emitted_ranks()) {
      unpack(rank, blocks);
    }
  }

 private:
  void send(Rank src, Rank dst, const BlockSet& blocks) {
    rounds_.comm(src, dst, {blocks, kWork, kScratch});
  }
  void send(Rank src, Rank dst, std::span<const BlockPair> blocks) {
    rounds_.comm(src, dst, blocks, kWork, kScratch);
  }
  void unpack(Rank rank, const BlockSet& blocks) { rounds_.copy(rank, {blocks, kScratch, kWork}); }
  void unpack(Rank rank, std::span<const BlockPair> blocks) {
    rounds_.copy(rank, blocks, kScratch, kWork);
  }

  Rounds& rounds_;
  std::uint32_t p_;
};

}}  // namespace tutti::schedules

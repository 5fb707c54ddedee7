// Emits both phases of the ring, with `width` consecutive blocks of the schedule per rank. Rank and
// block numbers are modulo p; `ahead` is a parameter of both functions.
//
// Reduction: in step k rank r sends its partial result of block r+ahead-k to rank r+1, which adds
// its own contribution; after p-1 steps rank r holds the result of block r+ahead+1. Distribution:
// in step k rank r forwards block r+ahead-k; it starts with block r+ahead.
#pragma once

#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

class Ring {
 public:
  Ring(Rounds& rounds, std::uint32_t p, std::uint32_t width = 1)
      : rounds_(rounds), p_(p), width_(width) {}

  // Reduces `count` of each rank's blocks, from `offset` on. `ahead` must be less than p.
  void reduce(std::uint32_t ahead, std::uint32_t offset, std::uint32_t count,
              std::uint32_t segment = 0) {
    for (const std::uint32_t step : rounds_.alike(p_ - 1)) {
      rounds_.next(segment);
      for (const Rank rank : rounds_.emitted_ranks()) {
        rounds_.comm(rank, right_of(rank),
                     {{block(rank, ahead, step, offset), count}, kWork, kScratch});
      }
      for (const Rank rank : rounds_.emitted_ranks()) {
        rounds_.reduce(rank, {{block(rank, ahead, step + 1, offset), count}, kScratch, kWork},
                       Operand::left);
      }
    }
  }

  void distribute(std::uint32_t ahead) {
    for (const std::uint32_t step : rounds_.alike(p_ - 1)) {
      rounds_.next();
      for (const Rank rank : rounds_.emitted_ranks()) {
        rounds_.comm(rank, right_of(rank), {{block(rank, ahead, step, 0), width_}, kWork, kWork});
      }
    }
  }

 private:
  [[nodiscard]] Rank right_of(Rank rank) const { return rank + 1 == p_ ? 0 : rank + 1; }
  // Block (rank + ahead - back) mod p of the ring consists of `width` blocks of the schedule.
  // Returns the block at `offset` among these. `ahead` must be less than p.
  [[nodiscard]] std::uint32_t block(Rank rank, std::uint32_t ahead, std::uint32_t back,
                                    std::uint32_t offset) const {
    std::uint32_t index = rank + ahead >= p_ ? rank + ahead - p_ : rank + ahead;
    index = index >= back ? index - back : index + p_ - back;
    return index * width_ + offset;
  }

  Rounds& rounds_;
  std::uint32_t p_;
  std::uint32_t width_;
};

}}  // namespace tutti::schedules

// What the collectives of NVLS have in common. Around one switch every rank has a share of the
// vector. A load from all (multimem.ld_reduce) has the switch read a block at every rank, the
// reader too, combine what comes and hand it to the reader; a store to all (multimem.st) has it
// write a block to every rank, the writer too.
//
// Source: NCCL 2.17 and later, src/device/all_reduce.h, all_gather.h and reduce_scatter.h, NVLS;
// NVIDIA's PTX ISA, multimem.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/patterns/switch_tree.hpp"

namespace tutti {

class NvlsShares {
 public:
  explicit NvlsShares(ScheduleBuilder& builder)
      : builder_(builder), ranks_(builder.ranks()), place_(builder.ranks()) {}

  // For Algorithm::switches.
  static std::uint32_t count(const Problem& problem) { return problem.ranks > 1 ? 1 : 0; }

  // The share of `reader`, which is the block of its number, from all to it.
  void load(Rank reader) {
    loads_.assign(ranks_, kNoOp);
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Place into = rank == 0 ? kWork : Place{Buffer::scratch, rank - 1};
      loads_[rank] =
          builder_.comm({0, reader}, rank, place_, {{reader, 1}, kWork, into}, {});
    }
    OpId sum = loads_[0];
    for (Rank rank = 1; rank < ranks_; ++rank) {
      sum = builder_.reduce({rank, reader}, place_,
                            {{reader, 1}, {Buffer::scratch, rank - 1}, kWork}, Operand::right,
                            std::array{sum, loads_[rank]});
    }
    result_ = builder_.comm({ranks_, reader}, place_, reader, {{reader, 1}, kWork, kWork},
                            std::array{sum, loads_[reader]});
  }

  // The share of `writer` from it to all; after load(writer), if at all.
  void store(Rank writer) {
    const OpId there = builder_.comm({ranks_ + 1, writer}, writer, place_,
                                     {{writer, 1}, kWork, kWork}, std::array{result_});
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const OpId read = loads_.empty() ? kNoOp : loads_[rank];
      builder_.comm({ranks_ + 2, writer}, place_, rank, {{writer, 1}, kWork, kWork},
                    std::array{there, rank == writer ? kNoOp : read});
    }
  }

 private:
  ScheduleBuilder& builder_;
  Rank ranks_;
  Rank place_;                // the switch
  std::vector<OpId> loads_;   // of the share that was loaded last, by rank
  OpId result_ = kNoOp;
};

}  // namespace tutti

// The loads and stores of which the NVLS collectives consist. All ranks are connected to one
// switch, and each rank has a share of the vector. In a load from all (multimem.ld_reduce), the
// switch reads a block at every rank, the reader included, combines the blocks, and returns the
// result to the reader. In a store to all (multimem.st), the switch writes a block to every rank,
// the writer included.
//
// Source: NCCL 2.17 and later, src/device/all_reduce.h, all_gather.h and reduce_scatter.h, NVLS;
// NVIDIA's PTX ISA, multimem.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/builder.hpp"
#include "schedules/patterns/switch_tree.hpp"

namespace tutti { inline namespace schedules {

class NvlsShares {
 public:
  explicit NvlsShares(ScheduleBuilder& builder)
      : builder_(builder),
        ranks_(builder.ranks()),
        place_(builder.ranks()),
        loads_(ranks_),
        result_(ranks_, kNoOp) {}

  // Implements Algorithm::switches.
  static std::uint32_t count(const Problem& problem) { return problem.ranks > 1 ? 1 : 0; }

  // Loads the share of `reader`, which is the block with the reader's number, from all ranks.
  void load(Rank reader) {
    std::vector<OpId>& loads = loads_[reader];
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const Place into = rank == 0 ? kWork : Place{Buffer::scratch, rank - 1};
      loads.push_back(builder_.comm({0, reader}, rank, place_, {{reader, 1}, kWork, into}, {}));
    }
    OpId sum = loads[0];
    for (Rank rank = 1; rank < ranks_; ++rank) {
      sum =
          builder_.reduce({rank, reader}, place_, {{reader, 1}, {Buffer::scratch, rank - 1}, kWork},
                          Operand::right, std::array{sum, loads[rank]});
    }
    result_[reader] = builder_.comm({ranks_, reader}, place_, reader, {{reader, 1}, kWork, kWork},
                                    std::array{sum, loads[reader]});
  }

  // Stores the share of `writer` at all ranks. In an allreduce, load(writer) must be called first.
  void store(Rank writer) {
    const OpId there = builder_.comm({ranks_ + 1, writer}, writer, place_,
                                     {{writer, 1}, kWork, kWork}, std::array{result_[writer]});
    for (Rank rank = 0; rank < ranks_; ++rank) {
      const OpId read = loads_[writer].empty() || rank == writer ? kNoOp : loads_[writer][rank];
      builder_.comm({ranks_ + 2, writer}, place_, rank, {{writer, 1}, kWork, kWork},
                    std::array{there, read});
    }
  }

 private:
  ScheduleBuilder& builder_;
  Rank ranks_;
  Rank place_;  // number of the switch
  // The messages from each rank to the switch, by share and rank.
  std::vector<std::vector<OpId>> loads_;
  // For each share: the message that carries the combined share from the switch to its reader.
  std::vector<OpId> result_;
};

// Provides the functions of an Algorithm in which each rank loads (kLoads) or stores its share.
template <bool kLoads>
struct NvlsOf {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.layout = block_per_rank;
    own.exact_s = exact_s;
    own.emit = emit;
    own.switches = NvlsShares::count;
    own.one_shape = always;
    return own;
  }
  static std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
    if (problem.ranks == 1) {
      return 0;
    }
    const double p = problem.ranks;
    return (p + 1) *
           (prices.alpha_s / 2 + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
  }
  static void emit(const Problem& problem, ScheduleBuilder& builder) {
    const std::size_t p = problem.ranks;
    if (p == 1) {
      return;
    }
    builder.reserve(p * (kLoads ? 2 * p : p + 1), p * (p + 1) * (kLoads ? 2 : 1));
    NvlsShares shares(builder);
    for (Rank rank = 0; rank < p; ++rank) {
      kLoads ? shares.load(rank) : shares.store(rank);
    }
  }
};

}}  // namespace tutti::schedules

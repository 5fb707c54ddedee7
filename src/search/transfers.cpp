#include "src/search/transfers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace tutti { inline namespace search {

namespace {

// Writes transfers as operations.
class TransferWriter {
 public:
  TransferWriter(const Problem& problem, std::uint32_t blocks,
                 const std::vector<Transfer>& transfers, Detail detail)
      : transfers_(transfers),
        ranks_(problem.ranks),
        blocks_(blocks),
        builder_(problem, blocks, detail),
        written_(std::size_t{ranks_} * blocks_),
        read_(written_.size(), kNoOp),
        sends_(ranks_),
        receives_(ranks_),
        last_reduce_(ranks_),
        received_(ranks_) {
    for (auto& each : last_reduce_) {
      each.fill(kNoOp);
    }
  }

  // Writes the transfers in reverse order. Each rank adds what it receives, and sends the sum.
  void gather_sums() {
    for (auto at = transfers_.rbegin(); at != transfers_.rend(); ++at) {
      const Rank src = at->dst;
      const Rank dst = at->src;
      after_ = {ended_by(sends_[src], -at->end_s), ended_by(receives_[dst], -at->end_s)};
      for (const std::uint32_t block : at->blocks) {
        const auto& sums = written_[place(src, block)];
        after_.insert(after_.end(), sums.begin(), sums.end());
      }
      // Uses the slots of scratch in turn.
      const std::uint32_t slot = received_[dst]++ % kSlots;
      after_.push_back(last_reduce_[dst][slot]);
      const OpId message = add(OpKind::comm, src, dst, kWork, {Buffer::scratch, slot}, at->blocks);
      begun(src, dst, -at->start_s, message);
      after_ = {message};
      for (const std::uint32_t block : at->blocks) {
        const auto& sums = written_[place(dst, block)];
        after_.insert(after_.end(), sums.begin(), sums.end());
      }
      const OpId sum = add(OpKind::reduce, dst, dst, {Buffer::scratch, slot}, kWork, at->blocks);
      last_reduce_[dst][slot] = sum;
      for (const std::uint32_t block : at->blocks) {
        read_[place(src, block)] = message;
        written_[place(dst, block)] = {sum};
      }
    }
  }

  void spread() {
    sends_.assign(ranks_, {});
    receives_.assign(ranks_, {});
    for (const Transfer& each : transfers_) {
      after_ = {ended_by(sends_[each.src], each.start_s),
                ended_by(receives_[each.dst], each.start_s)};
      for (const std::uint32_t block : each.blocks) {
        const auto& has = written_[place(each.src, block)];
        after_.insert(after_.end(), has.begin(), has.end());
        after_.push_back(read_[place(each.dst, block)]);
      }
      const OpId message = add(OpKind::comm, each.src, each.dst, kWork, kWork, each.blocks);
      begun(each.src, each.dst, each.end_s, message);
      for (const std::uint32_t block : each.blocks) {
        written_[place(each.dst, block)] = {message};
      }
    }
  }

  [[nodiscard]] Schedule finish() { return builder_.finish(); }

 private:
  [[nodiscard]] std::size_t place(Rank rank, std::uint32_t block) const {
    return std::size_t{rank} * blocks_ + block;
  }
  // A message of a rank, and when it ends according to its transfer.
  struct MessageEnd {
    double end_s;
    OpId id;
  };
  // Returns the message that ended last, at `now_s` at the latest. With several ports, others may
  // still be under way.
  static OpId ended_by(const std::vector<MessageEnd>& begun, double now_s) {
    OpId found = kNoOp;
    double last_s = -std::numeric_limits<double>::infinity();
    for (const MessageEnd& each : begun) {
      if (each.end_s <= now_s + 1e-12 * std::fabs(now_s) && each.end_s >= last_s) {
        last_s = each.end_s;
        found = each.id;
      }
    }
    return found;
  }
  void begun(Rank src, Rank dst, double end_s, OpId id) {
    // Drops the oldest entry. Later messages then have fewer dependencies; the result stays
    // correct.
    constexpr std::size_t kMost = 64;
    for (std::vector<MessageEnd>* const list : {&sends_[src], &receives_[dst]}) {
      if (list->size() == kMost) {
        list->erase(list->begin());
      }
      list->push_back({end_s, id});
    }
  }

  // A message comes one level after the last message that it waits for; a sum has the level of its
  // message.
  OpId add(OpKind kind, Rank src, Rank dst, Place from, Place into,
           const std::vector<std::uint32_t>& blocks) {
    std::uint32_t level = 0;
    for (const OpId before : after_) {
      if (before != kNoOp) {
        level = std::max(level, levels_[before] + (kind == OpKind::comm ? 1 : 0));
      }
    }
    levels_.push_back(level);
    pairs_.clear();
    for (const std::uint32_t block : blocks) {
      pairs_.push_back({block, block});
    }
    const std::uint32_t segment = segments_[{level, src, dst, kind}]++;
    return builder_.pairs(kind, {level, segment}, src, dst, from, into, pairs_, Operand::left,
                          after_);
  }
  static constexpr std::uint32_t kSlots = 8;

  const std::vector<Transfer>& transfers_;
  std::uint32_t ranks_;
  std::uint32_t blocks_;
  ScheduleBuilder builder_;
  std::vector<std::vector<OpId>> written_;  // by rank and block: what the block's content waits for
  std::vector<OpId> read_;                  // by rank and block: the message that read it
  std::vector<std::vector<MessageEnd>> sends_;         // of each rank
  std::vector<std::vector<MessageEnd>> receives_;      // of each rank
  std::vector<std::array<OpId, kSlots>> last_reduce_;  // by slot of scratch
  std::vector<std::uint32_t> received_;
  std::vector<OpId> after_;
  std::vector<BlockPair> pairs_;
  std::vector<std::uint32_t> levels_;  // of each operation
  // The number of operations of the same kind and level between the same ranks.
  std::map<std::tuple<std::uint32_t, Rank, Rank, OpKind>, std::uint32_t> segments_;
};

}  // namespace

bool only_backwards(Collective collective) {
  return collective == Collective::reduce || collective == Collective::reduce_scatter;
}

bool can_be_transfers(const Problem& problem) {
  constexpr std::uint32_t kMostRanks = 512;  // the routes of all pairs are looked at
  const Collective collective = problem.collective;
  return problem.ranks > 1 && problem.ranks <= kMostRanks &&
         (collective == Collective::allgather || collective == Collective::reduce_scatter ||
          collective == Collective::allreduce || collective == Collective::bcast ||
          collective == Collective::reduce);
}

Schedule schedule_of(const Problem& problem, std::uint32_t blocks,
                     const std::vector<Transfer>& transfers, Detail detail) {
  TransferWriter writer(problem, blocks, transfers, detail);
  if (reduces(problem.collective)) {
    writer.gather_sums();
  }
  if (problem.collective != Collective::reduce_scatter &&
      problem.collective != Collective::reduce) {
    writer.spread();
  }
  return writer.finish();
}

}}  // namespace tutti::search

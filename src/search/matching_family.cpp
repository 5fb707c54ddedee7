// Schedules from matchings (src/search/matching.hpp): an allgather and a broadcast as they are, a
// reduce_scatter and a reduction in reverse, and an allreduce as both.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/builder.hpp"
#include "src/search/family.hpp"
#include "src/search/matching.hpp"

namespace tutti::inline search {

namespace {

// Writes the transfers of a matching as operations.
class MatchingWriter {
 public:
  MatchingWriter(const Goal& goal, const MatchingChoices& choices,
                 const std::vector<Transfer>& transfers, Detail detail)
      : transfers_(transfers),
        ranks_(goal.problem.ranks),
        blocks_(choices.blocks),
        builder_(goal.problem, blocks_, detail),
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

  // The transfers backwards: each rank adds what it receives, and sends what it has added up.
  void gather_sums() {
    for (auto at = transfers_.rbegin(); at != transfers_.rend(); ++at) {
      const Rank src = at->dst;
      const Rank dst = at->src;
      after_ = {ended_by(sends_[src], -at->end_s), ended_by(receives_[dst], -at->end_s)};
      for (const std::uint32_t block : at->blocks) {
        const auto& sums = written_[place(src, block)];
        after_.insert(after_.end(), sums.begin(), sums.end());
      }
      // The slots of scratch take turns.
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
  // A message of a rank, and when it ends according to the matching.
  struct Begun {
    double end_s;
    OpId id;
  };
  // Returns the message that ended last, at `now_s` at the latest. With several ports, others may
  // still be under way.
  static OpId ended_by(const std::vector<Begun>& begun, double now_s) {
    OpId found = kNoOp;
    double last_s = -std::numeric_limits<double>::infinity();
    for (const Begun& each : begun) {
      if (each.end_s <= now_s + 1e-12 * std::fabs(now_s) && each.end_s >= last_s) {
        last_s = each.end_s;
        found = each.id;
      }
    }
    return found;
  }
  void begun(Rank src, Rank dst, double end_s, OpId id) {
    constexpr std::size_t kMost = 64;  // more than these are not under way at a time
    for (std::vector<Begun>* const list : {&sends_[src], &receives_[dst]}) {
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
  std::vector<std::vector<Begun>> sends_;   // of each rank
  std::vector<std::vector<Begun>> receives_;           // of each rank
  std::vector<std::array<OpId, kSlots>> last_reduce_;  // by slot of scratch
  std::vector<std::uint32_t> received_;
  std::vector<OpId> after_;
  std::vector<BlockPair> pairs_;
  std::vector<std::uint32_t> levels_;  // of each operation
  // The number of operations of the same kind and level between the same ranks.
  std::map<std::tuple<std::uint32_t, Rank, Rank, OpKind>, std::uint32_t> segments_;
};

class MatchingDraft final : public Draft {
 public:
  MatchingDraft(const Goal& goal, const Matching& matching, MatchingChoices choices)
      : goal_(goal), matching_(matching), choices_(std::move(choices)) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    const std::vector<Transfer> transfers = matching_.transfers(choices_);
    MatchingWriter writer(goal_, choices_, transfers, detail);
    if (reduces(goal_.problem.collective)) {
      writer.gather_sums();
    }
    if (goal_.problem.collective != Collective::reduce_scatter &&
        goal_.problem.collective != Collective::reduce) {
      writer.spread();
    }
    return writer.finish();
  }

  [[nodiscard]] std::string in_words() const override {
    return fmt::format("matching of free senders, receivers and links, {}, {} in a message",
                       counted(choices_.blocks, "block"),
                       choices_.most_blocks == 1
                           ? std::string("1 block")
                           : fmt::format("up to {} blocks", choices_.most_blocks));
  }

  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    MatchingChoices choices = choices_;
    const std::uint32_t all = choices.blocks;
    switch (random.below(8)) {
      case 0:
        choices.most_blocks = random.below(2) == 0 ? std::min(choices.most_blocks * 2, all)
                                                   : std::max(choices.most_blocks / 2, 1U);
        break;
      case 1:
        choices.nearness = random.fraction() * 4;
        choices.farthest = random.below(2) == 0 ? 1 : matching_.nearest();
        break;
      case 2:
        choices.rareness = random.fraction() * 2;
        break;
      case 3:
        choices.most_blocks = 1 + random.below(all);
        break;
      default: {
        const std::uint32_t changes = 1 + random.below(goal_.problem.ranks);
        for (std::uint32_t i = 0; i < changes; ++i) {
          choices.liking[random.below(static_cast<std::uint32_t>(choices.liking.size()))] =
              static_cast<float>(random.fraction());
        }
        break;
      }
    }
    return std::make_unique<MatchingDraft>(goal_, matching_, std::move(choices));
  }

 private:
  const Goal& goal_;
  const Matching& matching_;
  MatchingChoices choices_;
};

class MatchingFamily final : public Family {
 public:
  explicit MatchingFamily(const Goal& goal) : goal_(goal) {
    if (suits()) {
      matching_ = std::make_unique<Matching>(goal);
    }
  }

  [[nodiscard]] std::string_view name() const override { return "matching"; }

  [[nodiscard]] Drafts propose(SearchRandom& random) const override {
    Drafts made;
    if (!matching_) {
      return made;
    }
    for (const auto& [nearness, farthest] :
         {std::pair{0.0, 1.0}, {3.0, 1.0}, {0.0, matching_->nearest()}}) {
      for (const std::uint32_t blocks : numbers_of_blocks()) {
        if (goal_.problem.elements() % blocks != 0) {
          continue;
        }
        for (std::uint32_t most = 1; most < blocks; most *= 2) {
          MatchingChoices choices{blocks, most, nearness, farthest, 1, {}};
          choices.liking.resize(std::size_t{goal_.problem.ranks} * goal_.problem.ranks);
          for (float& liking : choices.liking) {
            liking = static_cast<float>(random.fraction());
          }
          made.push_back(std::make_unique<MatchingDraft>(goal_, *matching_, std::move(choices)));
        }
      }
    }
    return made;
  }

 private:
  [[nodiscard]] bool suits() const {
    const Collective collective = goal_.problem.collective;
    constexpr std::uint32_t kMostRanks = 512;  // the routes of all pairs are looked at
    return goal_.problem.ranks > 1 && goal_.problem.ranks <= kMostRanks &&
           (collective == Collective::allgather || collective == Collective::reduce_scatter ||
            collective == Collective::allreduce || collective == Collective::bcast ||
            collective == Collective::reduce);
  }
  [[nodiscard]] std::vector<std::uint32_t> numbers_of_blocks() const {
    if (has_root(goal_.problem.collective)) {
      return {8, 16, 32, 64, 128, 256};
    }
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t per_rank : {1U, 2U, 3U, 4U, 6U}) {
      numbers.push_back(per_rank * goal_.problem.ranks);
    }
    return numbers;
  }

  const Goal& goal_;
  std::unique_ptr<Matching> matching_;
};

}  // namespace

std::unique_ptr<Family> matching_family(const Goal& goal) {
  return std::make_unique<MatchingFamily>(goal);
}

}  // namespace tutti::inline search

#include <fmt/format.h>

#include <vector>

#include "schedules/verify/events.hpp"
#include "schedules/verify/result.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Sets of ranks. Each set is a row of bits, one per rank.
class RankSets {
 public:
  RankSets(std::size_t sets, std::uint32_t ranks)
      : words_((std::size_t{ranks} + 63) / 64), bits_(sets * words_) {}

  void add(std::size_t set, Rank rank) {
    bits_[set * words_ + rank / 64] |= std::uint64_t{1} << rank % 64;
  }
  [[nodiscard]] bool has(std::size_t set, Rank rank) const {
    return (bits_[set * words_ + rank / 64] >> rank % 64 & 1U) != 0;
  }
  void join(std::size_t into, std::size_t from) {
    for (std::size_t i = 0; i < words_; ++i) {
      bits_[into * words_ + i] |= bits_[from * words_ + i];
    }
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

void check_hearing(const Schedule& schedule, Findings& findings) {
  // Every operation has two sets: the ranks from which its sender has heard at the end of the
  // operation, and those from which its receiver has heard. Completing a send adds no rank, so the
  // first set is the same when the send is posted.
  const auto at_end = [&](OpId id, Rank rank) {
    return std::size_t{id} * 2 + (end_at(schedule, id, rank).moment == Moment::recv_done ? 1 : 0);
  };
  // These sets are followed by one set per rank: the ranks from which it has heard when all its
  // operations are over.
  const auto leaving = [&](Rank rank) { return std::size_t{schedule.size()} * 2 + rank; };
  RankSets known_ranks(leaving(schedule.places()), schedule.places());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const auto take_part = [&](Rank rank) {
      const std::size_t known = at_end(id, rank);
      known_ranks.add(known, rank);
      for_each_event_before(schedule, start_at(schedule, id, rank), [&](OpEvent before) {
        known_ranks.join(known, at_end(before.op, rank));
      });
    };
    take_part(op.src());
    if (op.is_comm()) {
      take_part(op.dst());
      known_ranks.join(at_end(id, op.dst()), at_end(id, op.src()));
      known_ranks.join(leaving(op.dst()), at_end(id, op.dst()));
    }
    known_ranks.join(leaving(op.src()), at_end(id, op.src()));
  }
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (Rank other = 0; other < schedule.ranks(); ++other) {
      if (other != rank && !known_ranks.has(leaving(rank), other)) {
        findings.add(FindingKind::result, rank, [&] {
          return fmt::format("rank {} may leave the barrier before rank {} has entered it", rank,
                             other);
        });
      }
    }
  }
}

}}  // namespace tutti::schedules

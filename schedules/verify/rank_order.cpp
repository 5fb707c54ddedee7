#include "schedules/verify/rank_order.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules {

namespace {

// Largest number of clock entries of a rank. This number of entries takes 512 MiB.
constexpr std::size_t kMaxEntries = std::size_t{1} << 26U;

}  // namespace

RankOrder::RankOrder(const Schedule& schedule, const RankOps& ops)
    : schedule_(schedule), ops_(ops) {
  needed_.reserve(schedule.dependencies());
  dependency_rows_.reserve(schedule.size() + std::size_t{1});
  dependency_rows_.push_back(0);
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      // A dependency that shares no rank is reported as a finding, so it does not count as
      // redundant.
      needed_.push_back(!schedule.op(id).shares_rank(schedule.op(before)));
    }
    dependency_rows_.push_back(needed_.size());
  }
}

void RankOrder::build(Rank rank) {
  rank_ = rank;
  lane_.clear();
  position_.clear();
  lane_end_.clear();
  clock_.clear();
  entries_.clear();
  rows_.assign(1, 0);
  const auto ids = ops_.at(rank);
  for (std::uint32_t index = 0; index < ids.size(); ++index) {
    append(index, ids[index]);
    rows_.push_back(entries_.size());
  }
}

bool RankOrder::before(std::uint32_t a, std::uint32_t b) const {
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(rows_[b]);
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(rows_[b + 1]);
  const auto found =
      std::lower_bound(begin, end, lane_[a],
                       [](const Entry& entry, std::uint32_t lane) { return entry.lane < lane; });
  return found != end && found->lane == lane_[a] && found->length > position_[a];
}

std::size_t RankOrder::redundant_dependencies() const {
  return needed_.size() -
         static_cast<std::size_t>(std::count(needed_.begin(), needed_.end(), true));
}

std::optional<std::pair<OpId, OpId>> RankOrder::first_redundant_dependency() const {
  const auto first =
      static_cast<std::size_t>(std::find(needed_.begin(), needed_.end(), false) - needed_.begin());
  if (first == needed_.size()) {
    return std::nullopt;
  }
  const auto row = std::upper_bound(dependency_rows_.begin(), dependency_rows_.end(), first) - 1;
  const auto id = static_cast<OpId>(row - dependency_rows_.begin());
  return std::pair(id, schedule_.predecessors(id)[first - *row]);
}

void RankOrder::append(std::uint32_t index, OpId id) {
  const auto before = schedule_.predecessors(id);
  raised_.clear();
  for (const OpId other : before) {
    if (schedule_.op(other).touches(rank_) && entries_.size() <= kMaxEntries) {
      const std::uint32_t at = ops_.index(other, rank_);
      for (std::size_t i = rows_[at]; i < rows_[at + 1]; ++i) {
        raise(entries_[i].lane, entries_[i].length);
      }
    }
  }
  // The clock now has all operations that precede the operations in `before`. A dependency on an
  // operation that is in the clock is therefore redundant at this rank.
  std::uint32_t lane = kNoOp;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!schedule_.op(before[i]).touches(rank_)) {
      continue;
    }
    const std::uint32_t at = ops_.index(before[i], rank_);
    if (clock_[lane_[at]] <= position_[at]) {
      needed_[dependency_rows_[id] + i] = true;
    }
    if (lane_end_[lane_[at]] == at) {
      // The operation continues the lane of the newest dependency that is at the end of its lane.
      lane = lane_[at];
    }
  }
  for (const OpId other : before) {
    if (schedule_.op(other).touches(rank_)) {
      const std::uint32_t at = ops_.index(other, rank_);
      raise(lane_[at], position_[at] + 1);
    }
  }
  std::sort(raised_.begin(), raised_.end());
  for (const std::uint32_t raised : raised_) {
    entries_.push_back({raised, clock_[raised]});
    clock_[raised] = 0;
  }
  if (lane == kNoOp) {
    lane = static_cast<std::uint32_t>(lane_end_.size());
    lane_end_.push_back(index);
    clock_.push_back(0);
    position_.push_back(0);
  } else {
    position_.push_back(position_[lane_end_[lane]] + 1);
    lane_end_[lane] = index;
  }
  lane_.push_back(lane);
}

void RankOrder::raise(std::uint32_t lane, std::uint32_t length) {
  if (clock_[lane] == 0) {
    raised_.push_back(lane);
  }
  clock_[lane] = std::max(clock_[lane], length);
}

}}  // namespace tutti::schedules

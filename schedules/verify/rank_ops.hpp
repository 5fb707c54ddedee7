// The operations of each rank and of each switch, in ascending order of ids. Switches are numbered
// after the ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

class RankOps {
 public:
  explicit RankOps(const Schedule& schedule) : schedule_(schedule), rows_(schedule.places() + 1) {
    for (const Op& op : schedule.ops()) {
      ++rows_[op.src() + 1];
      if (op.is_comm()) {
        ++rows_[op.dst() + 1];
      }
    }
    for (Rank rank = 0; rank < schedule.places(); ++rank) {
      rows_[rank + 1] += rows_[rank];
    }
    ids_.resize(rows_.back());
    index_at_src_.resize(schedule.size());
    index_at_dst_.resize(schedule.size());
    std::vector<std::size_t> next(rows_.begin(), rows_.end() - 1);
    for (OpId id = 0; id < schedule.size(); ++id) {
      const Op& op = schedule.op(id);
      index_at_src_[id] = place(id, op.src(), next);
      index_at_dst_[id] = op.is_comm() ? place(id, op.dst(), next) : index_at_src_[id];
    }
  }

  [[nodiscard]] std::span<const OpId> at(Rank rank) const {
    return std::span(ids_).subspan(rows_[rank], rows_[rank + 1] - rows_[rank]);
  }
  // Position of `id` in at(rank). The operation must touch `rank`.
  [[nodiscard]] std::uint32_t index(OpId id, Rank rank) const {
    return schedule_.op(id).src() == rank ? index_at_src_[id] : index_at_dst_[id];
  }

 private:
  std::uint32_t place(OpId id, Rank rank, std::vector<std::size_t>& next) {
    const std::size_t at = next[rank]++;
    ids_[at] = id;
    return static_cast<std::uint32_t>(at - rows_[rank]);
  }

  const Schedule& schedule_;
  std::vector<std::size_t> rows_;
  std::vector<OpId> ids_;
  std::vector<std::uint32_t> index_at_src_;
  std::vector<std::uint32_t> index_at_dst_;
};

}}  // namespace tutti::schedules

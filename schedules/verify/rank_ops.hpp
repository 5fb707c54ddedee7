// The operations of each rank and of each switch, in ascending order of ids. Switches are numbered
// after the ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.hpp"
#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

class RankOps {
 public:
  explicit RankOps(const Schedule& schedule)
      : schedule_(schedule),
        ids_(schedule.places(),
             [&](const auto& add) {
               for (OpId id = 0; id < schedule.size(); ++id) {
                 const Op& op = schedule.op(id);
                 add(op.src(), id);
                 if (op.is_comm()) {
                   add(op.dst(), id);
                 }
               }
             }),
        index_at_src_(schedule.size()),
        index_at_dst_(schedule.size()) {
    for (Rank rank = 0; rank < schedule.places(); ++rank) {
      std::uint32_t index = 0;
      for (const OpId id : at(rank)) {
        (schedule.op(id).src() == rank ? index_at_src_ : index_at_dst_)[id] = index++;
      }
    }
  }

  [[nodiscard]] std::span<const OpId> at(Rank rank) const { return ids_[rank]; }
  // Position of `id` in at(rank). The operation must touch `rank`.
  [[nodiscard]] std::uint32_t index(OpId id, Rank rank) const {
    return schedule_.op(id).src() == rank ? index_at_src_[id] : index_at_dst_[id];
  }

 private:
  const Schedule& schedule_;
  Rows<OpId, std::size_t> ids_;
  std::vector<std::uint32_t> index_at_src_;
  std::vector<std::uint32_t> index_at_dst_;
};

}}  // namespace tutti::schedules

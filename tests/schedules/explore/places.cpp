#include "tests/schedules/explore/places.hpp"

namespace tutti::explore {

Places::Places(const Draft& draft)
    : contract_(draft.problem.collective, draft.ranks(), draft.blocks(), draft.problem.root),
      ranks_(draft.ranks()),
      blocks_(draft.blocks()),
      per_rank_((2 + draft.scratch_slots) * draft.blocks()),
      count_(per_rank_ * ranks_) {
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      const Demand demand = contract_.demand(rank, block);
      if (demand.kind != Demand::Kind::nothing && demand.kind != Demand::Kind::hearing) {
        demanded_.push_back({of(rank, Buffer::work, block), rank, demand});
      }
    }
  }
}

std::vector<Value> Places::initial(Values& values) const {
  std::vector<Value> memory(count_, kUndefined);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      if (!contract_.has_input(rank, block)) {
        continue;
      }
      memory[of(rank, Buffer::input, block)] = values.input(rank, block);
      if (contract_.in_place()) {
        memory[of(rank, Buffer::work, block)] = values.input(rank, block);
      }
    }
  }
  return memory;
}

}  // namespace tutti::explore

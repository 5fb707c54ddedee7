#include "schedules/verify/replay.hpp"

#include <algorithm>

#include "base/work_ticker.hpp"

namespace tutti { inline namespace schedules {

Replay::Replay(const Schedule& schedule, const Contract& contract)
    : schedule_(schedule),
      expressions_(schedule.ranks(), schedule.blocks()),
      buffers_(schedule.places()) {
  fill(contract);
}

Replay::Replay(const Schedule& schedule, const Contract& contract,
               std::span<const UndefinedRead> undefined_reads)
    : Replay(schedule, contract) {
  auto at = undefined_reads.begin();
  TickedWork ticked("following the blocks", schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    ticked.at(id);
    const auto begin = at;
    while (at != undefined_reads.end() && at->id == id) {
      ++at;
    }
    run(id, {begin, at});
  }
}

void Replay::fill(const Contract& contract) {
  for (Rank rank = 0; rank < schedule_.places(); ++rank) {
    std::vector<Expressions::Value> input(schedule_.blocks());
    for (std::uint32_t block = 0; block < schedule_.blocks(); ++block) {
      if (contract.has_input(rank, block)) {
        input[block] = expressions_.leaf(rank, block);
      }
    }
    buffers_[rank].resize(kFirstScratchPage);
    buffers_[rank][kWorkPage] =
        contract.in_place() ? input : std::vector<Expressions::Value>(schedule_.blocks());
    buffers_[rank][kInputPage] = std::move(input);
  }
}

void Replay::run(OpId id, std::span<const UndefinedRead> undefined) {
  const Op& op = schedule_.op(id);
  const auto read = [&](Rank rank, Buffer buffer, std::uint32_t index) {
    const bool held = undefined.empty() || !std::binary_search(undefined.begin(), undefined.end(),
                                                               UndefinedRead{id, buffer, index});
    return held ? value(rank, buffer, index) : Expressions::kUndefined;
  };
  // Reads everything before writing anything, because the source and the destination of a copy may
  // overlap.
  moved_.clear();
  for_each_block_pair(schedule_, id, [&](std::uint32_t from, std::uint32_t into) {
    Expressions::Value moved = read(op.src(), op.from(), from);
    if (op.kind() == OpKind::reduce) {
      const Expressions::Value other = read(op.dst(), op.into(), into);
      moved = op.from_is() == Operand::left ? expressions_.combine(moved, other)
                                            : expressions_.combine(other, moved);
    }
    moved_.push_back(moved);
  });
  auto next = moved_.begin();
  for_each_block_pair(schedule_, id, [&](std::uint32_t, std::uint32_t into) {
    value(op.dst(), op.into(), into) = *next++;
  });
}

Expressions::Value Replay::in_scratch(Rank rank, std::uint32_t index) const {
  const auto& pages = buffers_[rank];
  const std::size_t page = kFirstScratchPage + index / schedule_.blocks();
  return page < pages.size() && !pages[page].empty() ? pages[page][index % schedule_.blocks()]
                                                     : Expressions::kUndefined;
}

Expressions::Value& Replay::value(Rank rank, Buffer buffer, std::uint32_t index) {
  auto& pages = buffers_[rank];
  if (buffer != Buffer::scratch) {
    return pages[buffer == Buffer::input ? kInputPage : kWorkPage][index];
  }
  const std::size_t page = kFirstScratchPage + index / schedule_.blocks();
  if (page >= pages.size()) {
    pages.resize(page + 1);
  }
  if (pages[page].empty()) {
    pages[page].resize(schedule_.blocks());
  }
  return pages[page][index % schedule_.blocks()];
}

}}  // namespace tutti::schedules

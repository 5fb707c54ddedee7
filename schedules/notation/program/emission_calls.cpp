// The part of Emission that copies the operations of a call. The copied operations come after
// everything that the call's ranks have done before.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schedules/notation/program/emission.hpp"

namespace tutti { inline namespace schedules { namespace program {

std::int64_t Emission::next_level(std::int64_t rank) const {
  if (rank < 0 || rank >= ranks_) {
    state_.fail(fmt::format("level of rank {}: the ranks are 0 to {}", rank, ranks_ - 1));
  }
  return round_levels_.empty() ? traces_.next_level(static_cast<Rank>(rank))
                               : round_levels_[static_cast<std::size_t>(rank)];
}

void Emission::begin_round() {
  state_.count_steps(ranks_);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    round_levels_.push_back(traces_.next_level(rank));
  }
}

void Emission::call(const UseCode& code, const Numbers& slots, const std::vector<Numbers>& lists) {
  Call call = calls_.resolve(code, slots, lists, blocks_);
  const GroupPart& part = calls_.part(call);
  if (part.schedule.size() == 0) {
    return;
  }
  state_.count_steps(part.schedule.size());
  std::uint32_t level = 0;
  begins_.resize(ranks_);
  for (const Rank member : call.members) {
    level = std::max(level, traces_.next_level(member));
    begins_[member] = {traces_.last(member), false};
    state_.count_steps(begins_[member].after.size());
  }
  const std::uint64_t end_level = std::uint64_t{level} + part.levels;
  if (end_level > kMaxLevel) {
    fail_at(code.place, fmt::format("level {}: levels are 0 to {}", end_level - 1, kMaxLevel));
  }
  call_ = &call;
  call.first = next_id(code.place);
  first_level_ = level;
  keep_inputs(call, level);
  call.origins.reserve(part.schedule.size());
  PartCopier(*this).copy(part, call.members);
  // At the last level of the call, the set Req(l,n) of each rank has the operations that complete
  // the call at that rank.
  for (const Rank member : call.members) {
    traces_.reach(member, static_cast<std::uint32_t>(end_level));
    if (keeps_levels_) {
      levels_.assign(static_cast<std::uint32_t>(end_level - 1), 0, member, traces_.last(member));
    }
  }
  call_ = nullptr;
  calls_.add(std::move(call));
}

// Copies inputs where necessary. For a call, the input of a rank is the data that the rank has when
// the call begins. If the rank has done anything before, these data are in `work`, where the call
// may overwrite them before it reads them.
void Emission::keep_inputs(Call& call, std::uint32_t level) {
  const GroupPart& part = calls_.part(call);
  for (Rank rank = 0; rank < call.members.size(); ++rank) {
    const Rank member = call.members[rank];
    if (!part.reads_input(rank) || traces_.has_done_nothing(member)) {
      continue;
    }
    std::uint64_t bytes = 0;
    bool nothing = true;
    for (const std::uint32_t block : part.input_read[rank]) {
      if (call.blocks.empty()) {
        bytes += part.schedule.layout().size_bytes(block);
        nothing = false;
        continue;
      }
      for (const std::uint32_t piece : call.blocks[block]) {
        bytes += parts_.layout.size_bytes(piece);
        nothing = false;
      }
    }
    if (nothing) {
      continue;
    }
    if (part.segments > kMaxSegment) {
      fail_at(call.place,
              fmt::format("segment {}: segments are 0 to {}", part.segments, kMaxSegment));
    }
    const Op copy(OpKind::copy, member, member, bytes, {level, part.segments}, Buffer::work,
                  Buffer::scratch, Operand::left, false);
    begins_[member] = {{write(copy, begins_[member].after, call.place)}, true};
    call.kept.push_back(rank);
  }
}

void Emission::begin_after(Rank rank, std::vector<OpId>& after) const {
  after.insert(after.end(), begins_[rank].after.begin(), begins_[rank].after.end());
}

OpId Emission::write(OpId id, Rank src, Rank dst, std::span<const OpId> after) {
  Call& call = *call_;
  const GroupPart& part = calls_.part(call);
  if (!call.blocks.empty() && part.moves_nothing(id, call.pieces())) {
    return kNoOp;
  }
  const Op& op = part.schedule.op(id);
  const Buffer from = op.from() == Buffer::input && begins_[src].kept ? Buffer::scratch : op.from();
  call.origins.push_back(id);
  return write(Op(op.kind(), src, dst, calls_.bytes_of(call, id, parts_.layout),
                  {first_level_ + op.label().level, op.label().segment}, from, op.into(),
                  op.from_is(), false),
               after, call.place);
}

// Appends an operation without blocks. Its blocks are set at the end of the program, when all cuts
// of the vector are known.
OpId Emission::write(const Op& op, std::span<const OpId> after, std::uint32_t place) {
  const OpId id = next_id(place);
  const auto begin = static_cast<std::ptrdiff_t>(parts_.dependencies.size());
  parts_.dependencies.insert(parts_.dependencies.end(), after.begin(), after.end());
  const LabelKey key{op.label(), op.src(), op.dst(), op.kind() == OpKind::reduce};
  const OpId other = labels_.add(key, id);
  // The label is free, because the level is above all earlier levels of the operation's ranks.
  TUTTI_INVARIANT(other == kNoOp);
  end_row(place);
  parts_.ops.push_back(op);
  if (detail_ == Detail::payload) {
    parts_.payloads.emplace_back();
  }
  traces_.add(id, std::span(parts_.dependencies).subspan(static_cast<std::size_t>(begin)));
  parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
  add_to_sets(op.label(), op.src(), id);
  if (op.dst() != op.src()) {
    add_to_sets(op.label(), op.dst(), id);
  }
  return id;
}

}}}  // namespace tutti::schedules::program

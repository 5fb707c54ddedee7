#include "schedules/patterns/group_writer.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

GroupWriter::GroupWriter(const GroupCalls& calls, ScheduleBuilder& builder)
    : calls_(calls),
      builder_(builder),
      cut_(calls.cut()),
      first_stage_(calls.problem_.ranks, kNoStage),
      ranks_(calls.problem_.ranks) {
  for (const Shape& shape : calls.shapes_) {
    parts_.emplace_back(make_schedule(*shape.algorithm, shape.problem));
  }
  for (const std::vector<GroupCalls::Pieces>& blocks : calls.blocks_) {
    block_places_.push_back(cut_.vector.places_of(blocks));
  }
  scratch_between_ = std::any_of(calls.calls_.begin(), calls.calls_.end(),
                                 [](const Call& call) { return call.result == Buffer::scratch; });
  count_labels();
  reserve();
}

void GroupWriter::write() {
  for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
    write(calls_.calls_[at], calls_.shape_of_call_[at]);
  }
}

// The levels of a stage come after those of the stages before. Within a stage, label segments
// distinguish the calls.
void GroupWriter::count_labels() {
  std::vector<std::uint32_t> levels;
  for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
    const std::uint32_t stage = calls_.calls_[at].stage;
    const GroupPart& part = parts_[calls_.shape_of_call_[at]];
    if (stage >= levels.size()) {
      levels.resize(stage + std::size_t{1});
      segments_.resize(stage + std::size_t{1}, 1);
    }
    levels[stage] = std::max(levels[stage], part.levels);
    // A call that reads the input needs one more segment, for a copy of the input.
    segments_[stage] =
        std::max(segments_[stage], part.segments + (part.input_read.empty() ? 0 : 1));
    for (const Rank member : calls_.groups_[calls_.calls_[at].group]) {
      first_stage_[member] = std::min(first_stage_[member], stage);
    }
  }
  for (const Call& call : calls_.calls_) {
    if ((call.segment + std::uint64_t{1}) * segments_[call.stage] > kMaxSegment + 1) {
      throw ScheduleTooLarge(sentence(
          "the parts cut the segments into more than {} segments in total; use a larger $segment",
          kMaxSegment));
    }
  }
  std::uint32_t level = 0;
  for (const std::uint32_t count : levels) {
    first_level_.push_back(level);
    level += count;
  }
}

void GroupWriter::reserve() {
  std::size_t ops = 0;
  std::size_t dependencies = 0;
  for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
    const Call& call = calls_.calls_[at];
    const GroupPart& part = parts_[calls_.shape_of_call_[at]];
    ops += part.schedule.size();
    dependencies += part.schedule.dependencies() + 2 * std::size_t{call.problem.ranks};
    for (Rank rank = 0; rank < call.problem.ranks; ++rank) {
      ops += keeps_input(call, part, rank) ? 1 : 0;
    }
    if (call.blocks && block_places_[*call.blocks].some_empty) {
      const BlockPlaces places = block_places_[*call.blocks].places();
      for (OpId id = 0; id < part.schedule.size(); ++id) {
        ops -= part.moves_nothing(id, places) ? 1 : 0;
      }
    }
  }
  builder_.reserve(ops, dependencies);
}

// True if a call must copy the rank's input first. The input of a call is what the rank has when
// the call begins. In a later stage these data are in `work`, not in the input buffer, so a call
// could overwrite them before reading them.
bool GroupWriter::keeps_input(const Call& call, const GroupPart& part, Rank rank) const {
  return part.reads_input(rank) && call.input == Buffer::input &&
         first_stage_[calls_.groups_[call.group][rank]] != call.stage;
}

GroupWriter::RankState& GroupWriter::state_of(Rank rank, std::uint32_t turn) {
  RankState& state = ranks_[rank];
  if (state.turn != turn) {
    state.turn = turn;
    if (!state.blocking.empty() || !state.beside.empty()) {
      state.before = std::move(state.blocking);
      state.before.insert(state.before.end(), state.beside.begin(), state.beside.end());
      state.blocking.clear();
      state.beside.clear();
    }
  }
  return state;
}

void GroupWriter::write(const Call& call, std::uint32_t shape) {
  const GroupPart& part = parts_[shape];
  const std::vector<Rank>& members = calls_.groups_[call.group];
  current_ = {&call, &part, {}};
  if (call.blocks) {
    current_.places = block_places_[*call.blocks].places();
  } else {
    current_.places.bounds =
        &cut_.vector.run_bounds(cut_.runs.at({shape, call.first_piece, call.end_piece}));
  }
  for (Rank rank = 0; rank < members.size(); ++rank) {
    RankState& state = state_of(members[rank], call.turn);
    state.ended.clear();
    state.kept = kNoOp;
    if (keeps_input(call, part, rank)) {
      keep_input(rank);
    }
  }
  PartCopier(*this).copy(part, members);
  for (const Rank member : members) {
    RankState& state = ranks_[member];
    if (state.ended.empty()) {
      continue;
    }
    if (call.beside) {
      state.beside.insert(state.beside.end(), state.ended.begin(), state.ended.end());
    } else {
      state.blocking.swap(state.ended);
    }
  }
}

void GroupWriter::keep_input(Rank rank) {
  const Call& call = *current_.call;
  const Rank member = calls_.groups_[call.group][rank];
  pairs_.clear();
  for (const std::uint32_t block : current_.part->input_read[rank]) {
    for (std::uint32_t i = 0; i < current_.places.count(block); ++i) {
      const std::uint32_t whole = current_.places.at(block, i);
      pairs_.push_back({whole, whole});
    }
  }
  TUTTI_INVARIANT(!pairs_.empty());
  std::vector<OpId> after;
  begin_after(member, after);
  const Label label{first_level_[call.stage], (call.segment + 1) * segments_[call.stage] - 1};
  ends_.emplace_back(member, member);
  ranks_[member].kept =
      builder_.pairs(OpKind::copy, label, member, member, kWork,
                     kept_input(*current_.part, scratch_between_), pairs_, Operand::left, after);
}

void GroupWriter::begin_after(Rank rank, std::vector<OpId>& after) const {
  const RankState& state = ranks_[rank];
  if (state.kept != kNoOp) {
    after.push_back(state.kept);
    return;
  }
  const std::vector<OpId>& last =
      current_.call->beside || state.blocking.empty() ? state.before : state.blocking;
  after.insert(after.end(), last.begin(), last.end());
}

Place GroupWriter::read_place(const Op& op, Rank src, std::uint32_t slot) const {
  if (op.from() == Buffer::input) {
    return ranks_[src].kept != kNoOp ? kept_input(*current_.part, scratch_between_)
                                     : Place{current_.call->input, 0};
  }
  return own_place(op.from(), slot);
}

// The scratch slot between stages is the first one, and those of the parts come after it.
Place GroupWriter::own_place(Buffer buffer, std::uint32_t slot) const {
  if (buffer == Buffer::work) {
    return {current_.call->result, 0};
  }
  return {buffer, slot + (scratch_between_ ? 1U : 0U)};
}

OpId GroupWriter::write(OpId id, Rank src, Rank dst, std::span<const OpId> after) {
  const GroupPart& part = *current_.part;
  const Call& call = *current_.call;
  const Op& op = part.schedule.op(id);
  const Label label{first_level_[call.stage] + op.label().level,
                    call.segment * segments_[call.stage] + op.label().segment};
  const PlacedMove placed = place_move(part.schedule, id, current_.places, pairs_);
  const Place from = read_place(op, src, placed.from_slot);
  const Place into = own_place(op.into(), placed.into_slot);
  if (placed.count == 0) {
    if (pairs_.empty()) {
      return kNoOp;
    }
    ends_.emplace_back(src, dst);
    return builder_.pairs(op.kind(), label, src, dst, from, into, pairs_, op.from_is(), after);
  }
  const Move move{{placed.first, placed.count}, from, into};
  ends_.emplace_back(src, dst);
  switch (op.kind()) {
    case OpKind::comm:
      return builder_.comm(label, src, dst, move, after);
    case OpKind::reduce:
      return builder_.reduce(label, src, move, op.from_is(), after);
    case OpKind::copy:
      break;
  }
  return builder_.copy(label, src, move, after);
}

void GroupCalls::emit(ScheduleBuilder& builder) const { GroupWriter(*this, builder).write(); }

}}  // namespace tutti::schedules

#include "schedules/patterns/group_calls.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "schedules/accesses.hpp"

namespace tutti {

namespace {

// Bounds in a piece: how often each is there at most in one run. Between two that are alike is an
// empty block.
using LocalBounds = std::map<std::uint64_t, std::uint32_t>;

// A bound of a run's algorithm: a piece, a place in it, and which of those at that place.
struct PlacedBound {
  std::uint32_t piece = 0;
  std::uint64_t local_offset = 0;
  std::uint32_t repeated = 0;
};

// The bounds of `layout`, which begins at the first of `pieces`. Neither the first, which is the
// first block of the run, nor the last, which is its end: a run covers its pieces whatever they
// hold.
std::vector<PlacedBound> inner_bounds(const BlockLayout& layout,
                                      const std::vector<std::uint64_t>& piece_offsets,
                                      std::uint32_t first_piece, std::uint32_t end_piece) {
  std::vector<PlacedBound> bounds;
  bounds.reserve(layout.blocks());
  std::uint32_t piece = first_piece;
  // The one at the start of the first piece is there already.
  PlacedBound last{first_piece, 0, 0};
  for (std::uint32_t block = 1; block < layout.blocks(); ++block) {
    const std::uint64_t offset = piece_offsets[first_piece] + layout.offset_bytes(block);
    while (piece + 1 < end_piece && piece_offsets[piece + 1] <= offset) {
      ++piece;
    }
    PlacedBound bound{piece, offset - piece_offsets[piece], 0};
    if (bound.piece == last.piece && bound.local_offset == last.local_offset) {
      bound.repeated = last.repeated + 1;
    }
    bounds.push_back(bound);
    last = bound;
  }
  return bounds;
}

// What is the same for all calls of a shape: the part's schedule, and which of its operations begin
// and end what a rank does in it.
struct Part {
  enum Flag : std::uint8_t { first_at_src = 1, first_at_dst = 2, last_at_src = 4, last_at_dst = 8 };

  explicit Part(Schedule&& made) : schedule(std::move(made)), flags(schedule.size()) {
    for (OpId id = 0; id < schedule.size(); ++id) {
      const Op& op = schedule.op(id);
      const auto none_at = [&](std::span<const OpId> others, Rank rank) {
        return std::none_of(others.begin(), others.end(),
                            [&](OpId other) { return schedule.op(other).touches(rank); });
      };
      std::uint8_t& flag = flags[id];
      if (none_at(schedule.predecessors(id), op.src())) {
        flag |= first_at_src;
      }
      if (none_at(schedule.predecessors(id), op.dst())) {
        flag |= first_at_dst;
      }
      if (none_at(schedule.successors(id), op.src())) {
        flag |= last_at_src;
      }
      if (none_at(schedule.successors(id), op.dst())) {
        flag |= last_at_dst;
      }
      levels = std::max(levels, op.label().level + 1);
      segments = std::max(segments, op.label().segment + 1);
      if (op.from() == Buffer::input) {
        input_read.resize(schedule.ranks());
        for_each_run_read(schedule, id, [&](std::uint32_t first, std::uint32_t count) {
          for (std::uint32_t block = first; block < first + count; ++block) {
            input_read[op.src()].insert(block);
          }
        });
      }
    }
  }

  [[nodiscard]] bool reads_input(Rank rank) const {
    return !input_read.empty() && !input_read[rank].empty();
  }

  Schedule schedule;
  std::vector<std::uint8_t> flags;
  std::vector<std::set<std::uint32_t>> input_read;  // blocks, by rank; empty where none is read
  std::uint32_t levels = 0;
  std::uint32_t segments = 0;
};

}  // namespace

GroupCalls::GroupCalls(const Problem& problem, const std::vector<std::uint64_t>& piece_bytes)
    : problem_(problem), piece_offsets_{0} {
  piece_offsets_.reserve(piece_bytes.size() + 1);
  for (const std::uint64_t bytes : piece_bytes) {
    piece_offsets_.push_back(piece_offsets_.back() + bytes);
  }
  TUTTI_INVARIANT(piece_offsets_.back() == problem.bytes);
  TUTTI_INVARIANT(!owns_parts(problem.collective) || piece_bytes.size() == problem.ranks);
}

std::uint32_t GroupCalls::add_group(std::vector<Rank> members) {
  groups_.push_back(std::move(members));
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::uint32_t GroupCalls::add_blocks(std::vector<Pieces> pieces_of_block) {
  blocks_.push_back(std::move(pieces_of_block));
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void GroupCalls::add(Call call) {
  // But for an all-to-all, which takes its own block from one place to another.
  if (call.problem.ranks == 1 && call.problem.collective != Collective::alltoall) {
    return;
  }
  TUTTI_INVARIANT(groups_[call.group].size() == call.problem.ranks);
  TUTTI_INVARIANT(calls_.empty() || calls_.back().turn <= call.turn);
  shape_of_call_.push_back(shape_of(call));
  calls_.push_back(std::move(call));
}

std::uint32_t GroupCalls::shape_of(const Call& call) {
  const auto found = std::find_if(shapes_.rbegin(), shapes_.rend(), [&](const Shape& shape) {
    return shape.algorithm == call.algorithm && shape.problem == call.problem;
  });
  if (found != shapes_.rend()) {
    return static_cast<std::uint32_t>(shapes_.rend() - found - 1);
  }
  const Algorithm& algorithm = *call.algorithm;
  if (algorithm.refusal != nullptr) {
    if (const auto reason = algorithm.refusal(call.problem)) {
      throw UserError(reason->after("its " + algorithm.full_name() + ": "));
    }
  }
  if (call.blocks && algorithm.layout(call.problem).blocks() != call.problem.ranks) {
    throw UserError(sentence("its {}: it cuts the blocks of ranks, which are not alike here",
                             algorithm.full_name()));
  }
  shapes_.push_back({call.algorithm, call.problem});
  return static_cast<std::uint32_t>(shapes_.size() - 1);
}

std::uint64_t GroupCalls::bytes_of(const Call& call) const {
  if (!call.blocks) {
    return piece_offsets_[call.end_piece] - piece_offsets_[call.first_piece];
  }
  std::uint64_t bytes = 0;
  for (const Pieces& pieces : blocks_[*call.blocks]) {
    for (const std::uint32_t piece : pieces) {
      bytes += piece_offsets_[piece + 1] - piece_offsets_[piece];
    }
  }
  return bytes;
}

GroupCalls::Cut GroupCalls::cut() const {
  const auto pieces = static_cast<std::uint32_t>(piece_offsets_.size() - 1);
  std::vector<LocalBounds> local(pieces);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    local[piece][0] = 1;  // its start; its end is the start of the next
  }
  std::map<Run, std::vector<PlacedBound>> runs;
  for (std::size_t at = 0; at < calls_.size(); ++at) {
    const Call& call = calls_[at];
    const Run run{shape_of_call_[at], call.first_piece, call.end_piece};
    if (call.blocks || runs.count(run) == 1) {
      continue;
    }
    const Shape& shape = shapes_[run.shape];
    const BlockLayout layout = shape.algorithm->layout(shape.problem);
    TUTTI_INVARIANT(layout.bytes() ==
                    piece_offsets_[run.end_piece] - piece_offsets_[run.first_piece]);
    const auto& bounds = runs[run] =
        inner_bounds(layout, piece_offsets_, run.first_piece, run.end_piece);
    for (const PlacedBound& bound : bounds) {
      std::uint32_t& times = local[bound.piece][bound.local_offset];
      times = std::max(times, bound.repeated + 1);
    }
  }
  std::uint32_t each = 0;  // blocks of a piece, where all must have as many
  std::vector<std::map<std::uint64_t, std::uint32_t>> first(pieces);  // at a local offset
  std::vector<std::uint32_t> blocks(pieces);
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    for (const auto& [offset, times] : local[piece]) {
      first[piece][offset] = blocks[piece];
      blocks[piece] += times;
    }
    each = std::max(each, blocks[piece]);
  }
  Cut cut;
  for (std::uint32_t piece = 0; piece < pieces; ++piece) {
    cut.first_block.push_back(static_cast<std::uint32_t>(cut.offsets.size()));
    for (const auto& [offset, times] : local[piece]) {
      cut.offsets.insert(cut.offsets.end(), times, piece_offsets_[piece] + offset);
    }
    if (owns_parts(problem_.collective)) {
      // Empty blocks at the end of each rank's, until all ranks have as many.
      cut.offsets.insert(cut.offsets.end(), each - blocks[piece], piece_offsets_[piece + 1]);
    }
  }
  cut.first_block.push_back(static_cast<std::uint32_t>(cut.offsets.size()));
  cut.offsets.push_back(piece_offsets_.back());
  for (const auto& [run, bounds] : runs) {
    std::vector<std::uint32_t>& places = cut.places[run];
    places.reserve(bounds.size() + 2);
    places.push_back(cut.first_block[run.first_piece]);
    for (const PlacedBound& bound : bounds) {
      places.push_back(cut.first_block[bound.piece] + first[bound.piece][bound.local_offset] +
                       bound.repeated);
    }
    places.push_back(cut.first_block[run.end_piece]);
  }
  return cut;
}

BlockLayout GroupCalls::layout() const {
  const Cut whole = cut();
  std::vector<std::uint64_t> elements;
  elements.reserve(whole.offsets.size());
  for (std::size_t bound = 1; bound < whole.offsets.size(); ++bound) {
    elements.push_back((whole.offsets[bound] - whole.offsets[bound - 1]) / problem_.element_bytes);
  }
  return BlockLayout::irregular(elements, problem_.element_bytes);
}

// Copies the parts' schedules into the whole's.
class GroupCalls::Writer {
 public:
  Writer(const GroupCalls& calls, ScheduleBuilder& builder)
      : calls_(calls),
        builder_(builder),
        cut_(calls.cut()),
        first_stage_(calls.problem_.ranks, kNoStage),
        ranks_(calls.problem_.ranks) {
    for (const Shape& shape : calls.shapes_) {
      parts_.emplace_back(make_schedule(*shape.algorithm, shape.problem));
    }
    for (const std::vector<Pieces>& blocks : calls.blocks_) {
      block_places_.push_back(places_of(blocks));
    }
    scratch_between_ = std::any_of(calls.calls_.begin(), calls.calls_.end(),
                                   [](const Call& call) { return call.result == Buffer::scratch; });
    count_labels();
    reserve();
  }

  void write() {
    for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
      write(calls_.calls_[at], calls_.shape_of_call_[at]);
    }
  }

 private:
  // Blocks of the whole that a part's blocks are. `bounds` where those of all come one after the
  // other; else `lists`.
  struct Places {
    const std::vector<std::uint32_t>* bounds = nullptr;
    const std::vector<std::vector<std::uint32_t>>* lists = nullptr;
  };
  struct BlockPlaces {
    std::vector<std::uint32_t> bounds;
    std::vector<std::vector<std::uint32_t>> lists;
    bool some_empty = false;
  };
  struct RankState {
    std::int64_t turn = -1;
    std::vector<OpId> before;    // ends all turns before
    std::vector<OpId> blocking;  // ends the last blocking call of this turn
    std::vector<OpId> beside;    // end those beside
    std::vector<OpId> ended;     // end this call
    OpId kept = kNoOp;           // of this call: it comes before all others
  };

  [[nodiscard]] BlockPlaces places_of(const std::vector<Pieces>& blocks) const {
    BlockPlaces places;
    bool in_order = true;
    std::optional<std::uint32_t> next;
    for (const Pieces& pieces : blocks) {
      std::vector<std::uint32_t>& list = places.lists.emplace_back();
      places.some_empty = places.some_empty || pieces.empty();
      for (const std::uint32_t piece : pieces) {
        in_order = in_order && (!next || *next == piece);
        next = piece + 1;
        for (std::uint32_t b = cut_.first_block[piece]; b < cut_.first_block[piece + 1]; ++b) {
          list.push_back(b);
        }
      }
    }
    if (in_order && !places.some_empty) {
      for (const std::vector<std::uint32_t>& list : places.lists) {
        places.bounds.push_back(list.front());
      }
      places.bounds.push_back(places.lists.back().back() + 1);
    }
    return places;
  }

  // A stage's levels come after those of the stages before; within it, segments of the vector tell
  // calls apart.
  void count_labels() {
    std::vector<std::uint32_t> levels;
    for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
      const std::uint32_t stage = calls_.calls_[at].stage;
      const Part& part = parts_[calls_.shape_of_call_[at]];
      if (stage >= levels.size()) {
        levels.resize(stage + std::size_t{1});
        segments_.resize(stage + std::size_t{1}, 1);
      }
      levels[stage] = std::max(levels[stage], part.levels);
      // One more, for what a call keeps of its input.
      segments_[stage] =
          std::max(segments_[stage], part.segments + (part.input_read.empty() ? 0 : 1));
      for (const Rank member : calls_.groups_[calls_.calls_[at].group]) {
        first_stage_[member] = std::min(first_stage_[member], stage);
      }
    }
    for (const Call& call : calls_.calls_) {
      if ((call.segment + std::uint64_t{1}) * segments_[call.stage] > kMaxSegment) {
        throw ScheduleTooLarge(
            sentence("more than {} segments of segments; take a larger --segment", kMaxSegment));
      }
    }
    std::uint32_t level = 0;
    for (const std::uint32_t count : levels) {
      first_level_.push_back(level);
      level += count;
    }
  }

  void reserve() {
    std::size_t ops = 0;
    std::size_t dependencies = 0;
    for (std::size_t at = 0; at < calls_.calls_.size(); ++at) {
      const Call& call = calls_.calls_[at];
      const Part& part = parts_[calls_.shape_of_call_[at]];
      ops += part.schedule.size();
      dependencies += part.schedule.dependencies() + 2 * std::size_t{call.problem.ranks};
      for (Rank rank = 0; rank < call.problem.ranks; ++rank) {
        ops += keeps_input(call, part, rank) ? 1 : 0;
      }
      if (call.blocks && block_places_[*call.blocks].some_empty) {
        for (OpId id = 0; id < part.schedule.size(); ++id) {
          ops -= moves_nothing(part.schedule, id, block_places_[*call.blocks].lists) ? 1 : 0;
        }
      }
    }
    builder_.reserve(ops, dependencies);
  }

  // A rank's input is what it has when it begins. In a later stage it has that no more where it
  // began, and a call that reads it once it has written over it must keep it.
  [[nodiscard]] bool keeps_input(const Call& call, const Part& part, Rank rank) const {
    return part.reads_input(rank) && call.input == Buffer::input &&
           first_stage_[calls_.groups_[call.group][rank]] != call.stage;
  }

  [[nodiscard]] static bool moves_nothing(const Schedule& part, OpId id,
                                          const std::vector<std::vector<std::uint32_t>>& lists) {
    bool nothing = true;
    for_each_block_pair(part, id, [&](std::uint32_t read, std::uint32_t) {
      nothing = nothing && lists[read % part.blocks()].empty();
    });
    return nothing;
  }

  RankState& state_of(Rank rank, std::uint32_t turn) {
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

  void write(const Call& call, std::uint32_t shape) {
    const Part& part = parts_[shape];
    const std::vector<Rank>& members = calls_.groups_[call.group];
    Places places;
    if (call.blocks) {
      const BlockPlaces& own = block_places_[*call.blocks];
      places = {own.bounds.empty() ? nullptr : &own.bounds, &own.lists};
    } else {
      places.bounds = &cut_.places.at({shape, call.first_piece, call.end_piece});
    }
    input_ = call.input;
    result_ = call.result;
    placed_.assign(part.schedule.size(), kNoOp);
    dropped_.clear();
    for (Rank rank = 0; rank < members.size(); ++rank) {
      RankState& state = state_of(members[rank], call.turn);
      state.ended.clear();
      state.kept = kNoOp;
      if (keeps_input(call, part, rank)) {
        keep_input(call, part, rank, places);
      }
    }
    for (OpId id = 0; id < part.schedule.size(); ++id) {
      write(call, part, id, members, places);
    }
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

  void keep_input(const Call& call, const Part& part, Rank rank, const Places& places) {
    const Rank member = calls_.groups_[call.group][rank];
    pairs_.clear();
    for (const std::uint32_t block : part.input_read[rank]) {
      for (std::uint32_t i = 0; i < count_of(places, block); ++i) {
        const std::uint32_t whole = block_of(places, block, i);
        pairs_.push_back({whole, whole});
      }
    }
    TUTTI_INVARIANT(!pairs_.empty());
    after_.clear();
    begin_after(member, call.beside);
    const Label label{first_level_[call.stage], (call.segment + 1) * segments_[call.stage] - 1};
    ends_.emplace_back(member, member);
    ranks_[member].kept = builder_.pairs(OpKind::copy, label, member, member, kWork,
                                         kept_input(part.schedule), pairs_, Operand::left, after_);
  }
  [[nodiscard]] Place kept_input(const Schedule& part) const {
    return own_place(Buffer::scratch, part.scratch_slots());
  }

  void write(const Call& call, const Part& part, OpId id, const std::vector<Rank>& members,
             const Places& places) {
    const Op& op = part.schedule.op(id);
    const Rank src = members[op.src()];
    const Rank dst = members[op.dst()];
    after_.clear();
    for (const OpId before : part.schedule.predecessors(id)) {
      if (placed_[before] != kNoOp) [[likely]] {
        after_.push_back(placed_[before]);
      } else {
        // It moved nothing, and is not there: what it came after at this rank.
        for (const OpId earlier : dropped_[before]) {
          if (touches(earlier, src, dst)) {
            after_.push_back(earlier);
          }
        }
      }
    }
    const std::uint8_t flags = part.flags[id];
    if ((flags & Part::first_at_src) != 0) {
      begin_after(src, call.beside);
    }
    if (src != dst && (flags & Part::first_at_dst) != 0) {
      begin_after(dst, call.beside);
    }
    const Label label{first_level_[call.stage] + op.label().level,
                      call.segment * segments_[call.stage] + op.label().segment};
    const OpId written = copy(part.schedule, id, label, src, dst, places);
    placed_[id] = written;
    if (written == kNoOp) {
      dropped_[id] = after_;
    }
    if ((flags & Part::last_at_src) != 0) {
      end_with(src, written);
    }
    if (src != dst && (flags & Part::last_at_dst) != 0) {
      end_with(dst, written);
    }
  }

  void begin_after(Rank rank, bool beside) {
    const RankState& state = ranks_[rank];
    if (state.kept != kNoOp) {
      after_.push_back(state.kept);
      return;
    }
    const std::vector<OpId>& after =
        beside || state.blocking.empty() ? state.before : state.blocking;
    after_.insert(after_.end(), after.begin(), after.end());
  }

  void end_with(Rank rank, OpId written) {
    std::vector<OpId>& ended = ranks_[rank].ended;
    if (written != kNoOp) {
      ended.push_back(written);
      return;
    }
    for (const OpId earlier : after_) {
      if (touches(earlier, rank, rank)) {
        ended.push_back(earlier);
      }
    }
  }

  [[nodiscard]] bool touches(OpId id, Rank one, Rank other) const {
    const auto& [src, dst] = ends_[id];
    return src == one || dst == one || src == other || dst == other;
  }

  // kNoOp where there is nothing to move.
  OpId copy(const Schedule& part, OpId id, Label label, Rank src, Rank dst, const Places& places) {
    const Op& op = part.op(id);
    const Payload& payload = part.payload(id);
    const std::uint32_t blocks = part.blocks();
    if (places.bounds != nullptr && !op.pooled() && payload.from.contiguous()) {
      const std::vector<std::uint32_t>& bounds = *places.bounds;
      const std::uint32_t first = payload.from.first % blocks;
      const std::uint32_t end = first + payload.from.count;
      if (first == payload.into_first % blocks && end <= blocks) {
        const Move move{{bounds[first], bounds[end] - bounds[first]},
                        read_place(part, op, src, payload.from.first / blocks),
                        own_place(op.into(), payload.into_first / blocks)};
        return emit(op, label, src, dst, move);
      }
    }
    return copy_pairs(part, id, label, src, dst, places);
  }

  [[nodiscard]] Place read_place(const Schedule& part, const Op& op, Rank src,
                                 std::uint32_t slot) const {
    if (op.from() == Buffer::input) {
      return ranks_[src].kept != kNoOp ? kept_input(part) : Place{input_, 0};
    }
    return own_place(op.from(), slot);
  }

  // A scratch between stages is the first, and those of the parts come after it.
  [[nodiscard]] Place own_place(Buffer buffer, std::uint32_t slot) const {
    if (buffer == Buffer::work) {
      return {result_, 0};
    }
    return {buffer, slot + (scratch_between_ ? 1U : 0U)};
  }

  OpId emit(const Op& op, Label label, Rank src, Rank dst, const Move& move) {
    ends_.emplace_back(src, dst);
    switch (op.kind()) {
      case OpKind::comm:
        return builder_.comm(label, src, dst, move, after_);
      case OpKind::reduce:
        return builder_.reduce(label, src, move, op.from_is(), after_);
      case OpKind::copy:
        break;
    }
    return builder_.copy(label, src, move, after_);
  }

  OpId copy_pairs(const Schedule& part, OpId id, Label label, Rank src, Rank dst,
                  const Places& places) {
    const Op& op = part.op(id);
    const std::uint32_t blocks = part.blocks();
    Place from = read_place(part, op, src, 0);
    Place into = own_place(op.into(), 0);
    pairs_.clear();
    for_each_block_pair(part, id, [&](std::uint32_t read, std::uint32_t written) {
      from = read_place(part, op, src, read / blocks);
      into = own_place(op.into(), written / blocks);
      read %= blocks;
      written %= blocks;
      const std::uint32_t count = count_of(places, read);
      // Blocks that trade places do so whole, and only where they are alike.
      if (read != written && count != count_of(places, written)) {
        throw UnservedProblem("blocks of one of its parts trade places, and are not alike");
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        pairs_.push_back({block_of(places, read, i), block_of(places, written, i)});
      }
    });
    if (pairs_.empty()) {
      return kNoOp;
    }
    ends_.emplace_back(src, dst);
    return builder_.pairs(op.kind(), label, src, dst, from, into, pairs_, op.from_is(), after_);
  }

  static std::uint32_t count_of(const Places& places, std::uint32_t block) {
    return places.bounds != nullptr ? (*places.bounds)[block + 1] - (*places.bounds)[block]
                                    : static_cast<std::uint32_t>((*places.lists)[block].size());
  }
  static std::uint32_t block_of(const Places& places, std::uint32_t block, std::uint32_t at) {
    return places.bounds != nullptr ? (*places.bounds)[block] + at : (*places.lists)[block][at];
  }

  const GroupCalls& calls_;
  ScheduleBuilder& builder_;
  Cut cut_;
  std::vector<Part> parts_;  // by shape
  std::vector<BlockPlaces> block_places_;
  std::vector<std::uint32_t> first_level_;  // by stage
  std::vector<std::uint32_t> segments_;     // labels of a call, by stage
  static constexpr std::uint32_t kNoStage = 0xffffffffU;
  std::vector<std::uint32_t> first_stage_;  // that a rank takes part in
  std::vector<RankState> ranks_;
  std::vector<std::pair<Rank, Rank>> ends_;  // of what was written
  bool scratch_between_ = false;             // some call leaves its result in it
  // Of the call that is being written.
  Buffer input_ = Buffer::input;
  Buffer result_ = Buffer::work;
  std::vector<OpId> placed_;
  std::unordered_map<OpId, std::vector<OpId>> dropped_;
  std::vector<OpId> after_;
  std::vector<BlockPair> pairs_;
};

void GroupCalls::emit(ScheduleBuilder& builder) const { Writer(*this, builder).write(); }

}  // namespace tutti

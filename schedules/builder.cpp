#include "schedules/builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/large_array.hpp"
#include "base/machine_memory.hpp"
#include "base/work_ticker.hpp"
#include "schedules/assemble.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Returns the layout of an alltoallv in which every rank splits its bytes evenly among all ranks.
BlockLayout pairs_of_even_blocks(const Problem& problem, std::uint32_t blocks) {
  const std::uint32_t p = problem.ranks;
  TUTTI_INVARIANT(blocks == p * p);
  if (problem.elements() % p == 0) {
    return BlockLayout::even(problem.elements() * p, blocks, problem.element_bytes);
  }
  const BlockLayout of_one = BlockLayout::even(problem.elements(), p, problem.element_bytes);
  std::vector<std::uint64_t> elements(blocks);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    elements[block] = of_one.size_bytes(block % p) / problem.element_bytes;
  }
  return BlockLayout::irregular(elements, problem.element_bytes);
}

}  // namespace

BlockLayout layout_in_blocks(const Problem& problem, std::uint32_t blocks) {
  TUTTI_INVARIANT(problem.ranks > 0 && problem.element_bytes > 0);
  TUTTI_INVARIANT(problem.bytes % problem.element_bytes == 0);
  if (problem.block_bytes.empty()) {
    if (problem.collective == Collective::alltoallv) {
      return pairs_of_even_blocks(problem, blocks);
    }
    return BlockLayout::even(problem.elements(), blocks, problem.element_bytes);
  }
  TUTTI_INVARIANT(problem.block_bytes.size() == blocks);
  std::vector<std::uint64_t> elements;
  elements.reserve(blocks);
  for (const std::uint64_t bytes : problem.block_bytes) {
    TUTTI_INVARIANT(bytes % problem.element_bytes == 0);
    elements.push_back(bytes / problem.element_bytes);
  }
  return BlockLayout::irregular(elements, problem.element_bytes);
}

void ScheduleBuilder::check_place(Place place, bool written) {
  if (place.buffer == Buffer::scratch) {
    if (place.slot >= scratch_slots_) {
      TUTTI_INVARIANT((std::uint64_t{place.slot} + 1) * blocks() < kSameBlocks);
      scratch_slots_ = place.slot + 1;
    }
  } else {
    TUTTI_INVARIANT(place.slot == 0);
    TUTTI_INVARIANT(!written || place.buffer != Buffer::input);
  }
}

void ScheduleBuilder::check_blocks(const BlockSet& set) const {
  TUTTI_INVARIANT(set.first < blocks() && set.count >= 1 && set.count <= blocks());
  if (!set.contiguous()) {
    const std::uint32_t runs_before_last = (set.count - 1) / set.run;
    TUTTI_INVARIANT(set.stride >= set.run);
    // No block occurs twice, even after wrapping around.
    TUTTI_INVARIANT(std::uint64_t{runs_before_last} * set.stride + set.count -
                        std::uint64_t{runs_before_last} * set.run <=
                    blocks());
  }
}

void ScheduleBuilder::append_dependencies(OpId id, const Op& op, std::span<const OpId> after) {
  // The row is kept sorted. Its entries mostly arrive in order.
  OpId greater = 0;  // exceeds all entries of the row
  for (const OpId dependency : after) {
    if (dependency == kNoOp) {
      continue;
    }
    TUTTI_INVARIANT(dependency < id);
    ++whole_dependencies_;
    TUTTI_INVARIANT(joined(op, ops_[dependency]));
    if (dependency >= greater) {
      dependencies_.push_back(dependency);
      greater = dependency + 1;
    } else {
      insert_dependency(dependency);
    }
  }
  rows_.push_back(static_cast<std::uint32_t>(dependencies_.size()));
}

OpId ScheduleBuilder::push(const Op& op, const Payload& payload, std::span<const OpId> after) {
  stop_if_requested();
  const OpId id = size();
  append_dependencies(id, op, after);
  ops_.push_back(op);
  if (detail_ == Detail::payload) {
    payloads_.push_back(payload);
  }
  return id;
}

OpId ScheduleBuilder::append(OpKind kind, Label label, Rank src, Rank dst, const Move& move,
                             Operand from_is, std::span<const OpId> after) {
  TUTTI_INVARIANT(src < places() && dst < places());
  if (part_) [[unlikely]] {
    begin_part_op(kind, src, dst);
  }
  TUTTI_INVARIANT(label.level <= kMaxLevel && label.segment <= kMaxSegment);
  check_place(move.from, false);
  check_place(move.into, true);
  check_blocks(move.blocks);
  BlockSet from = move.blocks;
  if (from.count <= from.run) {
    from.run = from.stride = 0;  // so that a single run has only one representation
  }
  const std::uint64_t bytes = layout_.set_bytes(from);
  std::uint32_t into_first = from.first;
  if (move.into_first != kSameBlocks) {
    into_first = move.into_first;
    TUTTI_INVARIANT(into_first < blocks());
    BlockSet into = from;
    into.first = into_first;
    TUTTI_INVARIANT(layout_.set_bytes(into) == bytes);
  }
  TUTTI_INVARIANT(bytes <= kMaxMessageBytes);
  from.first += move.from.slot * blocks();
  into_first += move.into.slot * blocks();
  return push({kind, src, dst, bytes, label, move.from.buffer, move.into.buffer, from_is, false},
              {from, into_first}, after);
}

ScheduleBuilder::ScheduleBuilder(Problem problem, BlockLayout layout, Detail detail)
    : problem_(std::move(problem)), layout_(std::move(layout)), detail_(detail), rows_{0} {
  TUTTI_INVARIANT(problem_.ranks > 0 && problem_.vector_bytes() == layout_.bytes());
}

ScheduleBuilder::ScheduleBuilder(const Problem& problem, std::uint32_t blocks, Detail detail)
    : ScheduleBuilder(problem, layout_in_blocks(problem, blocks), detail) {}

ScheduleBuilder::ScheduleBuilder(Problem problem, BlockLayout layout, ClassPart part)
    : ScheduleBuilder(std::move(problem), std::move(layout), Detail::times_only) {
  TUTTI_INVARIANT(part.classes.ranks() == ranks() && part.moved < ranks());
  const RankClasses& classes = part.classes;
  const RankRange emitted = classes.symmetry() == Symmetry::rotation
                                ? RankRange{part.moved, part.moved + classes.count()}
                                : RankRange{0, ranks(), classes.highest_bits(), part.moved};
  // `moved` must map each class onto itself.
  TUTTI_INVARIANT(classes.class_of(part.moved) == 0);
  part_ = Part{std::move(part.classes), part.moved, emitted, {}};
}

std::uint32_t ScheduleBuilder::kept_rounds(std::uint32_t count, bool equal_sizes,
                                           std::uint32_t steps) const {
  if (!equal_sizes || most_rounds_ == kAllRounds) {
    return count;
  }
  constexpr std::uint32_t kFewest = 5;  // fewer cannot show that they repeat
  const std::uint32_t most = steps == 1 ? most_rounds_ : std::max(most_rounds_ / steps, kFewest);
  // Smaller stretches are not worth a cut. The factor is larger for single steps, because several
  // cuts may be tried.
  const std::uint32_t worth = steps == 1 ? 4 : 2;
  return most < count / worth ? most : count;
}

AlikeRounds ScheduleBuilder::alike(std::uint32_t count, bool equal_sizes, std::uint32_t steps) {
  const std::uint32_t kept = kept_rounds(count, equal_sizes, steps);
  open_ = {size(), 0, steps, kept, count - kept, 0};
  closed_ = 0;
  closed_until_ = size();
  dependencies_until_ = whole_dependencies_;
  use_room(kept / std::max(1.0, static_cast<double>(count)));
  return {*this, kept};
}

std::uint32_t ScheduleBuilder::equal_segments(std::uint32_t count) const {
  std::uint32_t equal = count;
  for (std::uint32_t part = 0; part < blocks(); part += count) {
    std::uint32_t same = 1;
    while (same < equal && layout_.size_bytes(part + same) == layout_.size_bytes(part)) {
      ++same;
    }
    equal = std::min(equal, same);
  }
  return equal;
}

void ScheduleBuilder::close_round() {
  const OpId ops = size() - closed_until_;
  if (open_.left_out > 0) {
    TUTTI_INVARIANT(closed_ == 0 || ops == open_.ops);
    open_.ops = ops;
    if (++closed_ == open_.kept) {
      open_.dependencies = whole_dependencies_ - dependencies_until_;
      repeated_.push_back(open_);
    }
  }
  closed_until_ = size();
  dependencies_until_ = whole_dependencies_;
}

void ScheduleBuilder::reserve(std::size_t ops, std::size_t dependencies) {
  if (most_rounds_ == kAllRounds) {
    make_room(ops, dependencies, 1);
  } else {  // how much a cut leaves is known when the first stretch begins
    asked_ops_ = ops;
    asked_dependencies_ = dependencies;
  }
}

void ScheduleBuilder::use_room(double share) {
  if (asked_ops_ > 0) {
    make_room(std::exchange(asked_ops_, 0), asked_dependencies_, share);
  }
}

void ScheduleBuilder::make_room(std::size_t ops, std::size_t dependencies, double share) {
  ops = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ops)));
  dependencies = static_cast<std::size_t>(std::ceil(share * static_cast<double>(dependencies)));
  if (part_) {
    const std::size_t classes = part_->classes.count();
    ops = (ops / ranks() + 1) * classes;
    dependencies = (dependencies / ranks() + 1) * classes;
    reserve_large(part_->targets, ops);
  }
  if (ops >= kNoOp || dependencies > std::numeric_limits<std::uint32_t>::max()) {
    throw ScheduleTooLarge(
        sentence("{} on {} ranks takes {} operations and up to {} dependencies; a schedule holds "
                 "at most 4294967294 of each",
                 name(problem_.collective), problem_.ranks, ops, dependencies));
  }
  // Checks the memory in advance, because the operating system shows no message when it kills a
  // program that runs out of memory.
  // Without payload, a simulation follows.
  constexpr std::size_t kBytesOfRun = 2 * sizeof(double) + sizeof(std::uint32_t);
  const std::size_t per_op = sizeof(Op) + 2 * sizeof(std::uint32_t) +
                             (detail_ == Detail::payload ? sizeof(Payload) : kBytesOfRun);
  const std::size_t bytes = ops * per_op + 2 * dependencies * sizeof(OpId);
  if (bytes > usable_memory_bytes()) {
    throw ScheduleTooLarge(sentence(
        "{} on {} ranks takes {} operations, which need about {} GiB of memory, but only "
        "{} GiB may be used; fewer ranks, or an algorithm with fewer or larger messages, need "
        "less",
        name(problem_.collective), problem_.ranks, ops, bytes >> 30U,
        usable_memory_bytes() >> 30U));
  }
  reserved_ops_ = ops;
  reserve_large(ops_, ops);
  reserve_large(rows_, ops + 1);
  reserve_large(dependencies_, dependencies);
  if (detail_ == Detail::payload) {
    reserve_large(payloads_, ops);
  }
}

OpId ScheduleBuilder::pairs(OpKind kind, Label label, Rank src, Rank dst, Place from, Place into,
                            std::span<const BlockPair> pairs, Operand from_is,
                            std::span<const OpId> after) {
  TUTTI_INVARIANT(!pairs.empty());
  TUTTI_INVARIANT((src != dst) == (kind == OpKind::comm));
  // There may be many pairs, so this loop is kept simple and has no early exit.
  std::uint32_t last_from = 0;
  std::uint32_t last_into = 0;
  for (const BlockPair& pair : pairs) {
    last_from = std::max(last_from, pair.from);
    last_into = std::max(last_into, pair.into);
  }
  TUTTI_INVARIANT(last_from < blocks());
  TUTTI_INVARIANT(last_into < blocks());
  std::uint64_t bytes = 0;
  if (layout_.uniform()) {
    bytes = pairs.size() * layout_.size_bytes(0);
  } else {
    for (const BlockPair& pair : pairs) {
      const std::uint64_t of_block = layout_.size_bytes(pair.from);
      TUTTI_INVARIANT(of_block == layout_.size_bytes(pair.into));
      bytes += of_block;
    }
  }
  const auto next = [&](std::uint32_t block) { return block + 1 == blocks() ? 0 : block + 1; };
  bool one_run = pairs.size() <= blocks();
  for (std::size_t i = 1; i < pairs.size() && one_run; ++i) {
    one_run = pairs[i].from == next(pairs[i - 1].from) && pairs[i].into == next(pairs[i - 1].into);
  }
  if (one_run) {
    return append(
        kind, label, src, dst,
        {{pairs[0].from, static_cast<std::uint32_t>(pairs.size())}, from, into, pairs[0].into},
        from_is, after);
  }
  TUTTI_INVARIANT(src < places() && dst < places());
  if (part_) {
    begin_part_op(kind, src, dst);
  }
  TUTTI_INVARIANT(label.level <= kMaxLevel && label.segment <= kMaxSegment);
  check_place(from, false);
  check_place(into, true);
  const auto first = static_cast<std::uint32_t>(pool_.size());
  if (detail_ == Detail::payload) {
    pool_.resize(pool_.size() + pairs.size());
    const BlockPair slots{from.slot * blocks(), into.slot * blocks()};
    std::transform(pairs.begin(), pairs.end(), pool_.begin() + first,
                   [slots](const BlockPair& pair) {
                     return BlockPair{pair.from + slots.from, pair.into + slots.into};
                   });
  }
  TUTTI_INVARIANT(pool_.size() <= std::numeric_limits<std::uint32_t>::max());
  TUTTI_INVARIANT(bytes <= kMaxMessageBytes);
  return push({kind, src, dst, bytes, label, from.buffer, into.buffer, from_is, true},
              {{first, static_cast<std::uint32_t>(pairs.size()), 0, 0}, 0}, after);
}

// Inserts an entry into the last, unfinished row, unless the row has it already.
void ScheduleBuilder::insert_dependency(OpId dependency) {
  const std::size_t begin = rows_.back();
  std::size_t at = dependencies_.size();
  while (at > begin && dependencies_[at - 1] > dependency) {
    --at;
  }
  if (at == begin || dependencies_[at - 1] != dependency) {
    dependencies_.insert(dependencies_.begin() + static_cast<std::ptrdiff_t>(at), dependency);
  }
}

void ScheduleBuilder::begin_part_op(OpKind kind, Rank& src, Rank& dst) {
  const RankClasses& classes = part_->classes;
  const Rank first = classes.first_of(src);
  // Fails if an emitter emits an operation of a rank that is not in emitted_ranks().
  TUTTI_INVARIANT(move_by(classes.symmetry(), first, part_->moved, ranks()) == src);
  const Rank target =
      move_by(classes.symmetry(), dst, shift(classes.symmetry(), src, first, ranks()), ranks());
  part_->targets.push_back(target);
  src = classes.class_of(first);
  dst = kind == OpKind::comm ? classes.count() + classes.class_of(target) : src;
}

Schedule ScheduleBuilder::finish() {
  Problem problem = problem_;
  if (part_) {
    problem.ranks = 2 * part_->classes.count();
  }
  Schedule schedule = link({std::move(problem),
                            layout_,
                            std::move(ops_),
                            std::move(payloads_),
                            std::move(pool_),
                            std::move(rows_),
                            std::move(dependencies_),
                            {},
                            switches_,
                            {},
                            std::move(repeated_)},
                           scratch_slots_);
  *this = ScheduleBuilder(problem_, layout_, detail_);
  return schedule;
}

}}  // namespace tutti::schedules

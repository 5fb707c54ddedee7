#include "schedules/notation/program/emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "schedules/large_array.hpp"

namespace tutti::program {

namespace {

[[noreturn]] void fail(std::uint32_t place, std::string what) {
  throw Fault{place, std::move(what)};
}

// Nobody knows how much a program will make, so arrays double; in large steps, for huge pages.
template <typename T>
void append(std::vector<T>& array, const T& value) {
  if (array.size() == array.capacity()) [[unlikely]] {
    constexpr std::size_t kFirst = 1024;
    reserve_large(array, std::max(kFirst, 2 * array.size()));
  }
  array.push_back(value);
}

}  // namespace

Emission::Emission(const CompiledCode& code, const Problem& problem, Detail detail,
                   const ProgramLimits& limits)
    : limits_(limits),
      detail_(detail),
      ranks_(problem.ranks),
      labels_(parts_.ops, problem.ranks, code.names_single),
      keeps_levels_(code.names_levels),
      keeps_segments_(code.names_segments),
      levels_(problem.ranks, false),
      segments_(problem.ranks, true) {
  parts_.problem = problem;
}

void Emission::set_layout(BlockLayout layout, std::uint32_t place) {
  if (layout_is_final_) {
    fail(place,
         "the blocks are in use already; say how many there are once, before the first operation");
  }
  const Problem& problem = parts_.problem;
  if (owns_parts(problem.collective) && layout.blocks() % problem.ranks != 0) {
    fail(place,
         fmt::format("{} blocks on {} ranks: in {} every rank owns equally many, so their "
                     "number must be a multiple of {}",
                     layout.blocks(), problem.ranks, name(problem.collective), problem.ranks));
  }
  parts_.layout = std::move(layout);
  has_layout_ = true;
}

const BlockLayout& Emission::layout() {
  if (layout_is_final_) {
    return parts_.layout;
  }
  if (!has_layout_) {
    const Problem& problem = parts_.problem;
    const bool parts = owns_parts(problem.collective) || problem.collective == Collective::alltoall;
    parts_.layout = layout_in_blocks(problem, parts ? problem.ranks : 1);
  }
  layout_is_final_ = true;
  blocks_ = parts_.layout.blocks();
  uniform_ = parts_.layout.uniform();
  return parts_.layout;
}

std::size_t Emission::memory_bytes() const {
  const std::size_t per_op = sizeof(Op) + 2 * sizeof(std::uint32_t) + 16 /* labels */ +
                             (detail_ == Detail::payload ? sizeof(Payload) : 0);
  return parts_.ops.size() * per_op + 2 * sizeof(OpId) * parts_.dependencies.size() +
         sizeof(BlockPair) * parts_.pool.size() + labels_.memory_bytes() + levels_.memory_bytes() +
         segments_.memory_bytes();
}

// ---- requests ----

Emission::Name Emission::name_of(const RequestCode& request, const Numbers& slots) const {
  return {slots[request.level], request.segment == kNone ? kNoSegment : slots[request.segment],
          slots[request.first],
          request.kind == RequestCode::Kind::two ? slots[request.second] : slots[request.first]};
}

std::string Emission::text_of(const RequestCode& request, const Name& name) {
  const std::string index = request.segment == kNone
                                ? fmt::format("{}", name.level)
                                : fmt::format("<{},{}>", name.level, name.segment);
  switch (request.kind) {
    case RequestCode::Kind::one:
      return fmt::format("Req({},{{{}}})", index, name.first);
    case RequestCode::Kind::two:
      return fmt::format("Req({},{{{},{}}})", index, name.first, name.second);
    case RequestCode::Kind::rank:
      return fmt::format("Req({},{})", index, name.first);
  }
  return "";
}

Rank Emission::rank_of(std::int64_t value, std::uint32_t place, const char* what) const {
  if (value < 0 || value >= ranks_) {
    fail(place, fmt::format("{} {}: the ranks are 0 to {}", what, value, ranks_ - 1));
  }
  return static_cast<Rank>(value);
}

void Emission::check_ranks(const RequestCode& request, const Name& name) const {
  (void)rank_of(name.first, request.place, "rank");
  (void)rank_of(name.second, request.place, "rank");
}

Label Emission::label_of(const RequestCode& request, const Name& name) const {
  const std::int64_t segment = request.segment == kNone ? 0 : name.segment;
  if (name.level < 0 || name.level > kMaxLevel) {
    fail(request.place, fmt::format("level {}: levels are 0 to {}", name.level, kMaxLevel));
  }
  if (segment < 0 || segment > kMaxSegment) {
    fail(request.place, fmt::format("segment {}: segments are 0 to {}", segment, kMaxSegment));
  }
  check_ranks(request, name);
  return {static_cast<std::uint32_t>(name.level), static_cast<std::uint32_t>(segment)};
}

template <typename Visit>
void Emission::for_each_named(const RequestCode& request, const Numbers& slots, Visit&& visit) {
  const Name name = name_of(request, slots);
  if (name.level < 0) {
    return;  // before the beginning
  }
  const Label label = label_of(request, name);
  const auto first = static_cast<Rank>(name.first);
  if (request.kind == RequestCode::Kind::rank) {
    if (request.segment == kNone) {
      levels_.for_each(label.level, 0, first, visit);
    } else {
      segments_.for_each(label.level, label.segment, first, visit);
    }
    return;
  }
  const OpId id = labels_.find(
      {label, first, static_cast<Rank>(name.second), request.kind == RequestCode::Kind::one});
  if (id == kNoOp) {
    fail(request.place, fmt::format("no operation has the label {} yet; Req(l,n) names all that "
                                    "rank n has at a level, and may name nothing",
                                    text_of(request, name)));
  }
  visit(id);
}

void Emission::add_to_sets(const Label& label, Rank rank, OpId id) {
  if (keeps_levels_) {
    levels_.add(label.level, 0, rank, id);
  }
  if (keeps_segments_) {
    segments_.add(label.level, label.segment, rank, id);
  }
}

void Emission::take_into_set(const RequestCode& request, const Numbers& slots) {
  for_each_named(request, slots, [&](OpId id) { set_.push_back(id); });
}

void Emission::end_set(const RequestCode& request, bool adds, const Numbers& slots) {
  const Name name = name_of(request, slots);
  const Label label = label_of(request, name);
  const auto rank = static_cast<Rank>(name.first);
  if (adds) {
    for (const OpId id : set_) {
      add_to_sets(label, rank, id);
    }
    return;
  }
  if (keeps_segments_) {
    segments_.assign(label.level, label.segment, rank, set_);
  }
  if (keeps_levels_) {
    if (request.segment == kNone) {
      levels_.assign(label.level, 0, rank, set_);
    } else {  // other segments have requests there as well
      for (const OpId id : set_) {
        levels_.add(label.level, 0, rank, id);
      }
    }
  }
}

// ---- blocks ----

std::uint32_t Emission::block_of(std::int64_t value, const SideCode& code) const {
  if (value < 0 || value >= blocks_) {
    fail(code.place, fmt::format("block {}: the blocks are 0 to {}", value, blocks_ - 1));
  }
  return static_cast<std::uint32_t>(value);
}

Emission::Side Emission::side_of(const SideCode& code, const Numbers& slots,
                                 const std::vector<Numbers>& lists) {
  Side side;
  if (code.slot != kNone) {
    const std::int64_t slot = slots[code.slot];
    const std::int64_t most = (kNoOp - 1) / blocks_ - 1;
    if (slot < 0 || slot > most) {
      fail(code.place, fmt::format("slot {} of scratch: slots are 0 to {}", slot, most));
    }
    side.slot = static_cast<std::uint32_t>(slot);
  }
  if (code.buffer == Buffer::scratch) {
    scratch_slots_ = std::max(scratch_slots_, side.slot + 1);
  }
  if (!code.given) {
    return side;
  }
  if (code.list != kNone) {
    side.list = &lists[code.list];
    if (side.list->empty()) {
      fail(code.place, "no blocks: the list is empty, and an operation touches at least 1");
    }
    if (side.list->size() > blocks_) {
      fail(code.place,
           fmt::format("{} blocks listed; a buffer has {}", side.list->size(), blocks_));
    }
    for (const std::int64_t block : *side.list) {
      (void)block_of(block, code);
    }
    return side;
  }
  side.set.first = block_of(slots[code.first], code);
  side.set.count = 1;
  if (code.count == kNone) {
    return side;
  }
  const std::int64_t count = slots[code.count];
  if (count < 1 || count > blocks_) {
    fail(code.place,
         fmt::format("{} blocks: an operation touches 1 to all {} of them", count, blocks_));
  }
  side.set.count = static_cast<std::uint32_t>(count);
  if (code.run == kNone) {
    return side;
  }
  const std::int64_t run = slots[code.run];
  const std::int64_t distance = slots[code.distance];
  if (run < 1) {
    fail(code.place, fmt::format("runs of {} blocks: a run has at least 1", run));
  }
  if (count <= run) {
    return side;  // one run
  }
  const std::int64_t runs_before_last = (count - 1) / run;
  if (distance < run || distance > blocks_ ||
      runs_before_last * (distance - run) + count > blocks_) {
    fail(code.place, fmt::format("runs of {} blocks whose starts are {} apart meet, in a buffer of "
                                 "{}",
                                 run, distance, blocks_));
  }
  side.set.run = static_cast<std::uint32_t>(run);
  side.set.stride = static_cast<std::uint32_t>(distance);
  return side;
}

void Emission::check_sizes(const Side& from, const Side& into, const SideCode& place) const {
  if (uniform_ || from.set.first == into.set.first) {
    return;
  }
  const BlockLayout& layout = parts_.layout;
  const std::uint32_t shift = (into.set.first + blocks_ - from.set.first) % blocks_;
  for_each_block(from.set, blocks_, [&](std::uint32_t block) {
    const auto moved = static_cast<std::uint32_t>((std::uint64_t{block} + shift) % blocks_);
    if (layout.size_bytes(block) != layout.size_bytes(moved)) {
      fail(place.place,
           fmt::format("block {} of {} bytes goes to block {} of {} bytes; the sizes "
                       "must agree",
                       block, layout.size_bytes(block), moved, layout.size_bytes(moved)));
    }
  });
}

std::uint64_t Emission::pool_blocks(const OperationCode& code, const Side& from, const Side& into,
                                    Payload& payload, bool& pooled) {
  const BlockLayout& layout = parts_.layout;
  const auto block_at = [&](const Side& side, std::size_t i) {
    return static_cast<std::uint32_t>((*side.list)[i]);
  };
  const Side& listed = from.list != nullptr ? from : into;
  const std::size_t size = listed.list->size();
  // The other side: the same blocks, if none are given there.
  pairs_.clear();
  if (from.list != nullptr && into.list != nullptr) {
    if (from.list->size() != into.list->size()) {
      fail(code.into.place, fmt::format("{} blocks are read, but {} are written", from.list->size(),
                                        into.list->size()));
    }
    for (std::size_t i = 0; i < size; ++i) {
      pairs_.push_back({block_at(from, i), block_at(into, i)});
    }
  } else {
    const Side& other = from.list != nullptr ? into : from;
    if (other.set.count == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        pairs_.push_back({block_at(listed, i), block_at(listed, i)});
      }
    } else {
      if (other.set.count != size) {
        fail(code.into.place,
             fmt::format("{} blocks on one side, {} on the other", size, other.set.count));
      }
      std::size_t i = 0;
      for_each_block(other.set, blocks_, [&](std::uint32_t block) {
        const std::uint32_t own = block_at(listed, i++);
        pairs_.push_back(from.list != nullptr ? BlockPair{own, block} : BlockPair{block, own});
      });
    }
  }
  for (const bool read : {true, false}) {
    sorted_.clear();
    for (const BlockPair& pair : pairs_) {
      sorted_.push_back(read ? pair.from : pair.into);
    }
    std::sort(sorted_.begin(), sorted_.end());
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    if (twice != sorted_.end()) {
      fail(code.from.place, fmt::format("block {} is listed twice", *twice));
    }
  }
  std::uint64_t bytes = 0;
  const auto next = [&](std::uint32_t block) { return block + 1 == blocks_ ? 0 : block + 1; };
  bool one_run = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (layout.size_bytes(pairs_[i].from) != layout.size_bytes(pairs_[i].into)) {
      fail(code.into.place,
           fmt::format("block {} of {} bytes goes to block {} of {} bytes; the sizes must agree",
                       pairs_[i].from, layout.size_bytes(pairs_[i].from), pairs_[i].into,
                       layout.size_bytes(pairs_[i].into)));
    }
    bytes += layout.size_bytes(pairs_[i].from);
    one_run = one_run && (i == 0 || (pairs_[i].from == next(pairs_[i - 1].from) &&
                                     pairs_[i].into == next(pairs_[i - 1].into)));
  }
  const std::uint32_t from_base = from.slot * blocks_;
  const std::uint32_t into_base = into.slot * blocks_;
  payload.from.count = static_cast<std::uint32_t>(size);
  if (one_run) {
    payload.from.first = pairs_[0].from + from_base;
    payload.into_first = pairs_[0].into + into_base;
    return bytes;
  }
  pooled = true;
  if (detail_ == Detail::payload) {
    payload.from.first = static_cast<std::uint32_t>(parts_.pool.size());
    for (const BlockPair& pair : pairs_) {
      parts_.pool.push_back({pair.from + from_base, pair.into + into_base});
    }
  }
  return bytes;
}

std::uint64_t Emission::payload_of(const OperationCode& code, const Numbers& slots,
                                   const std::vector<Numbers>& lists, Payload& payload,
                                   bool& pooled) {
  const BlockLayout& layout = this->layout();
  std::uint64_t held = 0;
  if (code.whole_vector) {
    payload.from = {0, blocks_, 0, 0};
    held = layout.bytes();
  } else {
    Side from = side_of(code.from, slots, lists);
    Side into = side_of(code.into, slots, lists);
    if (from.list != nullptr || into.list != nullptr) {
      held = pool_blocks(code, from, into, payload, pooled);
    } else {
      if (!code.from.given) {
        from.set = into.set;
      } else if (!code.into.given) {
        into.set = from.set;
      } else if (from.set.count != into.set.count) {
        fail(code.into.place,
             fmt::format("{} blocks are read, but {} are written", from.set.count, into.set.count));
      } else if (from.set.run != into.set.run || from.set.stride != into.set.stride) {
        fail(code.into.place,
             "the runs of blocks that are read and written differ; where both are "
             "patterns, they may differ in their first block only");
      }
      check_sizes(from, into, code.into);
      held = layout.set_bytes(from.set);
      payload.from = from.set;
      payload.from.first += from.slot * blocks_;
      payload.into_first = into.set.first + into.slot * blocks_;
    }
  }
  if (code.bytes != kNone && slots[code.bytes] != static_cast<std::int64_t>(held)) {
    fail(code.bytes_place,
         fmt::format("{} bytes, but the blocks of the operation hold {}", slots[code.bytes], held));
  }
  return held;
}

// ---- operations ----

void Emission::check_label(const OperationCode& code, const Name& name, Rank src, Rank dst) const {
  const std::uint32_t place = code.label.place;
  using Kind = RequestCode::Kind;
  switch (code.kind) {
    case OpKind::comm:
      if (src == dst) {
        fail(place, fmt::format("a message of rank {} to itself: a message needs two ranks; for a "
                                "local move write Copy",
                                src));
      }
      if (code.label.kind != Kind::two || !((name.first == src && name.second == dst) ||
                                            (name.first == dst && name.second == src))) {
        fail(place, fmt::format("the label of a message from {0} to {1} names {{{0},{1}}}, not {2}",
                                src, dst, text_of(code.label, name)));
      }
      break;
    case OpKind::reduce:
      if (code.label.kind == Kind::two || name.first != src) {
        fail(place, fmt::format("the label of a reduction at rank {0} names {{{0}}}, or all of the "
                                "rank, not {1}",
                                src, text_of(code.label, name)));
      }
      break;
    case OpKind::copy:
      if (code.label.kind == Kind::one || name.first != src || name.second != src) {
        fail(place,
             fmt::format("the label of a copy at rank {0} names its rank twice, {{{0},{0}}}, "
                         "or all of the rank, not {1}",
                         src, text_of(code.label, name)));
      }
      break;
  }
}

// The row that ends with the dependencies: ascending, none twice.
void Emission::tidy_row() {
  auto& all = parts_.dependencies;
  const auto begin = all.begin() + parts_.rows.back();
  if (std::adjacent_find(begin, all.end(), std::greater_equal<>()) == all.end()) {
    return;
  }
  constexpr std::ptrdiff_t kFew = 16;
  if (all.end() - begin <= kFew) {
    for (auto at = begin; at != all.end(); ++at) {
      for (auto back = at; back != begin && *(back - 1) > *back; --back) {
        std::swap(*(back - 1), *back);
      }
    }
  } else {
    std::sort(begin, all.end());
  }
  all.erase(std::unique(begin, all.end()), all.end());
}

void Emission::operation(const OperationCode& code, const Numbers& slots,
                         const std::vector<Numbers>& lists) {
  const Name name = name_of(code.label, slots);
  const Label label = label_of(code.label, name);
  const bool is_comm = code.kind == OpKind::comm;
  const Rank src = rank_of(slots[code.src], code.label.place, is_comm ? "sender" : "rank");
  const Rank dst = is_comm ? rank_of(slots[code.dst], code.label.place, "receiver") : src;
  check_label(code, name, src, dst);
  Payload payload;
  bool pooled = false;
  const std::uint64_t bytes = payload_of(code, slots, lists, payload, pooled);
  const auto id = static_cast<OpId>(parts_.ops.size());
  if (id >= limits_.operations) {
    fail(code.label.place, fmt::format("the program makes more than {} operations; --limit "
                                       "operations=N allows more",
                                       limits_.operations));
  }
  if (labels_.add({label, src, dst, code.kind == OpKind::reduce}, id) != kNoOp) {
    fail(code.label.place,
         fmt::format("a second operation with the label Req(<{},{}>,{{{}{}}}); labels are unique, "
                     "so give it another level or segment",
                     label.level, label.segment, src,
                     code.kind == OpKind::reduce ? "" : fmt::format(",{}", dst)));
  }
  for (const RequestCode& request : code.after) {
    for_each_named(request, slots, [&](OpId before) { append(parts_.dependencies, before); });
  }
  if (parts_.dependencies.size() - parts_.rows.back() > 1) {
    tidy_row();
  }
  if (memory_bytes() > limits_.memory_bytes) {
    fail(code.label.place, fmt::format("{} operations and {} dependencies take more than {} bytes "
                                       "of memory; --limit memory=SIZE allows more",
                                       id + 1, parts_.dependencies.size(), limits_.memory_bytes));
  }
  if (parts_.dependencies.size() > std::numeric_limits<std::uint32_t>::max()) {
    fail(code.label.place, "more dependencies than a schedule can hold");
  }
  append(parts_.ops, Op(code.kind, src, dst, bytes, label, code.from.buffer, code.into.buffer,
                        code.from_is, pooled));
  if (detail_ == Detail::payload) {
    append(parts_.payloads, payload);
  }
  append(parts_.rows, static_cast<std::uint32_t>(parts_.dependencies.size()));
  if (code.into_set) {
    set_.push_back(id);
    return;
  }
  add_to_sets(label, src, id);
  if (dst != src) {
    add_to_sets(label, dst, id);
  }
}

Schedule Emission::finish() {
  (void)layout();
  return link(std::move(parts_), scratch_slots_);
}

}  // namespace tutti::program

#include "schedules/notation/program/emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/large_array.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

// Enlarges an array, whose final size is not known in advance. Arrays grow in large steps, because
// reserved memory costs nothing until it is used, whereas copying an array costs a page fault per
// page.
template <typename T>
[[gnu::noinline]] void grow(std::vector<T>& array) {
  constexpr std::size_t kFirst = 1024;
  constexpr std::size_t kSmallBytes = std::size_t{32} << 20U;
  const std::size_t factor = array.size() * sizeof(T) < kSmallBytes ? 8 : 2;
  reserve_large(array, std::max(kFirst, factor * array.size()));
}
template <typename T>
[[gnu::always_inline]] inline void append(std::vector<T>& array, const T& value) {
  if (array.size() == array.capacity()) [[unlikely]] {
    grow(array);
  }
  array.push_back(value);
}

void sort_and_drop_repeated(std::vector<OpId>& ids) {
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end()) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  }
}

}  // namespace

Emission::Emission(const CompiledCode& code, const Problem& problem, Detail detail, RunState& state)
    : state_(state),
      limits_(state.limits()),
      detail_(detail),
      ranks_(problem.ranks),
      blocks_(parts_, detail),
      labels_(parts_.ops, problem.ranks, code.names_single),
      keeps_levels_(code.names_levels),
      keeps_segments_(code.names_segments),
      levels_(problem.ranks, false),
      segments_(problem.ranks, true),
      traces_(parts_.ops, problem.ranks, code.names_traces),
      calls_(parts_.problem, state) {
  parts_.problem = problem;
}

std::size_t Emission::memory_bytes() const {
  const std::size_t ops = parts_.ops.size() * sizeof(Op);
  const std::size_t payloads = parts_.payloads.size() * sizeof(Payload);
  const std::size_t dependencies = parts_.dependencies.size() * sizeof(OpId);
  const std::size_t pool = parts_.pool.size() * sizeof(BlockPair);
  // Counts dependencies and rows twice, because the schedule stores each dependency at both
  // operations. Also adds the largest array once more, because an array exists twice while it
  // grows.
  return ops + payloads + 2 * (parts_.rows.size() * sizeof(OpId) + dependencies) + pool +
         std::max({ops, payloads, dependencies, pool}) + set_.capacity() * sizeof(OpId) +
         labels_.memory_bytes() + additions_.memory_bytes() + levels_.memory_bytes() +
         segments_.memory_bytes() + traces_.memory_bytes() + calls_.memory_bytes();
}

void Emission::check_memory(std::uint32_t place) const {
  if (memory_bytes() > limits_.memory_bytes) {
    fail_at(place,
            fmt::format("{} operations and {} dependencies, with the sets that Req(l,n) "
                        "names, take more than {} bytes of memory; $limit memory=SIZE "
                        "allows more",
                        parts_.ops.size(), parts_.dependencies.size(), limits_.memory_bytes));
  }
}

// ---- requests ----

std::string Emission::text_of(const RequestCode& request, const Numbers& slots) {
  const std::int64_t level = slots[request.level];
  const std::int64_t first = slots[request.first];
  const std::string index = request.has_segment
                                ? fmt::format("<{},{}>", level, slots[request.segment])
                                : fmt::format("{}", level);
  switch (request.kind) {
    case RequestCode::Kind::one:
      return fmt::format("Req({},{{{}}})", index, first);
    case RequestCode::Kind::two:
      return fmt::format("Req({},{{{},{}}})", index, first, slots[request.second]);
    case RequestCode::Kind::rank:
      return fmt::format("Req({},{})", index, first);
    case RequestCode::Kind::index:
      return fmt::format("Req({})", index);
  }
  return "";
}

void Emission::fail_rank(std::uint32_t place, const char* what, std::int64_t rank) const {
  fail_at(place, fmt::format("{} {}: the ranks are 0 to {}", what, rank, ranks_ - 1));
}

void Emission::fail_numbers(const RequestCode& request, const Numbers& slots) const {
  const std::int64_t level = slots[request.level];
  const std::int64_t segment = slots[request.segment];
  if (level < 0 || level > kMaxLevel) {
    fail_at(request.place, fmt::format("level {}: levels are 0 to {}", level, kMaxLevel));
  }
  if (segment < 0 || segment > kMaxSegment) {
    fail_at(request.place, fmt::format("segment {}: segments are 0 to {}", segment, kMaxSegment));
  }
  const std::int64_t first = slots[request.first];
  const bool first_is_wrong = first < 0 || first >= ranks_;
  fail_rank(request.place, "rank", first_is_wrong ? first : slots[request.second]);
}

void Emission::fail_no_label(const RequestCode& request, const Numbers& slots) const {
  fail_at(request.place,
          fmt::format("no operation has the label {} yet; to name all operations of "
                      "rank n at level l, of which there may be none, write Req(l,n)",
                      text_of(request, slots)));
}

template <typename Visit>
void Emission::for_each_named(const RequestCode& request, const Numbers& slots, Visit&& visit) {
  RequestValues named;
  if (!resolve(request, slots, named)) [[unlikely]] {
    if (slots[request.level] < 0) {
      // No operation has a negative level, so the request names nothing.
      return;
    }
    fail_numbers(request, slots);
  }
  if (request.kind == RequestCode::Kind::rank) {
    if (request.has_segment) {
      segments_.for_each(named.label.level, named.label.segment, named.first, visit);
    } else {
      levels_.for_each(named.label.level, 0, named.first, visit);
    }
    return;
  }
  if (request.kind == RequestCode::Kind::index) {
    bool any = false;
    const auto visit_any = [&](OpId id) {
      any = true;
      visit(id);
    };
    state_.count_steps(ranks_);
    RankSets& sets = request.has_segment ? segments_ : levels_;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      sets.for_each(named.label.level, request.has_segment ? named.label.segment : 0, rank,
                    visit_any);
    }
    if (!any) [[unlikely]] {
      fail_at(request.place, fmt::format("{}: no operation has this level (and segment) yet",
                                         text_of(request, slots)));
    }
    return;
  }
  const OpId id = labels_.find(
      {named.label, named.first, named.second, request.kind == RequestCode::Kind::one});
  if (id == kNoOp) [[unlikely]] {
    fail_no_label(request, slots);
  }
  visit(id);
  if (!additions_.empty()) {
    for (const OpId added : additions_.to(id)) {
      visit(added);
    }
  }
}

void Emission::add_to_sets(const Label& label, Rank rank, OpId id) {
  if (keeps_levels_) {
    levels_.add(label.level, 0, rank, id);
  }
  if (keeps_segments_) {
    segments_.add(label.level, label.segment, rank, id);
  }
}

void Emission::count_members(std::size_t members, std::uint32_t place) {
  // Most operations name at most this number of members; so few are not worth counting.
  constexpr std::size_t kFew = 8;
  if (members > kFew) {
    state_.count_steps(members);
    count(members, place);
  }
}

void Emission::take_into_set(const RequestCode& request, const Numbers& slots) {
  // Each member counts as four steps: it is taken, sorted, compared with the next member, and put
  // into the set.
  constexpr std::size_t kSteps = 4;
  const std::size_t before = set_.size();
  for_each_named(request, slots, [&](OpId id) { set_.push_back(id); });
  count_members(kSteps * (set_.size() - before), request.place);
}

void Emission::end_set(const RequestCode& request, bool adds, const Numbers& slots) {
  RequestValues named;
  if (!resolve(request, slots, named)) [[unlikely]] {
    fail_numbers(request, slots);
  }
  // Without this, a set that is repeatedly added to itself would double in size each time.
  sort_and_drop_repeated(set_);
  count(1 + set_.size(), request.place);
  const Label& label = named.label;
  if (adds) {
    for (const OpId id : set_) {
      add_to_sets(label, named.first, id);
    }
    return;
  }
  if (keeps_segments_) {
    segments_.assign(label.level, label.segment, named.first, set_);
  }
  if (keeps_levels_) {
    if (!request.has_segment) {
      levels_.assign(label.level, 0, named.first, set_);
    } else {
      // Keeps the other members, because other segments have operations at this level, too.
      for (const OpId id : set_) {
        levels_.add(label.level, 0, named.first, id);
      }
    }
  }
}

// ---- operations ----

void Emission::fail_label(const OperationCode& code, const Numbers& slots) {
  const std::string text = text_of(code.label, slots);
  const std::int64_t src = slots[code.src];
  switch (code.kind) {
    case OpKind::comm:
      fail_at(code.label.place,
              fmt::format("the label of a message from {0} to {1} must name {{{0},{1}}}, not {2}",
                          src, slots[code.dst], text));
    case OpKind::reduce:
      fail_at(code.label.place, fmt::format("the label of a reduction at rank {0} must name "
                                            "{{{0}}}, or the whole set of the rank, not {1}",
                                            src, text));
    case OpKind::copy:
      fail_at(code.label.place,
              fmt::format("the label of a copy at rank {0} must name its rank twice, {{{0},{0}}}, "
                          "or the whole set of the rank, not {1}",
                          src, text));
  }
  TUTTI_INVARIANT(false);
}

void Emission::fail_label_taken(const OperationCode& code, const LabelKey& key) const {
  fail_at(code.label.place,
          fmt::format("a second operation with the label Req(<{},{}>,{{{}{}}}); labels are unique, "
                      "so give it another level or segment, or add it with +=",
                      key.label.level, key.label.segment, key.src,
                      key.reduction ? "" : fmt::format(",{}", key.dst)));
}

// Sorts the last row of dependencies and drops repeated ones.
void Emission::tidy_row() {
  auto& all = parts_.dependencies;
  const auto begin = all.begin() + parts_.rows.back();
  constexpr std::ptrdiff_t kFew = 16;
  if (all.end() - begin > kFew) {
    std::sort(begin, all.end());
    all.erase(std::unique(begin, all.end()), all.end());
    return;
  }
  // The end of the sorted part of the row.
  auto end = begin + 1;
  for (auto at = end; at != all.end(); ++at) {
    const OpId id = *at;
    auto place = end;
    while (place != begin && *(place - 1) > id) {
      --place;
    }
    if (place != begin && *(place - 1) == id) {
      continue;
    }
    for (auto back = end; back != place; --back) {
      *back = *(back - 1);
    }
    *place = id;
    ++end;
  }
  all.erase(end, all.end());
}

OpId Emission::next_id(std::uint32_t place) const {
  const auto id = static_cast<OpId>(parts_.ops.size());
  if (id >= limits_.operations) [[unlikely]] {
    fail_at(place, fmt::format("the program makes more than {} operations; $limit operations=N "
                               "allows more",
                               limits_.operations));
  }
  return id;
}

void Emission::end_row(std::uint32_t place) {
  const std::size_t row = parts_.dependencies.size() - parts_.rows.back();
  if (row > 1) {
    tidy_row();
  }
  count(1 + row, place);
  if (parts_.dependencies.size() > std::numeric_limits<std::uint32_t>::max()) [[unlikely]] {
    fail_at(place, "the program makes more dependencies than a schedule can hold");
  }
}

void Emission::operation(const OperationCode& code, const Numbers& slots,
                         const std::vector<Numbers>& lists) {
  RequestValues named;
  if (!resolve(code.label, slots, named)) [[unlikely]] {
    fail_numbers(code.label, slots);
  }
  const bool is_comm = code.kind == OpKind::comm;
  const auto wide_src = static_cast<std::uint64_t>(slots[code.src]);
  const auto wide_dst = static_cast<std::uint64_t>(slots[code.dst]);
  if (wide_src >= ranks_ || wide_dst >= ranks_) [[unlikely]] {
    const bool is_src = wide_src >= ranks_;
    fail_rank(code.label.place,
              !is_comm ? "rank"
              : is_src ? "sender"
                       : "receiver",
              slots[is_src ? code.src : code.dst]);
  }
  const auto src = static_cast<Rank>(wide_src);
  const auto dst = static_cast<Rank>(wide_dst);
  if (is_comm && src == dst) [[unlikely]] {
    fail_at(code.label.place, fmt::format("a message from rank {} to itself: a message needs two "
                                          "ranks; for a local move write Copy",
                                          src));
  }
  using Kind = RequestCode::Kind;
  const bool kinds_agree = is_comm
                               ? code.label.kind == Kind::two
                               : code.label.kind == Kind::rank || (code.label.kind == Kind::one) ==
                                                                      (code.kind == OpKind::reduce);
  if (!kinds_agree || !((named.first == src && named.second == dst) ||
                        (code.either_way && named.first == dst && named.second == src)))
      [[unlikely]] {
    fail_label(code, slots);
  }
  Label label = named.label;
  Payload payload;
  bool pooled = false;
  const std::uint64_t bytes = blocks_.payload_of(code, slots, lists, payload, pooled);
  const OpId id = next_id(code.label.place);
  const LabelKey key{label, src, dst, code.kind == OpKind::reduce};
  // Resolves dependencies before the operation gets its label, so that it does not depend on
  // itself.
  for (const RequestCode& request : code.after) {
    const std::size_t before = parts_.dependencies.size();
    for_each_named(request, slots, [&](OpId earlier) { append(parts_.dependencies, earlier); });
    count_members(parts_.dependencies.size() - before, request.place);
  }
  if (const OpId begun = labels_.add(key, id); begun != kNoOp) [[unlikely]] {
    if (!code.adds) {
      fail_label_taken(code, key);
    }
    label = add_to_request(code, key, begun, id);
  }
  end_row(code.label.place);
  append(parts_.ops, Op(code.kind, src, dst, bytes, label, code.from.buffer, code.into.buffer,
                        code.from_is, pooled));
  if (detail_ == Detail::payload) {
    append(parts_.payloads, payload);
  }
  if (blocks_.bytes_only()) {
    note_bare(code, id);
  }
  if (traces_.kept()) {
    traces_.add(id, std::span(parts_.dependencies).subspan(parts_.rows.back()));
  }
  append(parts_.rows, static_cast<std::uint32_t>(parts_.dependencies.size()));
  if (code.into_set) {
    set_.push_back(id);
    return;
  }
  add_to_sets(named.label, src, id);
  if (dst != src) {
    add_to_sets(named.label, dst, id);
  }
}

Label Emission::add_to_request(const OperationCode& code, LabelKey key, OpId begun, OpId id) {
  const auto take = [&](const LabelKey& free) {
    state_.count_steps(1);
    return labels_.add(free, id) == kNoOp;
  };
  if (!additions_.add(begun, id, key, take)) {
    fail_at(code.label.place, fmt::format("+= cannot add another operation to this request: no "
                                          "segment number is left; the largest is {}",
                                          kMaxSegment));
  }
  return key.label;
}

void Emission::note_bare(const OperationCode& code, OpId id) {
  if (bytes_only_ == kNoOp || (code.kind == OpKind::comm && !parts_.ops[bytes_only_].is_comm())) {
    bytes_only_ = id;
    bare_place_ = code.label.place;
  }
}

Schedule Emission::finish(std::string_view text) {
  (void)blocks_.layout();
  if (bytes_only_ != kNoOp) {
    const auto lines = std::count(text.begin(), text.begin() + bare_place_, '\n');
    parts_.bare = {bytes_only_, static_cast<std::uint32_t>(lines + 1)};
    parts_.payloads.clear();
    parts_.pool.clear();
    return link(std::move(parts_), 0);
  }
  std::uint32_t scratch_slots = blocks_.scratch_slots();
  if (!calls_.empty()) {
    scratch_slots = calls_.cut_blocks(parts_, scratch_slots);
  }
  return link(std::move(parts_), scratch_slots);
}

}}}  // namespace tutti::schedules::program

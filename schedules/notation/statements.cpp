#include "schedules/notation/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/large_array.hpp"

namespace tutti { inline namespace schedules {

StatementsParser::StatementsParser(Scanner& scanner, const ParseLimits& limits, bool has_blocks,
                                   ScheduleParts& parts)
    : scanner_(scanner),
      limits_(limits),
      has_blocks_(has_blocks),
      parts_(parts),
      places_(parts.problem.ranks + parts.switches),
      blocks_(scanner, parts.layout, limits, parts.pool),
      labels_(parts.ops) {}

void StatementsParser::parse() {
  constexpr std::size_t kSample = 4096;
  scanner_.skip_blank();
  const char* const first = scanner_.at();
  while (!scanner_.at_end()) {
    parse_statement();
    if (*scanner_.at() != '\n' && !scanner_.skip_to_line_end()) {
      scanner_.fail_expected(is_application()
                                 ? "Core(...), Nic(...), After(...) or the end of the line"
                                 : "After(...) or the end of the line");
    }
    scanner_.skip_blank();
    if (parts_.ops.size() == kSample) {
      reserve_after(first);
    }
  }
  if (!parts_.units.empty()) {
    parts_.units.resize(parts_.ops.size());
  }
  resolve_later();
  if (!groups_.empty()) {
    resolve_groups();
  }
  if (!additions_.empty()) {
    resolve_additions();
  }
  settle_bare();
}

void StatementsParser::settle_bare() {
  if (bytes_only_ == kNoOp) {
    if (is_application()) {
      scanner_.fail(scanner_.at(), "an application without operations");
    }
    return;
  }
  parts_.bare = {bytes_only_, static_cast<std::uint32_t>(scanner_.line_of(bare_place_))};
  parts_.payloads.clear();
  parts_.pool.clear();
}

// Reserves memory for the whole file, assuming that the rest of the file is like the part read so
// far.
void StatementsParser::reserve_after(const char* first_statement) {
  const auto read = static_cast<double>(scanner_.at() - first_statement);
  const double factor = 1.02 * static_cast<double>(scanner_.size()) / read;
  const auto scaled = [&](std::size_t size) {
    return static_cast<std::size_t>(static_cast<double>(size) * factor);
  };
  reserve_large(parts_.ops, scaled(parts_.ops.size()));
  reserve_large(parts_.payloads, scaled(parts_.ops.size()));
  reserve_large(parts_.rows, scaled(parts_.ops.size()) + 1);
  reserve_large(parts_.dependencies, scaled(parts_.dependencies.size()));
}

Rank StatementsParser::parse_rank() { return scanner_.number32("rank", places_ - 1); }

StatementsParser::Name StatementsParser::parse_name() {
  Name name;
  if (!scanner_.take("Req")) {
    scanner_.fail_expected("Req(...)");
  }
  name.place = scanner_.at() - 3;
  scanner_.expect('(', "'('");
  const bool has_segment = scanner_.take('<');
  name.label.level = scanner_.number32("level", kMaxLevel);
  if (has_segment) {
    scanner_.expect(',', "',' and a segment");
    name.label.segment = scanner_.number32("segment", kMaxSegment);
    scanner_.expect('>', "'>' after level and segment");
  }
  if (scanner_.take(')')) {
    name.kind = Name::Kind::index;
    if (!has_segment) {
      name.label.segment = kAnySegment;
    }
    return name;
  }
  scanner_.expect(',', "',' and the ranks, or ')'");
  if (scanner_.take('{')) {
    name.src = name.dst = parse_rank();
    name.kind = Name::Kind::one;
    if (scanner_.take(',')) {
      name.dst = parse_rank();
      name.kind = Name::Kind::two;
    }
    scanner_.expect('}', "'}' after one or two ranks");
  } else {
    name.kind = Name::Kind::group;
    if (!has_segment) {
      name.label.segment = kAnySegment;
    }
    name.src = name.dst = parse_rank();
  }
  scanner_.expect(')', "')'");
  return name;
}

void StatementsParser::parse_statement() {
  Name name = parse_name();
  if (name.kind == Name::Kind::group) {
    scanner_.fail(name.place,
                  "an operation needs a label with its ranks in braces: {src,dst} for a message, "
                  "{rank} for a reduction, {rank,rank} for a copy");
  }
  const bool index_alone = name.kind == Name::Kind::index;
  if (index_alone && name.label.segment == kAnySegment) {
    name.label.segment = 0;
  }
  bool adds = false;
  if (!scanner_.take('=')) {
    if (!scanner_.take("+=")) {
      scanner_.fail_expected("'=' or '+=' and an operation");
    }
    adds = true;
  }
  const auto id = static_cast<OpId>(parts_.ops.size());
  if (id >= kNoOp - 1) {
    scanner_.fail(name.place, "the file has more operations than a schedule can hold");
  }
  Payload payload;
  Op op = parse_operation(name, adds, payload);
  name.src = op.src();
  name.dst = op.dst();
  // If the label names no ranks, it gets the ranks of the operation.
  if (index_alone) {
    name.kind = op.kind() == OpKind::reduce ? Name::Kind::one : Name::Kind::two;
  }
  const OpId other = labels_.add(name.key(), id);
  if (other != kNoOp) {
    if (!adds) {
      scanner_.fail(name.place, fmt::format("a second operation with the label {}; labels are "
                                            "unique, so give it another segment, or add it with +=",
                                            text_of(name)));
    }
    add_to_request(name, other, id);
    op = {op.kind(), op.src(),  op.dst(),     op.bytes(), name.label,
          op.from(), op.into(), op.from_is(), op.pooled()};
  }
  if (bytes_only_ == id) {
    bare_place_ = name.place;
  }
  parts_.ops.push_back(op);
  parts_.payloads.push_back(payload);
  if (is_application()) {
    if (take_next("Core")) {
      parse_units(op, &Units::src_core, &Units::dst_core);
    }
    if (op.is_comm() && take_next("Nic")) {
      parse_units(op, &Units::src_nic, &Units::dst_nic);
    }
  }
  if (take_next("After")) {
    parse_after(id);
  }
  parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
}

// Reads the numbers of a message's units at its sender and at its receiver, or that of a
// calculation, for the operation that was read last.
void StatementsParser::parse_units(const Op& op, std::uint8_t Units::*src,
                                   std::uint8_t Units::*dst) {
  constexpr std::uint32_t kMost = 255;
  parts_.units.resize(parts_.ops.size());
  Units& units = parts_.units.back();
  scanner_.expect('(', "'('");
  units.*src = static_cast<std::uint8_t>(scanner_.number32("number", kMost));
  units.*dst = units.*src;
  if (op.is_comm()) {
    scanner_.expect(',', "',' and the number at the receiver");
    units.*dst = static_cast<std::uint8_t>(scanner_.number32("number", kMost));
  }
  scanner_.expect(')', "')'");
}

// Adds operation `id` to the request whose first operation is `begun`, and sets the segment of
// `name` to the next free one.
void StatementsParser::add_to_request(Name& name, OpId begun, OpId id) {
  LabelKey key = name.key();
  const auto take = [&](const LabelKey& free) { return labels_.add(free, id) == kNoOp; };
  additions_place_ = name.place;
  if (!additions_.add(begun, id, key, take)) {
    scanner_.fail(name.place, fmt::format("+= cannot add another operation to this request: no "
                                          "segment number is left; the largest is {}",
                                          kMaxSegment));
  }
  name.label = key.label;
}

void StatementsParser::check_label(const Name& name, bool adds, OpKind kind, Rank src,
                                   Rank dst) const {
  switch (kind) {
    case OpKind::comm:
      if (src == dst) {
        scanner_.fail(name.place,
                      fmt::format("a message from rank {} to itself: a message needs two "
                                  "ranks; for a local move write Copy",
                                  src));
      }
      if (name.kind == Name::Kind::index) {
        break;
      }
      if (name.kind != Name::Kind::two ||
          !((name.src == src && name.dst == dst) || (adds && name.src == dst && name.dst == src))) {
        scanner_.fail(
            name.place,
            fmt::format("the label of a message from {0} to {1} must name {{{0},{1}}}", src, dst));
      }
      break;
    case OpKind::reduce:
      if (name.kind != Name::Kind::index && (name.kind != Name::Kind::one || name.src != src)) {
        scanner_.fail(name.place,
                      fmt::format("the label of a reduction at rank {0} must name {{{0}}}", src));
      }
      break;
    case OpKind::copy:
      if (name.kind != Name::Kind::index &&
          (name.kind != Name::Kind::two || name.src != src || name.dst != src)) {
        scanner_.fail(
            name.place,
            fmt::format("the label of a copy at rank {0} must name its rank twice, {{{0},{0}}}",
                        src));
      }
      break;
  }
}

Op StatementsParser::parse_operation(const Name& name, bool adds, Payload& payload) {
  OpKind kind = OpKind::comm;
  if (!scanner_.take("Comm")) {
    if (is_application()) {
      if (!scanner_.take("Calc")) {
        scanner_.fail_expected("Comm(...) or Calc(...)", "applications have no other operations");
      }
      kind = OpKind::reduce;
    } else if (scanner_.take("Reduce")) {
      kind = OpKind::reduce;
    } else if (scanner_.take("Copy")) {
      kind = OpKind::copy;
    } else {
      scanner_.fail_expected("Comm(...), Reduce(...) or Copy(...)");
    }
  }
  scanner_.expect('(', "'('");
  const Rank src = parse_rank();
  Rank dst = src;
  if (kind == OpKind::comm) {
    scanner_.expect(',', "',' and the receiver");
    dst = parse_rank();
  }
  check_label(name, adds, kind, src, dst);
  const bool calculates = is_application() && kind == OpKind::reduce;
  scanner_.expect(',', calculates ? "',' and the nanoseconds" : "',' and the bytes");
  scanner_.skip_blank();
  const char* const bytes_place = scanner_.at();
  const std::uint64_t bytes =
      scanner_.number(calculates ? "nanoseconds" : "bytes", kMaxMessageBytes);
  ParsedPayload parsed;
  if (scanner_.take(')')) {
    if (bytes_only_ == kNoOp || (kind == OpKind::comm && !parts_.ops[bytes_only_].is_comm())) {
      bytes_only_ = static_cast<OpId>(parts_.ops.size());
    }
  } else {
    parsed = parse_blocks(kind, bytes, bytes_place);
  }
  payload = parsed.payload;
  return {kind,           src,          dst, bytes, name.label, parsed.from, parsed.into,
          parsed.from_is, parsed.pooled};
}

ParsedPayload StatementsParser::parse_blocks(OpKind kind, std::uint64_t bytes,
                                             const char* bytes_place) {
  scanner_.expect(',', "',' and the blocks, or ')'");
  if (!has_blocks_) {
    scanner_.fail(scanner_.at(),
                  "blocks are named, but the header does not define any; add a line 'blocks' or "
                  "'block_bytes' to the header");
  }
  const ParsedPayload parsed = kind == OpKind::reduce ? blocks_.parse_reduction(bytes, bytes_place)
                                                      : blocks_.parse_move(bytes, bytes_place);
  scanner_.expect(')', "')' after the blocks");
  return parsed;
}

void StatementsParser::add_dependency(OpId dependency, const char* place) {
  if (parts_.dependencies.size() >= limits_.dependencies) {
    scanner_.fail(
        place, fmt::format("up to here there are more than {} dependencies", limits_.dependencies));
  }
  parts_.dependencies.push_back(dependency);
}

void StatementsParser::parse_after(OpId id) {
  scanner_.expect('(', "'('");
  const std::size_t groups = groups_.size();
  const std::size_t later = later_.size();
  do {
    const Name name = parse_name();
    if (name.kind == Name::Kind::group || name.kind == Name::Kind::index) {
      groups_.push_back({id, 0, name});
      continue;
    }
    const OpId before = labels_.find(name.key());
    if (before == id) {
      scanner_.fail(name.place, fmt::format("{} comes after itself", text_of(name)));
    }
    if (before == kNoOp) {
      later_.push_back({id, static_cast<std::uint32_t>(parts_.dependencies.size()), name});
    }
    add_dependency(before, name.place);
  } while (scanner_.take(','));
  scanner_.expect(')', "',' or ')' after the dependency");
  if (groups == groups_.size() && later == later_.size()) {
    tidy_row();
  }
}

// Sorts the last row of dependencies and drops repeated ones.
void StatementsParser::tidy_row() {
  auto& all = parts_.dependencies;
  const auto begin = all.begin() + parts_.rows.back();
  if (std::adjacent_find(begin, all.end(), std::greater_equal<>()) != all.end()) {
    std::sort(begin, all.end());
    all.erase(std::unique(begin, all.end()), all.end());
  }
}

// Returns the name in the printer's form, because the file may spread it over several lines.
std::string StatementsParser::text_of(const Name& name) {
  const Label& label = name.label;
  const std::string index = label.segment == kAnySegment
                                ? fmt::format("{}", label.level)
                                : fmt::format("<{},{}>", label.level, label.segment);
  switch (name.kind) {
    case Name::Kind::one:
      return fmt::format("Req({},{{{}}})", index, name.src);
    case Name::Kind::two:
      return fmt::format("Req({},{{{},{}}})", index, name.src, name.dst);
    case Name::Kind::group:
      return fmt::format("Req({},{})", index, name.src);
    case Name::Kind::index:
      return fmt::format("Req({})", index);
  }
  return "";
}

std::string StatementsParser::describe_missing(const Name& name) const {
  const std::string where =
      name.label.segment == kAnySegment
          ? fmt::format("at level {}", name.label.level)
          : fmt::format("at level {}, segment {}", name.label.level, name.label.segment);
  if (name.kind == Name::Kind::group) {
    return fmt::format("{}: rank {} takes part in no other operation {}", text_of(name), name.src,
                       where);
  }
  if (name.kind == Name::Kind::index) {
    return fmt::format("{}: there is no other operation {}", text_of(name), where);
  }
  std::string text = fmt::format("no operation has the label {}", text_of(name));
  LabelKey other = name.key();
  std::swap(other.src, other.dst);
  if (name.src != name.dst && labels_.find(other) != kNoOp) {
    return text + fmt::format("; there is one with {{{},{}}}", other.src, other.dst);
  }
  other = name.key();
  other.reduction = !other.reduction;
  if (name.src == name.dst && labels_.find(other) != kNoOp) {
    return text + (other.reduction ? fmt::format("; there is the reduction {{{}}}", name.src)
                                   : fmt::format("; there is the copy {{{0},{0}}}", name.src));
  }
  return text;
}

void StatementsParser::resolve_later() {
  for (const Reference& reference : later_) {
    const OpId before = labels_.find(reference.name.key());
    if (before == kNoOp) {
      scanner_.fail(reference.name.place, describe_missing(reference.name));
    }
    parts_.dependencies[reference.position] = before;
  }
}

void StatementsParser::resolve_groups() {
  // Lists all operations in the order of level and rank.
  struct Member {
    std::uint64_t level_and_rank;
    OpId id;
  };
  const auto key = [](std::uint32_t level, Rank rank) {
    return std::uint64_t{level} << 32U | rank;
  };
  std::vector<Member> members;
  members.reserve(2 * parts_.ops.size());
  for (OpId id = 0; id < parts_.ops.size(); ++id) {
    const Op& op = parts_.ops[id];
    members.push_back({key(op.label().level, op.src()), id});
    if (op.src() != op.dst()) {
      members.push_back({key(op.label().level, op.dst()), id});
    }
  }
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
    return a.level_and_rank < b.level_and_rank;
  });

  std::vector<std::uint32_t> rows;
  std::vector<OpId> dependencies;
  rows.swap(parts_.rows);
  dependencies.swap(parts_.dependencies);
  parts_.rows.push_back(0);
  auto group = groups_.begin();
  for (OpId id = 0; id < parts_.ops.size(); ++id) {
    for (std::uint32_t at = rows[id]; at < rows[id + 1]; ++at) {
      parts_.dependencies.push_back(dependencies[at]);
    }
    for (; group != groups_.end() && group->op == id; ++group) {
      const Name& name = group->name;
      // A name without a rank refers to the operations of all ranks at the level.
      const bool all_ranks = name.kind == Name::Kind::index;
      const std::uint64_t wanted = key(name.label.level, all_ranks ? 0 : name.src);
      const std::uint64_t last = all_ranks ? key(name.label.level, kNoOp) : wanted;
      bool any = false;
      for (auto member = std::lower_bound(members.begin(), members.end(), wanted,
                                          [](const Member& m, std::uint64_t level_and_rank) {
                                            return m.level_and_rank < level_and_rank;
                                          });
           member != members.end() && member->level_and_rank <= last; ++member) {
        if (member->id != id && (name.label.segment == kAnySegment ||
                                 name.label.segment == parts_.ops[member->id].label().segment)) {
          add_dependency(member->id, name.place);
          any = true;
        }
      }
      if (!any) {
        scanner_.fail(name.place, describe_missing(name));
      }
    }
    tidy_row();
    parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
  }
}

// If an operation depends on one operation of a request, it depends on all operations of the
// request. An operation that was itself added to this request depends only on those operations of
// the request that are above it in the file.
void StatementsParser::resolve_additions() {
  std::vector<std::uint32_t> rows;
  std::vector<OpId> dependencies;
  rows.swap(parts_.rows);
  dependencies.swap(parts_.dependencies);
  parts_.rows.push_back(0);
  for (OpId id = 0; id < parts_.ops.size(); ++id) {
    for (std::uint32_t at = rows[id]; at < rows[id + 1]; ++at) {
      const OpId before = dependencies[at];
      const auto added = additions_.to(before);
      const bool own = std::binary_search(added.begin(), added.end(), id);
      parts_.dependencies.push_back(before);
      for (const OpId each : added) {
        if (!own || each < id) {
          add_dependency(each, additions_place_);
        }
      }
    }
    tidy_row();
    parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
  }
}

const char* StatementsParser::place_of_cycle(const std::vector<OpId>& cycle) const {
  const char* first = nullptr;
  for (const auto* references : {&later_, &groups_}) {
    for (const Reference& reference : *references) {
      if (std::find(cycle.begin(), cycle.end(), reference.op) != cycle.end() &&
          (first == nullptr || reference.name.place < first)) {
        first = reference.name.place;
      }
    }
  }
  return first;
}

}}  // namespace tutti::schedules

#include "schedules/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/plural.hpp"
#include "schedules/notation/print.hpp"

namespace tutti { inline namespace schedules {

namespace {

std::span<const OpId> row(const ScheduleParts& parts, OpId id) {
  return std::span(parts.dependencies).subspan(parts.rows[id], parts.rows[id + 1] - parts.rows[id]);
}

// Checks the blocks of operations one by one, and counts the scratch slots that they use.
class BlockCheck {
 public:
  explicit BlockCheck(const ScheduleParts& parts)
      : parts_(parts), layout_(parts.layout), blocks_(layout_.blocks()) {}

  void check(OpId id) {
    const Op& op = parts_.ops[id];
    const std::uint32_t places = parts_.problem.ranks + parts_.switches;
    if (op.src() >= places || op.dst() >= places) {
      fail(op, parts_.switches == 0
                   ? fmt::format("the ranks are 0 to {}", parts_.problem.ranks - 1)
                   : fmt::format("the ranks are 0 to {}, followed by switches up to {}",
                                 parts_.problem.ranks - 1, places - 1));
    }
    if (op.is_comm() && op.src() == op.dst()) {
      fail(op, "a message needs two ranks; for a local move write Copy");
    }
    if (!op.is_comm() && op.src() != op.dst()) {
      fail(op, "a Reduce or Copy has a single rank");
    }
    if (op.into() == Buffer::input) {
      fail(op, "input is never written");
    }
    if (!parts_.payloads.empty()) {
      op.pooled() ? check_pooled(op, parts_.payloads[id]) : check_set(op, parts_.payloads[id]);
    }
  }

  [[nodiscard]] std::uint32_t scratch_slots() const { return scratch_slots_; }

 private:
  [[noreturn]] static void fail(const Op& op, const std::string& why) {
    throw UserError(fmt::format("{}: {}", label_text(op), why));
  }

  void check_place(const Op& op, Buffer buffer, std::uint32_t index) {
    const std::uint32_t slot = index / blocks_;
    if (buffer == Buffer::scratch) {
      scratch_slots_ = std::max(scratch_slots_, slot + 1);
    } else if (slot > 0) {
      fail(op,
           fmt::format("block {} is outside its buffer of {}", index, number_of(blocks_, "block")));
    }
  }

  void check_bytes(const Op& op, std::uint64_t read, std::uint64_t written) const {
    if (read != written || read != op.bytes()) {
      fail(op, fmt::format("it has {} bytes, but the blocks that it reads hold {}, and "
                           "those that it writes hold {}",
                           op.bytes(), read, written));
    }
  }

  void check_set(const Op& op, const Payload& payload) {
    const BlockSet& from = payload.from;
    BlockSet into = from;
    into.first = payload.into_first;
    check_place(op, op.from(), from.first);
    check_place(op, op.into(), into.first);
    if (from.count == 0 || from.count > blocks_) {
      fail(op, fmt::format("{} blocks: must be 1 to {}", from.count, blocks_));
    }
    if (!from.contiguous()) {
      const std::uint64_t runs_before_last = (from.count - 1) / from.run;
      if (from.stride < from.run ||
          runs_before_last * (from.stride - from.run) + from.count > blocks_) {
        fail(op, "it uses the same block twice");
      }
    }
    check_bytes(op, layout_.set_bytes(from), layout_.set_bytes(into));
    const std::uint64_t shift =
        std::uint64_t{blocks_} + into.first % blocks_ - from.first % blocks_;
    if (shift % blocks_ == 0 || layout_.uniform()) {
      return;
    }
    for_each_block(from, blocks_, [&](std::uint32_t block) {
      const std::uint32_t read = block % blocks_;
      check_pair(op, read, static_cast<std::uint32_t>((read + shift) % blocks_));
    });
  }

  // The total sizes may agree although single blocks differ in size. Data read from one block would
  // then be written across the boundary of another.
  void check_pair(const Op& op, std::uint32_t from, std::uint32_t into) const {
    if (layout_.size_bytes(from) != layout_.size_bytes(into)) {
      fail(op, fmt::format("block {} ({} bytes) goes to block {} ({} bytes); the sizes must agree",
                           from, layout_.size_bytes(from), into, layout_.size_bytes(into)));
    }
  }

  void check_pooled(const Op& op, const Payload& payload) {
    if (payload.from.count == 0 ||
        std::uint64_t{payload.from.first} + payload.from.count > parts_.pool.size()) {
      fail(op, "its list of blocks is empty or does not exist");
    }
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    for (const BlockPair& pair :
         std::span(parts_.pool).subspan(payload.from.first, payload.from.count)) {
      check_place(op, op.from(), pair.from);
      check_place(op, op.into(), pair.into);
      check_pair(op, pair.from % blocks_, pair.into % blocks_);
      read += layout_.size_bytes(pair.from % blocks_);
      written += layout_.size_bytes(pair.into % blocks_);
    }
    check_bytes(op, read, written);
  }

  const ScheduleParts& parts_;
  const BlockLayout& layout_;
  std::uint32_t blocks_;
  std::uint32_t scratch_slots_ = 0;
};

void check_dependencies(const ScheduleParts& parts) {
  TUTTI_INVARIANT(parts.rows.size() == parts.ops.size() + 1 && parts.rows.front() == 0 &&
                  parts.rows.back() == parts.dependencies.size());
  for (OpId id = 0; id < parts.ops.size(); ++id) {
    TUTTI_INVARIANT(parts.rows[id] <= parts.rows[id + 1]);
    for (const OpId before : row(parts, id)) {
      if (before >= parts.ops.size()) {
        throw UserError(fmt::format("{} comes after operation {}, which does not exist",
                                    label_text(parts.ops[id]), before));
      }
    }
  }
}

// Sorts each operation's dependencies and drops repeated ones.
void tidy_rows(ScheduleParts& parts) {
  auto kept = parts.dependencies.begin();
  for (OpId id = 0; id < parts.ops.size(); ++id) {
    const auto begin = parts.dependencies.begin() + parts.rows[id];
    const auto end = parts.dependencies.begin() + parts.rows[id + 1];
    std::sort(begin, end);
    parts.rows[id] = static_cast<std::uint32_t>(kept - parts.dependencies.begin());
    kept = std::copy(begin, std::unique(begin, end), kept);
  }
  parts.dependencies.erase(kept, parts.dependencies.end());
  parts.rows.back() = static_cast<std::uint32_t>(parts.dependencies.size());
}

bool in_order(const ScheduleParts& parts) {
  for (OpId id = 0; id < parts.ops.size(); ++id) {
    for (const OpId before : row(parts, id)) {
      if (before >= id) {
        return false;
      }
    }
  }
  return true;
}

// Finds a cycle, and throws CycleError. Walks back from an operation that never became ready, each
// time to an operation that it depends on and that never became ready either. The walk ends when it
// reaches an operation for the second time, which closes the cycle.
[[noreturn]] void fail_with_cycle(const ScheduleParts& parts,
                                  const std::vector<std::uint32_t>& waits_for) {
  OpId at = 0;
  while (waits_for[at] == 0) {
    ++at;
  }
  std::vector<OpId> path;
  std::vector<std::uint32_t> position(parts.ops.size(), kNoOp);
  while (position[at] == kNoOp) {
    position[at] = static_cast<std::uint32_t>(path.size());
    path.push_back(at);
    const auto before = row(parts, at);
    at = *std::find_if(before.begin(), before.end(), [&](OpId id) { return waits_for[id] > 0; });
  }
  constexpr std::size_t kShown = 8;
  std::string text = "a cycle: " + label_text(parts.ops[at]);
  for (std::size_t i = position[at] + 1; i < path.size(); ++i) {
    if (i - position[at] == kShown) {
      text += fmt::format(" after {} more", path.size() - i);
      break;
    }
    text += " after " + label_text(parts.ops[path[i]]);
  }
  throw CycleError(text + " after " + label_text(parts.ops[at]),
                   {path.begin() + position[at], path.end()});
}

// Returns a topological order that keeps the given order as far as possible: among operations that
// are ready, the one with the smallest id comes next.
std::vector<OpId> topological_order(const ScheduleParts& parts) {
  const std::size_t size = parts.ops.size();
  std::vector<std::uint32_t> waits_for(size);
  std::vector<std::vector<OpId>> successors(size);
  std::priority_queue<OpId, std::vector<OpId>, std::greater<>> ready;
  for (OpId id = 0; id < size; ++id) {
    waits_for[id] = static_cast<std::uint32_t>(row(parts, id).size());
    for (const OpId before : row(parts, id)) {
      successors[before].push_back(id);
    }
    if (waits_for[id] == 0) {
      ready.push(id);
    }
  }
  std::vector<OpId> order;
  order.reserve(size);
  while (!ready.empty()) {
    const OpId id = ready.top();
    ready.pop();
    order.push_back(id);
    for (const OpId successor : successors[id]) {
      if (--waits_for[successor] == 0) {
        ready.push(successor);
      }
    }
  }
  if (order.size() != size) {
    fail_with_cycle(parts, waits_for);
  }
  return order;
}

}  // namespace

void reorder(ScheduleParts& parts, const std::vector<OpId>& order) {
  std::vector<OpId> new_id(order.size());
  for (OpId id = 0; id < order.size(); ++id) {
    new_id[order[id]] = id;
  }
  ScheduleParts sorted;
  sorted.ops.reserve(order.size());
  for (const OpId old : order) {
    sorted.ops.push_back(parts.ops[old]);
    if (!parts.payloads.empty()) {
      sorted.payloads.push_back(parts.payloads[old]);
    }
    if (!parts.units.empty()) {
      sorted.units.push_back(parts.units[old]);
    }
    for (const OpId before : row(parts, old)) {
      sorted.dependencies.push_back(new_id[before]);
    }
    sorted.rows.push_back(static_cast<std::uint32_t>(sorted.dependencies.size()));
  }
  parts.ops.swap(sorted.ops);
  parts.payloads.swap(sorted.payloads);
  parts.units.swap(sorted.units);
  parts.rows.swap(sorted.rows);
  parts.dependencies.swap(sorted.dependencies);
  if (parts.bare) {
    parts.bare->op = new_id[parts.bare->op];
  }
  tidy_rows(parts);
}

OpId ScheduleParts::add(const Op& op, const Payload& payload, const std::vector<OpId>& after) {
  ops.push_back(op);
  payloads.push_back(payload);
  dependencies.insert(dependencies.end(), after.begin(), after.end());
  rows.push_back(static_cast<std::uint32_t>(dependencies.size()));
  return static_cast<OpId>(ops.size() - 1);
}

ScheduleParts parts_of(const Schedule& schedule) {
  ScheduleParts parts;
  parts.problem = schedule.problem();
  parts.layout = schedule.layout();
  parts.ops.assign(schedule.ops().begin(), schedule.ops().end());
  parts.pool.assign(schedule.pool().begin(), schedule.pool().end());
  parts.bare = schedule.bytes_only();
  parts.switches = schedule.switches();
  parts.dependencies.reserve(schedule.dependencies());
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.has_payload()) {
      parts.payloads.push_back(schedule.payload(id));
    }
    if (schedule.has_units()) {
      parts.units.push_back(schedule.units(id));
    }
    const auto before = schedule.predecessors(id);
    parts.dependencies.insert(parts.dependencies.end(), before.begin(), before.end());
    parts.rows.push_back(static_cast<std::uint32_t>(parts.dependencies.size()));
  }
  return parts;
}

Schedule assemble(ScheduleParts parts) {
  if (parts.problem.ranks == 0) {
    throw UserError("0 ranks: a collective needs at least 1");
  }
  if (parts.problem.root >= parts.problem.ranks) {
    throw UserError(fmt::format("root {} is not one of the {}, 0 to {}", parts.problem.root,
                                number_of(parts.problem.ranks, "rank"), parts.problem.ranks - 1));
  }
  if (const auto natural = natural_blocks(parts.problem.collective, parts.problem.ranks);
      parts.layout.blocks() % natural != 0) {
    throw UserError(fmt::format(
        "{} blocks on {} ranks: in {}, every {} owns the same number of blocks, so the number of "
        "blocks must be a multiple of {}",
        parts.layout.blocks(), parts.problem.ranks, name(parts.problem.collective),
        parts.problem.collective == Collective::alltoallv ? "pair of ranks" : "rank", natural));
  }
  TUTTI_INVARIANT(parts.payloads.empty() || parts.payloads.size() == parts.ops.size());
  TUTTI_INVARIANT(parts.units.empty() || parts.units.size() == parts.ops.size());
  BlockCheck blocks(parts);
  for (OpId id = 0; id < parts.ops.size(); ++id) {
    blocks.check(id);
  }
  check_dependencies(parts);
  tidy_rows(parts);
  if (!in_order(parts)) {
    reorder(parts, topological_order(parts));
  }
  return link(std::move(parts), blocks.scratch_slots());
}

}}  // namespace tutti::schedules

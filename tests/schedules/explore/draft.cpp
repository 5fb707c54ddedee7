#include "tests/schedules/explore/draft.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::explore {

std::uint32_t Draft::append(DraftOp op, Place from, Place into) {
  op.from = from.buffer;
  op.into = into.buffer;
  for (BlockPair& pair : op.pairs) {
    pair.from += from.slot * blocks();
    pair.into += into.slot * blocks();
  }
  for (const Place place : {from, into}) {
    if (place.buffer == Buffer::scratch && place.slot >= scratch_slots) {
      scratch_slots = place.slot + 1;
    }
  }
  const auto id = static_cast<std::uint32_t>(ops.size());
  op.label = {id, 0};
  ops.push_back(std::move(op));
  return id;
}

std::uint32_t Draft::comm(Rank src, Rank dst, Place from, Place into, std::vector<BlockPair> pairs,
                          std::vector<std::uint32_t> after) {
  DraftOp op;
  op.src = src;
  op.dst = dst;
  op.pairs = std::move(pairs);
  op.after = std::move(after);
  return append(std::move(op), from, into);
}

std::uint32_t Draft::reduce(Rank rank, Place from, Place into, Operand from_is,
                            std::vector<BlockPair> pairs, std::vector<std::uint32_t> after) {
  DraftOp op;
  op.kind = OpKind::reduce;
  op.src = op.dst = rank;
  op.from_is = from_is;
  op.pairs = std::move(pairs);
  op.after = std::move(after);
  return append(std::move(op), from, into);
}

std::uint32_t Draft::copy(Rank rank, Place from, Place into, std::vector<BlockPair> pairs,
                          std::vector<std::uint32_t> after) {
  DraftOp op;
  op.kind = OpKind::copy;
  op.src = op.dst = rank;
  op.pairs = std::move(pairs);
  op.after = std::move(after);
  return append(std::move(op), from, into);
}

Draft draft_of(const Schedule& schedule) {
  Draft draft;
  draft.problem = schedule.problem();
  draft.layout = schedule.layout();
  draft.scratch_slots = schedule.scratch_slots();
  draft.ops.reserve(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    DraftOp copy;
    copy.kind = op.kind();
    copy.label = op.label();
    copy.src = op.src();
    copy.dst = op.dst();
    copy.from = op.from();
    copy.into = op.into();
    copy.from_is = op.from_is();
    for_each_block_pair(schedule, id, [&](std::uint32_t from, std::uint32_t into) {
      copy.pairs.push_back({from, into});
    });
    const auto after = schedule.predecessors(id);
    copy.after.assign(after.begin(), after.end());
    draft.ops.push_back(std::move(copy));
  }
  return draft;
}

std::optional<std::string> malformed(const Draft& draft) {
  const auto inside = [&](Buffer buffer, std::uint32_t index) {
    return index <
           (buffer == Buffer::scratch ? draft.scratch_slots * draft.blocks() : draft.blocks());
  };
  for (const DraftOp& op : draft.ops) {
    if (op.src >= draft.ranks() || op.dst >= draft.ranks()) {
      return fmt::format("{}: uses a rank that does not exist", to_string(op));
    }
    if ((op.kind == OpKind::comm) == (op.src == op.dst)) {
      return fmt::format("{}: a message must have two ranks, and a local operation one",
                         to_string(op));
    }
    if (op.into == Buffer::input) {
      return fmt::format("{}: writes to input", to_string(op));
    }
    for (const BlockPair& pair : op.pairs) {
      if (!inside(op.from, pair.from) || !inside(op.into, pair.into)) {
        return fmt::format("{}: uses a block outside its buffer", to_string(op));
      }
      if (draft.layout.size_bytes(pair.from % draft.blocks()) !=
          draft.layout.size_bytes(pair.into % draft.blocks())) {
        return fmt::format("{}: moves a block to one of another size", to_string(op));
      }
    }
    for (const std::uint32_t before : op.after) {
      if (before >= draft.ops.size()) {
        return fmt::format("{}: comes after an operation that does not exist", to_string(op));
      }
      if (!op.shares_rank(draft.ops[before])) {
        return fmt::format("{}: shares no rank with the operation that it comes after: {}",
                           to_string(op), to_string(draft.ops[before]));
      }
    }
  }
  return std::nullopt;
}

std::string to_string(const DraftOp& op) {
  constexpr std::string_view kKinds[] = {"comm", "reduce", "copy"};
  constexpr std::string_view kBuffers[] = {"input", "work", "scratch"};
  std::string text = fmt::format("Req(<{},{}>,{{{},{}}}) = {}{}", op.label.level, op.label.segment,
                                 op.src, op.dst, kKinds[static_cast<std::size_t>(op.kind)],
                                 op.kind != OpKind::reduce     ? ""
                                 : op.from_is == Operand::left ? " left"
                                                               : " right");
  for (const BlockPair& pair : op.pairs) {
    text += fmt::format(" {}[{}]->{}[{}]", kBuffers[static_cast<std::size_t>(op.from)], pair.from,
                        kBuffers[static_cast<std::size_t>(op.into)], pair.into);
  }
  return text;
}

std::string to_string(const Draft& draft) {
  std::string text =
      fmt::format("{} on {} ranks, {} blocks, root {}\n", name(draft.problem.collective),
                  draft.ranks(), draft.blocks(), draft.problem.root);
  for (std::size_t id = 0; id < draft.ops.size(); ++id) {
    text += fmt::format("  {}: {}", id, to_string(draft.ops[id]));
    if (!draft.ops[id].after.empty()) {
      text += fmt::format(" after {}", fmt::join(draft.ops[id].after, " "));
    }
    text += '\n';
  }
  return text;
}

}  // namespace tutti::explore
